-- Tests of the arena. Run with: walkon test scripts/arena_test.lua

local turns = require("lib/turns")

local AT_ONCE = 3

test.level("everybody gets a turn, and never more than three at once", { level = "arena", maxTicks = 20000 }, function(t)
  local attackers = world.characters({ tag = "attacker" })
  t:expect(#attackers):toBeAbove(19)
  t:always(function()
    local striking = 0
    for _, attacker in ipairs(attackers) do
      if attacker.animation == "strike" then
        striking = striking + 1
      end
    end
    t:expect(striking):toBeBelow(AT_ONCE + 1)
    t:expect(#turns.holders("attackers")):toBeBelow(AT_ONCE + 1)
  end)
  t:until_(function()
    return level.outcome ~= nil
  end, { timeout = 300 })
  t:expect(assert(level.outcome).ok):toBe(true)
  for _, attacker in ipairs(attackers) do
    t:expect(state.strikes[attacker.name] or 0):toBeAbove(1)
  end
end)

test.level("nobody has three turns before everybody had one", { level = "arena", seeds = 3, maxTicks = 20000 }, function(t)
  local waiting = #world.characters({ tag = "attacker" })
  local seen: { [string]: number } = {}
  while waiting > 0 do
    local e = t:expectEvent("struck", { within = 60 })
    seen[e.by] = (seen[e.by] or 0) + 1
    if seen[e.by] == 1 then
      waiting = waiting - 1
    end
    t:expect(seen[e.by]):toBeBelow(3)
  end
end)

test.level("those who wait keep their distance", { level = "arena", maxTicks = 4000 }, function(t)
  t:run(15) -- they have found their places
  local player = assert(world.player())
  for _ = 1, 20 do
    t:run(1)
    local close = 0
    for _, attacker in ipairs(world.characters({ tag = "attacker" })) do
      if attacker:distanceTo(player) < 2 then
        close = close + 1
      end
    end
    t:expect(close):toBeBelow(2 * AT_ONCE + 1) -- the attackers, and those on their way back
  end
end)
