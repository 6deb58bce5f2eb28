-- The level script of the house: a visitor is let in, the silver is counted, and a wardrobe falls.

-- Calls somebody to the door and opens it from inside.
---@param visitor Character
local function letIn(visitor: Character)
  local butler = world.character("butler")
  local door = world.door("frontDoor")
  butler:detach() -- the rounds can wait
  task.spawn(function()
    local result = butler:walk("welcome", { doors = "open", face = "frontStep" })
    if result.ok then
      door:open({ by = butler }):wait()
    end
    butler:attach("patrol", { route = "rounds", pause = 3 })
    visitor:walkTo("fireside", { onArrived = "seated", onFailed = "turnedAway" })
  end)
end

---@param why string
function onStart(why: string)
  region.on("doorstep", { filter = "player", once = true, onEnter = "rang" })
  region.on("vaultFloor", { onEnter = "counted", onExit = "counted" })
  if why == "start" then
    assert(world.player()):walkTo("frontStep", { face = "welcome" })
    timer.after(30, "wardrobeFalls")
  end
end

---@param e RegionEvent
function rang(e: RegionEvent)
  log.info("%s rings at the door", e.character.name)
  letIn(e.character)
end

---@param result WalkResult
function seated(result: WalkResult)
  log.info("%s sits down at the fire after %.1f m", result.character.name, result.travelled)
  world.door("frontDoor"):close({ whenOccupied = "wait" })
  local lady = world.character("lady")
  world.door("vaultDoor"):unlock("silver")
  lady:walkTo("strongbox", { keys = { "silver" }, onFailed = "turnedAway" })
end

---@param result WalkResult
function turnedAway(result: WalkResult)
  log.warn("%s does not get there: %s", result.character.name, result)
end

---@param e RegionEvent
function counted(e: RegionEvent)
  state.countings = (state.countings or 0) + 1
  log.info("%s is at the silver: %s", e.character.name, e.how)
end

-- From now on the way through the hall is barred, and a character that needs it finds another or stays.
function wardrobeFalls()
  nav.setAreaAvailable("fallenWardrobe", true)
  log.info("the wardrobe in the hall falls over")
end
