-- The level script of the courtyard: the gate works on a timer, the player is sent to the hall and, on
-- the first step inside, led before the regent.

local GATE_PERIOD = 6 -- seconds between one movement of the gate and the next

local gate: Door

---@param why string
function onStart(why: string)
  gate = world.door("gate")
  gate:on("opened", "gateMoved")
  gate:on("closed", "gateMoved")
  region.on("hallEntry", { filter = "player", once = true, onEnter = "playerEntered" })

  timer.every(GATE_PERIOD, function()
    gate:toggle({ whenOccupied = "wait" }) -- never closes on somebody
  end)

  if why == "start" then
    assert(world.player()):walkTo("gateFront", {
      onArrived = function(result: WalkResult)
        log.info("the player waits at the gate after %s s", string.format("%.1f", level.time))
        result.character:walkTo("hearth", { doors = "wait", patience = 20 })
      end,
      onFailed = function(result: WalkResult)
        log.warn("the player is held up: %s", result)
      end,
    })
  end
end

function gateMoved(e: any)
  log.info("the gate is %s", e.what)
end

---@param e RegionEvent
function playerEntered(e: RegionEvent)
  state.audiences = (state.audiences or 0) + 1
  cinematic.play("audience", { visitor = e.character })
end
