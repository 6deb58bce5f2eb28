-- The level script of the market: counts visits, and closes the evening after five minutes of game time.

local EVENING = 300 -- seconds

function onStart()
  state.visits = state.visits or 0
  event.on("visited", "visited")
  timer.after(EVENING, function()
    log.info("the market closes after %d visits", state.visits)
    level.finish(state.visits > 0, string.format("%d visits", state.visits))
  end)
end

function visited(e)
  state.visits = state.visits + 1
  if state.visits % 100 == 0 then
    log.info("%d visits, the latest by %s at %s", state.visits, e.who, e.stall)
  end
end
