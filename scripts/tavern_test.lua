-- What the tavern promises. Run with: walkon test scripts/tavern_test.lua

test.level("what Tiled drew is what stands there", { level = "tavern", maxTicks = 60 }, function(t)
  t:expect(world.door("kitchenDoor").locked):toBe(true)
  t:expect(world.door("frontDoor").state):toBe("closed")
  t:expect(assert(world.player()).position):toBeNear(vector.create(0.5, 0, 6.5), 0.1)
  t:expect(nav.mark("bar").position):toBeNear(vector.create(11.5, 0, 4), 0.01)
end)

test.level("a guest comes in through the door and is served", { level = "tavern", maxTicks = 3600 }, function(t)
  local door = world.door("frontDoor")
  t:until_(function() return door.state == "open" end, { timeout = 15 })
  t:until_(function() return state.visits == 1 end, { timeout = 15 })
  t:until_(function() return state.served end, { timeout = 30 })
end)

test.level("nobody else gets into the kitchen", { level = "tavern", maxTicks = 1200 }, function(t)
  local result = assert(world.player()):walkTo("hearth", { doors = "open" }):wait()
  t:expect(result.ok):toBe(false)
  t:expect(assert(world.player()):distanceTo("hearth")):toBeAbove(2)
end)
