-- What the night in the hamlet promises. Run with: walkon test scripts/hamlet_night_test.lua

local function untilTime(t: Test, time: string)
  t:run(clock.secondsUntil(time))
end

test.level("the burglar is heard on the wall, seen, chased and caught", { level = "hamlet_night", maxTicks = 9000 }, function(t)
  untilTime(t, "1:00")
  t:expect(world.door("gate").state):toBe("closed")
  t:expectEvent("stolen", { within = 30 })
  local alarm = t:expectEvent("alarm", { within = 15 })
  t:expect(alarm.thief):toBe(world.character("rick"))
  local caught = t:expectEvent("caught", { within = 20 })
  t:expect(caught.by):toBe(world.character("emil"))
  local morning = t:expectEvent("morning", { within = 80 })
  t:expect(morning):toEqual({ alarms = 1, caught = true, escaped = false, stolen = false })
  t:expect(world.character("rick"):distanceTo("cell")):toBeBelow(1)
  t:expect(world.door("gate").state):toBe("open")
end)

-- In the middle of the night, at different places of the story.
local MOMENTS: { [string]: (t: Test) -> () } = {
  halfPastMidnight = function(t)
    untilTime(t, "0:30")
  end,
  onTheWall = function(t)
    t:until_(function() return world.character("rick").position.x > 36 and world.character("rick").position.z > 11 end, { timeout = 80 })
    t:run(0.7)
  end,
  inTheChapel = function(t)
    t:until_(function() return world.character("rick"):distanceTo("treasure") < 0.3 end, { timeout = 80 })
    t:run(1.2)
  end,
  onTheWayBack = function(t)
    t:expectEvent("stolen", { within = 80 })
    t:run(3)
  end,
  inTheChase = function(t)
    t:expectEvent("alarm", { within = 90 })
    t:run(1.5)
  end,
  inTheCell = function(t)
    t:expectEvent("caught", { within = 100 })
    t:run(0.5)
  end,
}
local VARIANTS = { "straight", "halfPastMidnight", "onTheWall", "inTheChapel", "onTheWayBack", "inTheChase", "inTheCell" }

test.level("the morning is the same when the scripts are reloaded", {
  level = "hamlet_night",
  maxTicks = 9000,
  variants = VARIANTS,
}, function(t, variant)
  local moment = variant and MOMENTS[variant]
  if moment then
    moment(t)
    local texts: { [string]: string } = {}
    for _, name in ipairs({ "behaviours/nightwatch", "behaviours/burglar", "behaviours/villager", "hamlet_night" }) do
      texts[name] = t:source(name) .. "\n"
    end
    t:expect(t:reload(texts).ok):toBe(true)
  end
  return t:expectEvent("morning", { within = 140 })
end)

test.level("the morning is the same when the night is saved and loaded", {
  level = "hamlet_night",
  maxTicks = 9000,
  variants = VARIANTS,
}, function(t, variant)
  local moment = variant and MOMENTS[variant]
  if moment then
    moment(t)
    local saved, tick = t:save(), level.tick
    t:run(4) -- what comes to pass meanwhile is undone
    t:expect(t:load(saved).ok):toBe(true)
    t:expect(level.tick):toBe(tick)
  end
  local morning = t:expectEvent("morning", { within = 140 })
  t:expect(morning):toEqual({ alarms = 1, caught = true, escaped = false, stolen = false })
  t:expect(world.character("rick"):distanceTo("cell")):toBeBelow(1)
  t:expect(world.door("gate").state):toBe("open")
  return morning
end)

test.level("only who can climb has a way while the gate is closed", { level = "hamlet_night", maxTicks = 3000 }, function(t)
  t:until_(function() return world.door("gate").state == "closed" end, { timeout = 30 })
  world.door("gate"):lock("city")
  local rick, dora = world.character("rick"), world.character("dora")
  t:expect(rick:canReach("treasure", { doors = "open" })):toBe(true)
  t:expect(dora:canReach("hideout", { doors = "open" })):toBe(false)
end)

test.level("the watch costs little", { level = "hamlet_night", maxTicks = 6000 }, function(t)
  t:run(60)
  t:expectFuel("nightwatch", { below = 30 })
  t:expectFuel("villager", { below = 20 })
end)
