-- What the courtyard promises. Run with: walkon test scripts/courtyard_test.lua

test.level("the visitor is led before the regent and heard", { level = "courtyard", maxTicks = 5400 }, function(t)
  local player = assert(world.player())
  local scene = t:expectEvent("cinematicStarted", { within = 40 })
  t:expect(scene.name):toBe("audience")
  t:expect(world.isLocked("input")):toBe(true)

  local held = t:expectEvent("audienceHeld", { within = 40, where = { visitor = "player" } })
  t:expect(held.granted):toBe(true)
  t:expect(player:distanceTo("dais")):toBeBelow(1)

  t:until_(function() return cinematic.running("audience") == nil end, { timeout = 5 })
  t:expect(world.isLocked("input")):toBe(false)
  t:expect(world.character("regent").heldBy):toBe(nil)
  t:expect(state.audiences):toBe(1)
end)

test.level("the regent refuses when that is the answer", { level = "courtyard", maxTicks = 5400 }, function(t)
  t:answer("audience.answer", "refuse")
  local held = t:expectEvent("audienceHeld", { within = 60 })
  t:expect(held.granted):toBe(nil)
  t:expect(state.granted):toBe(nil)
end)

test.level("the gate keeps moving and never closes on somebody", { level = "courtyard", maxTicks = 4000 }, function(t)
  local gate = world.door("gate")
  t:always(function()
    if gate.state == "closing" then
      t:expect(#gate:occupants()):toBe(0)
    end
  end)
  for _ = 1, 3 do
    t:until_(function() return gate.state == "open" end, { timeout = 14 })
    t:until_(function() return gate.state == "closed" end, { timeout = 14 })
  end
end)

test.level("the guard makes his rounds", { level = "courtyard", seeds = 3, maxTicks = 7200 }, function(t)
  local guard = world.character("guard")
  local stops = nav.route("rounds")
  for _, stop in ipairs({ stops[2], stops[3], stops[4] }) do
    t:until_(function() return guard:distanceTo(stop) < 1.5 end, { timeout = 40 })
  end
end)
