-- The level script of the hamlet, which lives a day in a minute. It tells the hours, and says when a day is over.

---@param why string
function onStart(why: string)
  event.on("appointmentMissed", function(missed: any)
    log.info("%s does not come to %s: %s", missed.who.name, missed.name, missed.why)
  end)
  if why == "start" then
    tell(clock.minutes // 60)
  end
end

-- Tells every third hour, then waits for the next.
---@param hour number
function tell(hour: number)
  if hour % 3 == 0 then
    log.info("%s of day %d", clock.text, clock.day)
  end
  timer.after(clock.secondsUntil((hour + 1) % 24 * 60), "tell", (hour + 1) % 24)
end
