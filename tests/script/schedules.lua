-- What lib/schedule promises, at its boundaries. Run by tests/script/schedules.rs on a hall with a clock.

local schedule = require("lib/schedule")

local DAY = {
  { at = "8:00", name = "work" },
  { at = "12:00", name = "eat" },
  { at = "22:00", name = "sleep" },
}

local function nameNow(): string
  return (schedule.now(DAY)).name
end

test.level("an appointment lasts until the next, the last one over midnight", { level = "hall" }, function(t)
  for time, name in pairs({
    ["7:59"] = "sleep", ["8:00"] = "work", ["8:01"] = "work", ["11:59"] = "work", ["12:00"] = "eat", ["21:59"] = "eat",
    ["22:00"] = "sleep", ["23:59"] = "sleep", ["0:00"] = "sleep", ["0:01"] = "sleep",
  }) do
    clock.set(time)
    t:expect(nameNow()):toBe(name)
  end
  clock.set("0:30")
  local appointment, minutes, following, began = schedule.now(DAY)
  t:expect({ appointment.name, minutes, following.name }):toEqual({ "sleep", 150, "work" })
  t:expect(began):toBe((clock.day - 2) * 1440 + 22 * 60) -- it began yesterday
end)

test.level("a plan of one lasts a day and begins again", { level = "hall" }, function(t)
  local one = { { at = "8:00", name = "all day" } }
  clock.set("7:59")
  local _, minutes, following, before = schedule.now(one)
  t:expect({ minutes, following.name }):toEqual({ 1439, "all day" })
  clock.set("8:00")
  local _, now, _, after = schedule.now(one)
  t:expect({ now, after - before }):toEqual({ 0, 1440 })
end)

test.level("what is no plan says so", { level = "hall" }, function(t)
  local ok, why = pcall(schedule.now, { { at = "8" } })
  t:expect(ok):toBe(false)
  t:expect(tostring(why)):toContain("an appointment is at \"8\", expected a time such as \"6:30\"")
  local none, reason = pcall(schedule.now, {})
  t:expect(none):toBe(false)
  t:expect(tostring(reason)):toContain("one appointment at least")
end)

-- What the worker of the hall has told, in order.
local function story(): { string }
  return state.story
end

test.level("who begins in the middle is not late, and each appointment is begun once, on the minute", { level = "hall" }, function(t)
  clock.set("9:00")
  world.character("anna"):attach("worker")
  t:run(12)
  t:expect(story()):toEqual({ "arrive work 69", "stay work" }) -- nine minutes of way
  clock.set("11:59")
  t:run(1.5)
  t:expect(story()[3]):toBe(nil) -- the way to eat takes more
  t:expectEvent("appointment", { within = 15, where = { name = "eat" } })
  clock.set("21:59")
  t:run(1)
  t:expect(#story()):toBe(4)
  t:ticks(2)
  t:expect(story()[5]):toBe("arrive sleep 0") -- has no place
end)

test.level("at midnight nothing begins again", { level = "hall" }, function(t)
  clock.set("23:58")
  world.character("anna"):attach("worker")
  t:run(5)
  t:expect(clock.day):toBe(2)
  t:expect(story()):toEqual({ "arrive sleep 118", "stay sleep" })
end)

test.level("a reload goes on with the same appointment, and a later one is begun late", { level = "hall" }, function(t)
  clock.set("9:00")
  world.character("anna"):attach("worker")
  t:run(12)
  local text = t:source("behaviours/worker")
  t:expect(t:reload({ ["behaviours/worker"] = text .. "\n" }).ok):toBe(true)
  t:run(3)
  t:expect(story()):toEqual({ "arrive work 69", "stay work", "stay work" })
  -- The clock goes past noon while nobody looks: eating allows twenty minutes, sleeping any time.
  world.character("anna").blackboard:set("held", true)
  t:run(1)
  clock.set("12:30")
  t:run(2)
  world.character("anna").blackboard:clear("held")
  t:expectEvent("appointmentMissed", { within = 2, where = { name = "eat", why = "late" } })
  t:run(20)
  t:expect(#story()):toBe(3)
  clock.set("22:00")
  t:run(1)
  t:expect(story()[4]):toBe("arrive sleep 0")
end)

test.level("a load goes on with the same appointment, is told nothing twice, and a skipped one stays skipped", { level = "hall" }, function(t)
  local function reload()
    local saved = t:save()
    t:run(2) -- what comes to pass meanwhile is undone
    t:expect(t:load(saved).ok):toBe(true)
  end
  clock.set("9:00")
  world.character("anna"):attach("worker")
  t:run(3)
  reload() -- on the way
  t:run(12)
  t:expect(story()):toEqual({ "arrive work 69", "stay work" })
  reload() -- at work
  t:run(3)
  t:expect(story()):toEqual({ "arrive work 69", "stay work", "stay work" })
  -- Too late for eating, which is told once, also over a load.
  world.character("anna").blackboard:set("held", true)
  t:run(1)
  clock.set("12:30")
  world.character("anna").blackboard:clear("held")
  t:expectEvent("appointmentMissed", { within = 2, where = { name = "eat", why = "late" } })
  local saved = t:save()
  t:run(1)
  t:expect(t:load(saved).ok):toBe(true)
  t:expectNoEvent("appointmentMissed", { during = 15 })
  t:expect(#story()):toBe(3)
  -- Saved in the last minute of one, loaded, and the next one is begun on the minute.
  clock.set("21:59")
  reload()
  t:run(1)
  t:ticks(2)
  t:expect(story()[4]):toBe("arrive sleep 0")
  reload()
  t:run(2)
  t:expect(story()[5]):toBe("stay sleep")
end)

test.level("a clock that was set and paused is saved as it stands", { level = "hall" }, function(t)
  clock.set("21:59")
  clock.setPace(0.5)
  clock.pause()
  local saved = t:save()
  clock.resume()
  t:run(5)
  t:expect(t:load(saved).ok):toBe(true)
  t:expect({ clock.text, clock.paused, clock.secondsPerMinute }):toEqual({ "21:59", true, 0.5 })
  world.character("anna"):attach("worker")
  t:run(12)
  t:expect(story()):toEqual({ "arrive eat 599", "stay eat" })
end)

test.level("who is a little late goes all the same, and says how late", { level = "hall" }, function(t)
  clock.set("9:00")
  local anna = world.character("anna")
  anna:attach("worker")
  t:run(12)
  anna.blackboard:set("held", true)
  t:run(1)
  clock.set("12:15")
  t:run(1)
  anna.blackboard:clear("held")
  local arrived = t:expectEvent("appointment", { within = 20, where = { name = "eat" } })
  t:expect(arrived.late):toBeAbove(15)
  t:expect(arrived.late):toBeBelow(40)
end)

test.level("a clock that stands still holds the appointment, and one that goes on ends it", { level = "hall" }, function(t)
  clock.set("21:59")
  clock.pause()
  world.character("anna"):attach("worker")
  t:run(12)
  t:expect(clock.text):toBe("21:59")
  t:expect(story()):toEqual({ "arrive eat 599", "stay eat" })
  clock.resume()
  t:run(1)
  t:ticks(3)
  t:expect(story()[3]):toBe("arrive sleep 0")
end)

test.level("a place that cannot be reached is told once and tried again", { level = "hall" }, function(t)
  clock.set("9:00")
  nav.setAreaAvailable("corner", false)
  world.character("anna"):attach("worker")
  t:expectEvent("appointmentMissed", { within = 15, where = { name = "work" } })
  t:expectNoEvent("appointmentMissed", { during = 8 })
  nav.setAreaAvailable("corner", true)
  t:expectEvent("appointment", { within = 15, where = { name = "work" } })
end)
