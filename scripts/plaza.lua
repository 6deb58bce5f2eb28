-- The level script of the plaza: two streams of people cross a square. Beside it, visitors queue at the door of a booth, a
-- porter meets the player in an alley, and a gardener passes a busker.

local OPENING = 6 -- seconds until the booth opens
local MOVES_ON = 14 -- seconds until the player leaves the alley
local VISITORS = 5

---@param why string
function onStart(why: string)
  event.on("crossed", "crossed")
  if why == "start" then
    state.crossings = 0
    timer.after(OPENING, "open")
    timer.after(MOVES_ON, "moveOn")
    queue()
    world.character("porter"):walkTo("yardEnd", { onFailed = "held", onArrived = "delivered", patience = 4 })
    world.character("gardener"):walkTo("gardenEnd", { onArrived = "inTheGarden" })
  end
end

-- Everybody wants a place in the booth, whose door is closed.
function queue()
  for i = 1, VISITORS do
    local visitor = world.character("visitor" .. i)
    visitor:walkTo("stage" .. i, { doors = "wait", patience = 30, onArrived = "seated" })
  end
end

function open()
  world.door("booth"):open()
end

function moveOn()
  assert(world.player()):walkTo("aside")
end

---@param e { who: string, ticks: integer }
function crossed(e)
  state.crossings = state.crossings + 1
  level.measure("crossings", state.crossings)
end

---@param result WalkResult
function seated(result: WalkResult)
  event.emit("seated", { who = result.character.name })
end

-- The player never steps aside: the porter waits, gives up, and tries again.
---@param result WalkResult
function held(result: WalkResult)
  event.emit("held", { who = result.character.name, by = result.by and result.by.name })
  timer.after(6, "again")
end

function again()
  world.character("porter"):walkTo("yardEnd", { onFailed = "held", onArrived = "delivered", patience = 4 })
end

---@param result WalkResult
function delivered(result: WalkResult)
  event.emit("delivered", { who = result.character.name })
end

---@param result WalkResult
function inTheGarden(result: WalkResult)
  event.emit("inTheGarden", { who = result.character.name, repaths = result.repaths })
end
