-- The level script of the tower: a guest goes up to look out of the window, and the door to the stairs falls shut behind her.

---@param why string
function onStart(why: string)
  if why == "start" then
    timer.after(2, "goUp")
  end
end

function goUp()
  local guest = world.character("guest")
  guest:walkTo("window", { doors = "open", onArrived = "lookOut", onFailed = "giveUp" })
end

---@param result WalkResult
function lookOut(result: WalkResult)
  log.info("the guest looks out of the window, %.1f m from where she began", result.travelled)
  world.door("stairDoor"):close()
end

---@param result WalkResult
function giveUp(result: WalkResult)
  log.warn("the guest stays below: %s/%s", result.status, result.reason)
end
