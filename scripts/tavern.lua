-- The level script of the tavern, whose map is drawn in Tiled (levels/tavern.tmx): a guest comes in and is served.

---@param why string
function onStart(why: string)
  region.on("taproom", { filter = "player", onEnter = "cameIn", onExit = "wentOut" })
  if why == "start" then
    assert(world.player()):walkTo("bar", { doors = "open", face = "hearth", onArrived = "ordered", onFailed = "turnedAway" })
  end
end

---@param e RegionEvent
function cameIn(e: RegionEvent)
  state.visits = (state.visits or 0) + 1
  log.info("%s comes in", e.character.name)
end

---@param e RegionEvent
function wentOut(e: RegionEvent)
  log.info("%s goes out", e.character.name)
end

-- The order goes to the kitchen, whose door only the cook can unlock.
---@param result WalkResult
function ordered(result: WalkResult)
  log.info("%s orders after %.1f m", result.character.name, result.travelled)
  local cook = world.character("cook")
  cook:walkTo("bar", {
    doors = "open",
    keys = { "kitchen" },
    accept = "near",
    onArrived = "served",
    onFailed = "turnedAway",
  })
end

---@param result WalkResult
function served(result: WalkResult)
  state.served = true
  log.info("%s serves: %s", result.character.name, result)
  result.character:walkTo("hearth", { doors = "open", keys = { "kitchen" } })
  assert(world.player()):walkTo("road", { doors = "open", onArrived = "home" })
end

---@param result WalkResult
function home(result: WalkResult)
  log.info("%s is on the way home", result.character.name)
end

---@param result WalkResult
function turnedAway(result: WalkResult)
  log.warn("%s does not get there: %s", result.character.name, result)
end
