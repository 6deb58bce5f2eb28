-- The level script of first: the visitor walks up to the gate, and anyone who stands there is let in.

-- Runs at the start of the level and after every hot reload.
---@param why string
function onStart(why: string)
  region.on("porch", { filter = "player", onEnter = "atTheGate" })
  if why == "start" then
    world.character("visitor"):walkTo("doorstep", { onFailed = "heldUp" })
  end
end

-- Handlers that are given as text are the globals of this file.
---@param e RegionEvent
function atTheGate(e: RegionEvent)
  if not state.welcomed then
    cinematic.play("welcome", { visitor = e.character })
  end
end

---@param result WalkResult
function heldUp(result: WalkResult)
  log.warn("the visitor does not get to the gate: %s", result)
end
