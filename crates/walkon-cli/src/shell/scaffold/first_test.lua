-- Tests of the first level. Run with: walkon test
-- Every test runs headlessly on the game clock, twice, and both runs must give the same hashes.

test.level("a friend is let in", { level = "first" }, function(t)
  local e = t:expectEvent("welcomed", { within = 40 })
  t:expect(e.answer):toBe("friend")
  t:expect(world.door("gate").state):toBe("open")
  t:expect(world.isLocked("input")):toBe(false)
end)

test.level("a stranger is not", { level = "first" }, function(t)
  t:answer("welcome.answer", "stranger")
  t:expectEvent("welcomed", { within = 60 })
  t:expect(world.door("gate").state):toBe("closed")
end)

test.level("the guard walks the whole round", { level = "first", seeds = 5, maxTicks = 6000 }, function(t)
  local guard = world.character("guard")
  t:until_(function()
    return guard.behaviour.state.rounds > 0
  end, { timeout = 90 })
end)

test.level("watched or skipped, the welcome leaves the same world", {
  level = "first",
  variants = { "watched", "skipped" },
}, function(t, variant)
  t:expectEvent("cinematicStarted", { within = 40 })
  local scene = assert(cinematic.running("welcome"))
  if variant == "skipped" then
    t:expect(scene:skip()):toBe(true)
  end
  t:expect(scene:wait().outcome):toBe("finished")
  return { -- must be equal for every variant
    gate = world.door("gate").state,
    visitor = world.character("visitor").position,
    welcomed = state.welcomed,
  }
end)
