-- What the hamlet promises of a day. Run with: walkon test scripts/hamlet_test.lua

local function untilTime(t: Test, time: string)
  t:run(clock.secondsUntil(time))
end

-- Whether somebody is within the walls.
local function isInside(character: Character): boolean
  local place = character.position
  return place.x > 4 and place.x < 36 and place.z > 3 and place.z < 21
end

local PEOPLE = { "anna", "bert", "cora", "fritz", "dora", "emil" }

test.level("a day takes a minute, and everybody comes to everything", { level = "hamlet", maxTicks = 4000 }, function(t)
  local seen: { [string]: number } = {}
  event.on("appointment", function(arrived: any)
    seen[arrived.who.name] = (seen[arrived.who.name] or 0) + 1
  end)
  event.on("appointmentMissed", function(missed: any)
    t:fail(`{missed.who.name} misses {missed.name}: {missed.why}`)
  end)
  t:run(60)
  t:expect(clock.day):toBe(2)
  t:expect(clock.minutes):toBeNear(300, 1)
  t:expect(seen):toEqual({ anna = 7, bert = 7, cora = 4, fritz = 6, dora = 4, emil = 4 })
end)

test.level("the gate is open by day and closed at night, and nobody is locked out", { level = "hamlet", maxTicks = 4000 }, function(t)
  untilTime(t, "12:00")
  t:expect(world.door("gate").state):toBe("open")
  t:expect(isInside(world.character("fritz"))):toBe(false)
  untilTime(t, "23:00")
  t:expect(world.door("gate").state):toBe("closed")
  for _, name in ipairs(PEOPLE) do
    t:expect(isInside(world.character(name))):toBe(true)
  end
end)

test.level("all but the guard of the night lie in bed after midnight", { level = "hamlet", maxTicks = 4000 }, function(t)
  untilTime(t, "1:00")
  local beds: { [string]: string } =
    { anna = "bakerBed", bert = "smithBed", cora = "innkeeperBed", fritz = "farmBed", dora = "bunk1" }
  for name, bed in pairs(beds) do
    t:expect(world.character(name):distanceTo(bed)):toBeBelow(0.5)
  end
  t:expect(world.character("emil"):isMoving()):toBe(true)
end)

test.level("who gets a new mind is not late for what is under way", { level = "hamlet", maxTicks = 6000 }, function(t)
  local fritz = world.character("fritz")
  untilTime(t, "6:00")
  fritz:detach()
  untilTime(t, "8:00")
  fritz:attach("villager", { day = "farmer" })
  t:expectEvent("appointment", { within = 10, where = { name = "plough" } })
end)
