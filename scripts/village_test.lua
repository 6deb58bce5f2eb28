-- What the village promises. Run with: walkon test scripts/village_test.lua

local BRIDGE = vector.create(11.5, 0, 9.5)
local INSIDE_THE_BARN = vector.create(4.5, 0, 14.5)

test.level("before the bridge one wades the ford, after it nobody does", { level = "village", maxTicks = 3600 }, function(t)
  local before = nav.findPath("well", "field")
  t:expect(before.status):toBe("complete")
  t:expect(before.cost):toBeAbove(before.length) -- the ford costs twice its metres
  t:expect(assert(nav.tileAt(BRIDGE)).terrain):toBe("water")
  t:expect(assert(nav.tileAt(BRIDGE)).navigable):toBe(false)

  local built = t:expectEvent("bridgeBuilt", { within = 30 })
  t:expect(built.cost):toBe(1)
  t:run(4) -- the mason steps aside
  t:expect(assert(nav.tileAt(BRIDGE)).terrain):toBe("bridge")
  local after = nav.findPath("well", "field")
  t:expect(after.length):toBeBelow(before.length / 2)
  t:expect(after.cost):toBeBelow(after.length + 0.01)
end)

test.level("those on the way take the bridge as soon as it stands", { level = "village", maxTicks = 5400 }, function(t)
  local anna = world.character("anna")
  t:expectEvent("bridgeBuilt", { within = 30 })
  t:until_(function() return anna.position.z < 8 end, { timeout = 40 })
  t:until_(function() return anna.position.z > 11.2 end, { timeout = 40 })
  t:expect(anna.position.x):toBeBelow(14) -- not at the ford, which lies at 20
end)

test.level("a wall that is broken is a way in, and keeps its terrain", { level = "village", maxTicks = 3600 }, function(t)
  local closed = nav.findPath("barnSide", INSIDE_THE_BARN)
  t:expect(closed.status):toBe("partial")
  local broken = t:expectEvent("wallBroken", { within = 20 })
  t:expect(broken.terrain):toBe("rock")
  t:expectEvent("fed", { within = 20 })
  t:expect(assert(nav.tileAt(INSIDE_THE_BARN)).terrain):toBe("ground")
end)

test.level("bertha goes through her door", { level = "village", maxTicks = 3600 }, function(t)
  local bertha = world.character("bertha")
  t:until_(function() return bertha.position.x > 8.5 end, { timeout = 30 })
  t:until_(function() return bertha:distanceTo("hearth") < 1 end, { timeout = 50 })
end)
