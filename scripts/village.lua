-- The level script of the village: a mason bridges the river, a farmer breaks the rotten wall of the barn.
-- Villagers on their way find the new ways at once.

local MASON_STARTS = 12 -- seconds
local FARMER_STARTS = 4

-- The middles of the tiles that become a bridge, two wide and two long.
local BRIDGE = {
  vector.create(11.5, 0, 9.5), vector.create(12.5, 0, 9.5),
  vector.create(11.5, 0, 10.5), vector.create(12.5, 0, 10.5),
}
local ROTTEN_WALL = vector.create(6.5, 0, 14.5)
local INSIDE_THE_BARN = vector.create(4.5, 0, 14.5)

---@param why string
function onStart(why: string)
  if why ~= "start" then
    return
  end
  timer.after(MASON_STARTS, function()
    world.character("mason"):walkTo("bank", { onArrived = "buildBridge", onFailed = "heldUp" })
  end)
  timer.after(FARMER_STARTS, function()
    world.character("farmer"):walkTo("barnSide", { onArrived = "breakWall", onFailed = "heldUp" })
  end)
end

-- Deep water becomes a bridge: it reads as one, and costs what plain ground costs.
function buildBridge()
  for _, place in ipairs(BRIDGE) do
    nav.setTile(place, { terrain = "bridge", tags = { "built" } })
  end
  event.emit("bridgeBuilt", { cost = assert(nav.tileAt(BRIDGE[1])).cost })
  world.character("mason"):walkTo(15.5, 7.5, { onFailed = "heldUp" }) -- out of the way of the others that cross
end

-- A wall that is opened is open; what it was made of stays.
function breakWall()
  nav.setNavigable(ROTTEN_WALL, true, { cost = 1.5 })
  event.emit("wallBroken", { terrain = assert(nav.tileAt(ROTTEN_WALL)).terrain })
  world.character("farmer"):walkTo(INSIDE_THE_BARN, { onArrived = "fed", onFailed = "heldUp" })
end

function fed()
  event.emit("fed", {})
end

---@param result WalkResult
function heldUp(result: WalkResult)
  log.warn("%s is held up: %s", result.character.name, result)
end
