-- What the plaza promises. Run with: walkon test scripts/plaza_test.lua

test.level("both streams get across, there and back", { level = "plaza", maxTicks = 6000 }, function(t)
  t:until_(function()
    return (state.crossings or 0) >= 40
  end, { timeout = 90 })
end)

test.level("anyone who queues at the booth comes in once it opens", { level = "plaza", maxTicks = 3000 }, function(t)
  t:run(5)
  for i = 1, 5 do
    t:expect(world.character("visitor" .. i).position.x):toBeBelow(28)
  end
  local seated = {}
  for _ = 1, 5 do
    seated[t:expectEvent("seated", { within = 30 }).who] = true
  end
  for i = 1, 5 do
    t:expect(seated["visitor" .. i]):toBe(true)
  end
end)

test.level("the player is never asked aside, so the porter waits until the alley is free", { level = "plaza", maxTicks = 3600 }, function(t)
  local player = assert(world.player())
  local stood = player.position
  local held = t:expectEvent("held", { within = 14 })
  t:expect(held.by):toBe("player")
  t:expect(player:distanceTo(stood)):toBeBelow(0.5)
  t:expectEvent("delivered", { within = 40 })
end)

test.level("the gardener gets past the busker", { level = "plaza", maxTicks = 3600 }, function(t)
  t:expectEvent("inTheGarden", { within = 30 })
end)
