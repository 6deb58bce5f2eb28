-- The level script of a night in the hamlet: `state` holds the loot and whether the thief was caught; the morning tells.

---@param why string
function onStart(why: string)
  if why == "start" then
    state.night = { alarms = 0, stolen = false, caught = false, escaped = false }
    timer.after(clock.secondsUntil("6:00"), "morning")
  end
  event.on("alarm", "alarmed")
  event.on("stolen", "stolen")
  event.on("caught", "caught")
  event.on("escaped", "escaped")
end

function alarmed(e: any)
  state.night.alarms = state.night.alarms + 1
  log.info("%s: %s calls the watch", clock.text, e.by.name)
end

function stolen(e: any)
  state.night.stolen = true
  log.info("%s: the chapel is robbed", clock.text)
end

-- A thief that is caught spends the rest of the night in the barracks, and the loot goes back.
function caught(e: any)
  state.night.caught, state.night.stolen = true, false
  log.info("%s: %s catches %s", clock.text, e.by.name, e.who.name)
  e.who:teleport("cell")
end

function escaped(e: any)
  state.night.escaped = true
  log.info("%s: %s is gone", clock.text, e.who.name)
end

function morning()
  event.emit("morning", state.night)
  log.info("%s: caught %s, stolen %s", clock.text, state.night.caught, state.night.stolen)
end
