-- The level script of the arena: two dozen attackers around one gladiator. They take turns: three strike, the others wait.
-- The level ends well when everybody has struck twice.

local ENOUGH = 2 -- strikes of each
local TOO_LONG = 240 -- seconds
local AT_ONCE = 3

-- How many of the attackers have struck often enough.
---@return integer done, integer attackers
local function tally()
  local done, attackers = 0, world.characters({ tag = "attacker" })
  for _, attacker in ipairs(attackers) do
    if (state.strikes[attacker.name] or 0) >= ENOUGH then
      done = done + 1
    end
  end
  return done, #attackers
end

---@param why string
function onStart(why: string)
  event.on("struck", "struck")
  blackboard.group("attackers"):set("most", AT_ONCE)
  if why == "start" then
    state.strikes = {}
    state.total = 0
    timer.after(TOO_LONG, "tooLong")
  end
end

---@param e { by: string }
function struck(e)
  state.strikes[e.by] = (state.strikes[e.by] or 0) + 1
  state.total = state.total + 1
  local done, attackers = tally()
  if done == attackers then
    log.info("everybody had %d turns", ENOUGH)
    level.finish(true, string.format("%d attackers, %d strikes", attackers, state.total))
  end
end

function tooLong()
  local done, attackers = tally()
  level.finish(false, string.format("%d of %d attackers had their turns", done, attackers))
end
