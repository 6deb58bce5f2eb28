-- Conditions: what trees of behaviours ask most often, one function each.
--
--   local conditions = require("lib/conditions")
--   sentry.tree = bt.selector({
--     reactive = true,
--     bt.when(conditions.healthBelow(0.2), bt.action(sentry.flee)),
--     bt.when(conditions.canAttack({ reach = 1.5, cooldown = 1 }), bt.action(sentry.attack)),
--     bt.when(conditions.hasTarget, bt.action(sentry.chase)),
--     bt.when(conditions.heardNoise(15), bt.action(sentry.look)),
--     bt.wait(1),
--   })
--
-- They read the character's blackboard: "target", a character; "goal" and "wander", places; "health" and "maxHealth",
-- numbers; "noise", a place that a watch heard. Those that need a number are functions that give a condition.

local conditions = {}

---@alias Condition fun(self: Behaviour): boolean
type Condition = (self: Behaviour) -> boolean

---@param self Behaviour
---@return Character?
local function target(self: Behaviour): Character?
  local found = self.blackboard:get("target")
  return found and found.alive and found or nil
end

-- There is a target, and it is still in the level.
---@param self Behaviour
---@return boolean
function conditions.hasTarget(self: Behaviour): boolean
  return target(self) ~= nil
end

-- The target is so many metres away, or fewer.
---@param metres number
---@return Condition
function conditions.targetWithin(metres: number): Condition
  return function(self)
    local found = target(self)
    return found ~= nil and self.character:distanceTo(found) <= metres
  end
end

-- The target is in sight at this moment, as `sense.see` says: `range` metres, `degrees` of view. With `memory` it is also
-- enough that a watch of this character saw it so many seconds ago, or fewer.
---@param plan? { range?: number, degrees?: number, memory?: number }
---@return Condition
function conditions.sees(plan: { range: number?, degrees: number?, memory: number? }?): Condition
  return function(self)
    local found = target(self)
    if found == nil then
      return false
    end
    local look = sense.see(self.character, found, plan)
    return look.seen or look.remembered
  end
end

-- Health is below a share of the whole, 0 to 1; exactly that much is not below. Nobody says "health": it is whole.
---@param share number
---@return Condition
function conditions.healthBelow(share: number): Condition
  return function(self)
    local whole = self.blackboard:get("maxHealth", 100)
    return self.blackboard:get("health", whole) < share * whole
  end
end

-- A place to go to.
---@param self Behaviour
---@return boolean
function conditions.hasGoal(self: Behaviour): boolean
  return self.blackboard:has("goal")
end

-- The target is within reach, and the last attack is long enough ago. Say `conditions.attacked(self)` when you attack.
---@param plan { reach: number, cooldown?: number }  metres; seconds, default 1
---@return Condition
function conditions.canAttack(plan: { reach: number, cooldown: number? }): Condition
  local near = conditions.targetWithin(plan.reach)
  return function(self)
    local last = self.blackboard:get("attackedAt")
    return near(self) and (last == nil or level.time - last >= (plan.cooldown or 1) - 1e-9)
  end
end

---@param self Behaviour
function conditions.attacked(self: Behaviour)
  self.blackboard:set("attackedAt", level.time)
end

-- A noise within so many metres, in the air or noted on the blackboard; without a number, any that reaches it.
---@param metres number?
---@return Condition
function conditions.heardNoise(metres: number?): Condition
  return function(self)
    return self.blackboard:has("noise") or sense.hear(self.character, { range = metres }).heard
  end
end

-- The wait begun by `conditions.beginWait` is over; one that never began is.
---@param self Behaviour
---@return boolean
function conditions.waitOver(self: Behaviour): boolean
  return level.time >= self.blackboard:get("waitUntil", 0) - 1e-9
end

---@param self Behaviour
---@param seconds number
function conditions.beginWait(self: Behaviour, seconds: number)
  self.blackboard:set("waitUntil", level.time + seconds)
end

-- A place to stroll to.
---@param self Behaviour
---@return boolean
function conditions.hasWanderDestination(self: Behaviour): boolean
  return self.blackboard:has("wander")
end

-- The walk under way has found its path.
---@param self Behaviour
---@return boolean
function conditions.hasValidPath(self: Behaviour): boolean
  local walk = self.character.currentWalk
  return walk ~= nil and walk.state ~= "planning" and walk.state ~= "settled" and #walk:path() > 0
end

-- It stands within so many metres of its goal, default 0.5; without a goal it has not arrived.
---@param metres number?
---@return Condition
function conditions.hasArrived(metres: number?): Condition
  return function(self)
    local goal = self.blackboard:get("goal")
    return goal ~= nil and self.character:distanceTo(goal) <= (metres or 0.5)
  end
end

return conditions
