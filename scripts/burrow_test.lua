-- Three sizes, three ways. Run with: walkon test scripts/burrow_test.lua

test.level("each takes the way that fits", { level = "burrow", maxTicks = 3000 }, function(t)
  for _ = 1, 3 do
    t:expect(t:expectEvent("there", { within = 40 }).reason):toBe("reached")
  end
  t:expect(state.ways.mouse):toBe("inCrack")
  t:expect(state.ways.man):toBe("inPassage")
  t:expect(state.ways.giant):toBe("inGateway")
end)

test.level("nobody comes nearer to a wall than the radius", { level = "burrow", maxTicks = 3000 }, function(t)
  local giant, man = world.character("giant"), world.character("man")
  t:always(function()
    local p, q = giant.position, man.position
    if p.x > 6 and p.x < 14 then
      t:expect(p.z):toBeAbove(15 + 1.2 - 0.02)
      t:expect(p.z):toBeBelow(18.5 - 1.2 + 0.02)
    end
    if q.x > 6 and q.x < 14 then
      t:expect(q.z):toBeAbove(4 + 0.5 - 0.02)
      t:expect(q.z):toBeBelow(5.4 - 0.5 + 0.02)
    end
  end)
  t:run(25)
end)

test.level("anyone who is too wide for what is left waits at the gate", { level = "burrow", maxTicks = 3000 }, function(t)
  world.door("gate"):close()
  t:run(2)
  local giant = world.character("giant")
  local walk = giant:walkTo("stable", { patience = 3 })
  local result = walk:wait()
  t:expect(result.reason):toBe("nearest")
  t:expect(giant.position.x):toBeBelow(6)
  world.door("gate"):open()
  t:run(2)
  t:expectWalk(giant, "stable", { reason = "reached", within = 30 })
end)
