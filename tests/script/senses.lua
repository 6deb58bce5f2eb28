-- What senses promise to scripts, run by senses.rs.

local conditions = require("lib/conditions")
local vigil = require("lib/vigil")

local function at(x, z)
  return vector.create(x, 0, z)
end

-- Enough of a behaviour for conditions.
local function mind()
  local guard = world.character("guard")
  return { character = guard, blackboard = guard.blackboard }, guard, world.player()
end

test.level("a question says why something is not seen, at the boundary", { level = "hide" }, function(t)
  local _, guard, player = mind()
  local function why(target, options)
    local look = sense.see(guard, target, options)
    t:expect(look.seen):toBe(look.reason == nil)
    return look.reason
  end
  t:expect(why(player, { range = 3 })):toBe(nil)
  t:expect(why(player, { range = 2.99 })):toBe("tooFar")
  t:expect(sense.see(guard, player).distance):toBeNear(3, 1e-6)
  t:expect(why(at(8, 13), { degrees = 90.1 })):toBe(nil)
  t:expect(why(at(8, 13), { degrees = 89.9 })):toBe("outOfView")
  t:expect(why(at(2, 10), { degrees = 359 })):toBe("outOfView")
  t:expect(why(at(2, 10), { degrees = 360 })):toBe(nil)
  t:expect(why(at(14, 10), { range = 20 })):toBe("blocked") -- the wall
  t:expect(why(at(14, 4), { range = 20 })):toBe(nil)        -- over the low table
  t:expect(why(at(33, 18), { range = 50 })):toBe("blocked") -- beyond the map
end)

test.level("a closed door hides, an open one does not, whether or not one may walk there", { level = "hide" }, function(t)
  local _, guard, player = mind()
  guard:teleport(at(18, 10), { facing = math.pi / 2 })
  player:teleport(at(24, 10))
  t:expect(sense.see(guard, player).reason):toBe("blocked")
  t:expect(nav.lineOfWalk(guard, player)):toBe(false)
  world.door("gate"):open():wait()
  t:ticks(2)
  t:expect(sense.see(guard, player).reason):toBe(nil)
  world.door("gate"):close():wait()
  t:ticks(2)
  t:expect(sense.see(guard, player).reason):toBe("blocked")
  t:expect(sense.see(guard, at(17, 4)).reason):toBe("outOfView")
end)

test.level("reeds hide though one walks in them, and blocks of scripts hide", { level = "hide" }, function(t)
  local _, guard, player = mind()
  guard:teleport(at(2, 17), { facing = math.pi / 2 })
  player:teleport(at(8, 17))
  t:expect(sense.see(guard, player).reason):toBe("blocked")
  t:expect(nav.lineOfWalk(guard, player)):toBe(true)
  guard:teleport(at(2, 13))
  player:teleport(at(8, 13))
  t:expect(sense.see(guard, player).seen):toBe(true)
  local block = nav.block(at(5, 13), 0.5)
  t:ticks(2)
  t:expect(sense.see(guard, player).reason):toBe("blocked")
  block:remove()
  t:ticks(2)
  t:expect(sense.see(guard, player).seen):toBe(true)
end)

test.level("a noise is heard as far as it reaches, for half a second", { level = "hide" }, function(t)
  local _, guard, player = mind()
  t:expect(sense.hear(guard).reason):toBe("silent")
  player:emitNoise(3)
  local noise = sense.hear(guard)
  t:expect(noise.heard):toBe(true)
  t:expect(noise.character):toBe(player)
  t:expect(noise.position):toBeNear(player.position, 1e-6)
  t:expect(noise.distance):toBeNear(3, 1e-6)
  t:expect(noise.age):toBe(0)
  t:expect(sense.hear(guard, { range = 2.99 }).reason):toBe("tooFar")
  t:expect(sense.hear(player).reason):toBe("silent") -- nobody hears their own
  local other = world.spawn({ name = "bell", at = at(5, 14) })
  other:emitNoise(30)
  t:expect(sense.hear(guard).character):toBe(other) -- the one it stands farthest inside
  t:run(0.4)
  t:expect(sense.hear(guard).age):toBeNear(0.4, 0.05)
  t:run(0.3)
  t:expect(sense.hear(guard).reason):toBe("silent")
  player:emitNoise(2.99)
  t:expect(sense.hear(guard).reason):toBe("tooFar")
end)

test.level("a watch notices, loses a little farther away, and remembers", { level = "hide" }, function(t)
  local _, guard, player = mind()
  player:teleport(at(8.2, 10))
  local told = {}
  local watch = sense.watch(guard, player, {
    range = 3,
    memory = 1,
    onNotice = function(e) table.insert(told, "notice " .. e.character.name) end,
    onLose = function(e) table.insert(told, "lose " .. e.reason) end,
  })
  t:ticks(3)
  t:expect(told):toEqual({})
  t:expect(watch.lastSeen):toBe(nil)
  player:teleport(at(8, 10))
  t:ticks(2)
  t:expect(told):toEqual({ "notice player" })
  t:expect(watch:sees(player)):toBe(true)
  t:expect(watch:seen()):toEqual({ player })
  t:expect(watch.lastSeen.age):toBe(0)
  player:teleport(at(8.29, 10)) -- within a tenth more
  t:ticks(3)
  t:expect(#told):toBe(1)
  t:expect(watch.lastSeen.seen):toBe(true)
  player:teleport(at(8.4, 10))
  t:ticks(2)
  t:expect(told):toEqual({ "notice player", "lose tooFar" })
  t:expect(watch:sees(player)):toBe(false)
  t:expect(watch.lastSeen.position):toBeNear(at(8.29, 10), 1e-5)
  t:run(0.8)
  t:expect(watch.lastSeen.age):toBeNear(0.85, 0.1)
  t:run(0.4)
  t:expect(watch.lastSeen):toBe(nil) -- forgotten
  t:expect(watch.character):toBe(guard)
end)

test.level("a question with memory knows what a watch of the same character saw", { level = "hide" }, function(t)
  local _, guard, player = mind()
  local function look(memory)
    return sense.see(guard, player, { range = 3, memory = memory })
  end
  t:expect(look(5).age):toBe(0)
  t:expect(look(5).remembered):toBe(false) -- it is in sight
  player:teleport(at(8.4, 10))
  t:ticks(2)
  t:expect(look(5).remembered):toBe(false) -- nobody watched
  player:teleport(at(8, 10))
  local watch = sense.watch(guard, player, { range = 3, memory = 2 })
  t:ticks(2)
  player:teleport(at(9, 10))
  t:ticks(1)
  t:run(1)
  t:expect(look().remembered):toBe(false) -- was not asked to
  t:expect(look().position):toBeNear(at(9, 10), 1e-6)
  local found = look(1.5)
  t:expect(found.seen):toBe(false)
  t:expect(found.reason):toBe("tooFar")
  t:expect(found.remembered):toBe(true)
  t:expect(found.age):toBeNear(1, 0.1)
  t:expect(found.position):toBeNear(at(8, 10), 1e-6)
  t:expect(found.distance):toBeNear(3, 1e-6)
  local ticks = math.round(found.age * level.tickRate)
  t:expect(look(ticks / level.tickRate).remembered):toBe(true) -- at the boundary
  t:expect(look((ticks - 1) / level.tickRate).remembered):toBe(false)
  t:expect(sense.see(player, guard, { range = 1, memory = 5 }).remembered):toBe(false) -- the watch is the guard's
  t:expect(sense.see(guard, at(8, 10), { range = 1, memory = 5 }).remembered):toBe(false) -- a place is nobody
  t:run(1.2)
  t:expect(look(5).remembered):toBe(false) -- its watch has forgotten
  t:expect(look(5).age):toBe(nil)
  watch:remove()
end)

test.level("a watch loses who is hidden, leaves the view, or goes", { level = "hide" }, function(t)
  local _, guard, player = mind()
  local told = {}
  local watch = sense.watch(guard, { tag = "player" }, {
    range = 30,
    degrees = 90,
    onNotice = function(e) table.insert(told, "notice") end,
    onLose = function(e) table.insert(told, e.reason) end,
  })
  t:ticks(2)
  player:teleport(at(14, 10))
  t:ticks(2)
  player:teleport(at(8, 12.9))
  t:ticks(2)
  guard:face(-math.pi / 2):wait()
  t:ticks(2)
  guard:face(math.pi / 2):wait()
  t:ticks(2)
  watch:disable()
  t:ticks(2)
  t:expect(watch:sees(player)):toBe(false)
  watch:enable()
  t:ticks(2)
  player:despawn()
  t:ticks(2)
  t:expect(told):toEqual({ "notice", "blocked", "notice", "outOfView", "notice", "notice", "gone" })
  watch:remove()
end)

test.level("a watch hears its target, once for each noise", { level = "hide" }, function(t)
  local _, guard, player = mind()
  player:emitNoise(50) -- before it listens
  local heard = 0
  sense.watch(guard, player, {
    range = 0,
    hearing = 3,
    onHear = function(e)
      heard += 1
      t:expect(e.loudness):toBe(20)
    end,
  })
  t:ticks(3)
  t:expect(heard):toBe(0)
  player:emitNoise(20)
  t:ticks(5)
  t:expect(heard):toBe(1)
  player:teleport(at(8.1, 10))
  player:emitNoise(20)
  t:ticks(5)
  t:expect(heard):toBe(1)
end)

test.level("looks are shared out in turn", { level = "busy" }, function(t)
  local _, guard, player = mind()
  local noticed = {}
  for index = 1, 5 do
    sense.watch(guard, player, { onNotice = function() table.insert(noticed, { index, level.tick }) end })
  end
  local first = level.tick
  t:ticks(8)
  t:expect(#noticed):toBe(5)
  for index, entry in ipairs(noticed) do
    t:expect(entry):toEqual({ index, first + index - 1 })
  end
end)

test.level("each condition holds up to its boundary", { level = "hide" }, function(t)
  local self, guard, player = mind()
  local board = self.blackboard
  local function holds(condition, expected)
    t:expect(condition(self)):toBe(expected)
  end
  holds(conditions.hasTarget, false)
  holds(conditions.targetWithin(3), false)
  holds(conditions.sees(), false)
  board:set("target", player)
  holds(conditions.hasTarget, true)
  holds(conditions.targetWithin(3), true)
  holds(conditions.targetWithin(2.99), false)

  holds(conditions.sees(), true)
  holds(conditions.sees({ range = 3 }), true)
  holds(conditions.sees({ range = 2.99 }), false)
  player:teleport(at(5, 13)) -- to its right hand
  t:ticks(1)
  holds(conditions.sees({ degrees = 180 }), true)
  holds(conditions.sees({ degrees = 179.9 }), false)
  local watch = sense.watch(guard, player, { degrees = 360 })
  t:ticks(1)
  holds(conditions.sees({ degrees = 179.9, memory = 0.5 }), true)
  watch:remove()
  holds(conditions.sees({ degrees = 179.9, memory = 0.5 }), false)
  player:teleport(at(14, 10))
  t:ticks(1)
  holds(conditions.sees({ range = 20 }), false) -- behind the wall
  player:teleport(at(8, 10))
  t:ticks(1)

  holds(conditions.healthBelow(1), false)
  board:set("health", 20)
  holds(conditions.healthBelow(0.2), false)
  board:set("health", 19.99)
  holds(conditions.healthBelow(0.2), true)
  board:set("maxHealth", 50)
  holds(conditions.healthBelow(0.2), false)

  holds(conditions.hasGoal, false)
  holds(conditions.hasArrived(), false)
  board:set("goal", at(5.5, 10))
  holds(conditions.hasGoal, true)
  holds(conditions.hasArrived(), true)
  board:set("goal", at(5.51, 10))
  holds(conditions.hasArrived(), false)
  holds(conditions.hasArrived(0.6), true)

  holds(conditions.canAttack({ reach = 2.99 }), false)
  local strike = conditions.canAttack({ reach = 3, cooldown = 0.5 })
  holds(strike, true)
  conditions.attacked(self)
  t:ticks(level.tickRate / 2 - 1)
  holds(strike, false)
  t:ticks(1)
  holds(strike, true)

  holds(conditions.heardNoise(3), false)
  player:emitNoise(3)
  holds(conditions.heardNoise(2.99), false)
  holds(conditions.heardNoise(3), true)
  holds(conditions.heardNoise(), true)
  t:run(0.7)
  holds(conditions.heardNoise(), false)
  board:set("noise", at(1, 1))
  holds(conditions.heardNoise(), true)

  holds(conditions.waitOver, true)
  conditions.beginWait(self, 0.5)
  t:ticks(level.tickRate / 2 - 1)
  holds(conditions.waitOver, false)
  t:ticks(1)
  holds(conditions.waitOver, true)

  holds(conditions.hasWanderDestination, false)
  board:set("wander", at(2, 2))
  holds(conditions.hasWanderDestination, true)

  holds(conditions.hasValidPath, false)
  local walk = guard:walkTo(at(2, 4))
  holds(conditions.hasValidPath, false) -- not planned yet
  t:ticks(2)
  holds(conditions.hasValidPath, true)
  walk:wait()
  holds(conditions.hasValidPath, false)

  player:despawn()
  holds(conditions.hasTarget, false)
end)

test.level("every setting of a guard has a default and can be said otherwise", { level = "guarded" }, function(t)
  local sentry = world.character("sentry")
  t:expect(sentry.behaviour.params.angle):toBe(120) -- the level says so
  t:expect(sentry.behaviour.params.engage):toBe(4)
  local given: { [string]: any } = {}
  local defaults = {
    enemy = "player", vision = 12, angle = 180, hearing = 15, engage = 10, reach = 1.5,
    cooldown = 1, damage = 10, fleeBelow = 0.2, investigate = 5,
  }
  sentry:attach("sentry")
  t:ticks(2)
  for name, param in pairs(vigil.params()) do
    t:expect(defaults[name]):toBe(param.default)
    t:expect(sentry.behaviour.params[name]):toBe(param.default)
    given[name] = if type(param.default) == "string" then "thief" else param.default / 2
  end
  sentry:attach("sentry", given)
  t:ticks(2)
  for name, value in pairs(given) do
    t:expect(sentry.behaviour.params[name]):toBe(value)
  end
end)

test.level("a guard goes through its modes", { level = "guarded", maxTicks = 6000 }, function(t)
  local sentry, player = world.character("sentry"), world.player()
  local board = sentry.blackboard
  t:ticks(2)
  t:expect(board:get("mode")):toBe("patrol")

  player:emitNoise(20) -- behind it, out of view
  t:expectEvent("mode", { where = { mode = "investigate" } })
  t:expectEvent("mode", { where = { mode = "combat" }, within = 20 })
  t:expectEvent("struck", { where = { who = player }, within = 20 })

  board:set("health", 20) -- exactly a fifth is not below
  t:run(0.5)
  t:expect(board:get("mode")):toBe("combat")
  board:set("health", 19)
  t:expectEvent("mode", { where = { mode = "flee" } })
  t:until_(function() return sentry:distanceTo(player) > 6 end, { timeout = 20 })

  board:set("health", 0)
  t:expectEvent("mode", { where = { mode = "dead" } })
end)

test.level("vigil names a mode for everything it knows", { level = "hide" }, function(t)
  local self, _, player = mind()
  local board = self.blackboard
  local function expect(mode)
    t:expect(vigil.mode(self)):toBe(mode)
  end
  self.params = { fleeBelow = 0.2, engage = 3 }
  expect("idle")
  self.params.route = "rounds"
  expect("patrol")
  board:set("noise", at(1, 1))
  expect("investigate")
  board:set("target", player)
  expect("combat")
  self.params.engage = 2.99
  expect("investigate")
  board:set("health", 20)
  expect("investigate")
  board:set("health", 19.9)
  expect("flee")
  board:clear("target")
  expect("investigate")
  board:set("threat", player)
  expect("flee")
  board:set("health", 0)
  expect("dead")
end)
