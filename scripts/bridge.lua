-- The level script of the bridge: the player walks up to it, and meets anna there.

---@param why string
function onStart(why: string)
  region.on("bridgehead", { filter = "player", onEnter = "atTheBridge" })
  event.on("alarm", "alarmed")
  event.on("cinematicEnded", "over")
  if why == "start" then
    timer.after(1 + rng.stream("dawdling"):float(), "setOut")
  end
end

function setOut()
  assert(world.player()):walkTo("bridgeWest")
end

---@param e RegionEvent
function atTheBridge(e: RegionEvent)
  if not state.metAnna and not e.character.heldBy then
    cinematic.play("bridge_meeting", { gold = 40 })
  end
end

---@param e { at: vector, by: Character }
function alarmed(e)
  log.info("%s raises the alarm", e.by.name)
end

---@param info SceneInfo
function over(info: SceneInfo)
  level.finish(info.ok, "the meeting is over: " .. info.outcome)
end
