-- Vigil: a guard with eyes, ears and modes: idle, patrol, investigate, combat, flee, dead.
--
--   local vigil = require("lib/vigil")
--   local sentry = { params = vigil.params({ route = { type = "route", default = "rounds" } }) }
--   function sentry:start() vigil.begin(self) end
--   function sentry:update() vigil.mind(self) end
--   sentry.tree = bt.selector({
--     reactive = true,
--     bt.when(vigil.is("flee"), bt.action(vigil.runAway)),
--     bt.when(vigil.is("combat"), bt.action(vigil.fight)),
--     bt.when(vigil.is("investigate"), bt.action(vigil.investigate)),
--     bt.when(vigil.is("patrol"), bt.action(vigil.patrol)),
--     bt.wait(0.5),
--   })
--
-- What it knows stands on its blackboard: "mode"; "target", an enemy in sight; "noise", a place where one was heard or
-- lost; "threat", the enemy that it lost sight of last; "health" and "maxHealth", which its attacker sets.
-- `scripts/behaviours/sentry.lua` is such a guard.

local conditions = require("lib/conditions")
local patrolling = require("lib/patrolling")

local vigil = {}

---@alias VigilMode "idle"|"patrol"|"investigate"|"combat"|"flee"|"dead"
type VigilMode = "idle" | "patrol" | "investigate" | "combat" | "flee" | "dead"

-- The settings of a guard, with their defaults; `more` adds to them or replaces some.
---@param more table<string, any>?
---@return table<string, any>
function vigil.params(more: { [string]: any }?): { [string]: any }
  local params: { [string]: any } = {
    enemy = { type = "string", default = "player" },                -- tag of those it watches for
    vision = { type = "number", default = 12, min = 0 },            -- metres
    angle = { type = "number", default = 180, min = 0, max = 360 }, -- degrees, the whole field of view
    hearing = { type = "number", default = 15, min = 0 },           -- metres
    engage = { type = "number", default = 10, min = 0 },            -- metres within which it fights
    reach = { type = "number", default = 1.5, min = 0 },            -- metres within which it strikes
    cooldown = { type = "number", default = 1, min = 0 },           -- seconds between two strikes
    damage = { type = "number", default = 10, min = 0 },
    fleeBelow = { type = "number", default = 0.2, min = 0, max = 1 }, -- share of its health
    investigate = { type = "number", default = 5, min = 0 },        -- seconds that it remembers a noise
  }
  for name, param in pairs(more or {}) do
    params[name] = param
  end
  return params
end

-- Opens eyes and ears. From `start`.
---@param self Behaviour
---@return SenseWatch
function vigil.begin(self: Behaviour): SenseWatch
  local board, params = self.blackboard, self.params
  board:set("mode", board:get("mode", "idle"))
  return sense.watch(self.character, { tag = params.enemy }, {
    range = params.vision,
    degrees = params.angle,
    hearing = params.hearing,
    memory = params.investigate,
    onNotice = function(event: SenseEvent)
      board:set("target", event.character)
    end,
    onLose = function(event: SenseEvent)
      if board:get("target") == event.character then
        board:clear("target")
        board:set("noise", event.position, { ttl = params.investigate })
        -- One that runs away turns its back on what it runs from.
        board:set("threat", event.character, { ttl = params.investigate })
      end
    end,
    onHear = function(event: SenseEvent)
      if not board:has("target") then
        board:set("noise", event.position, { ttl = params.investigate })
      end
    end,
  })
end

-- What it runs from when it is badly hurt: its target, or the one that it has just lost sight of.
---@param self Behaviour
---@return Character?
local function threat(self: Behaviour): Character?
  local target = self.blackboard:get("target") or self.blackboard:get("threat")
  return if target and target.alive then target else nil
end

-- Which mode fits what it knows. The first that holds: dead, flee, combat, investigate, patrol, idle.
---@param self Behaviour
---@return VigilMode
function vigil.mode(self: Behaviour): VigilMode
  local params = self.params
  if self.blackboard:get("health", 100) <= 0 then
    return "dead"
  elseif conditions.healthBelow(params.fleeBelow)(self) and threat(self) then
    return "flee"
  elseif conditions.targetWithin(params.engage)(self) then
    return "combat"
  elseif self.blackboard:has("noise") or conditions.hasTarget(self) then
    return "investigate"
  elseif params.route then
    return "patrol"
  end
  return "idle"
end

-- Thinks: sets "mode", and says so as an event "mode" { who, mode, before }. From `update`.
---@param self Behaviour
function vigil.mind(self: Behaviour)
  local before, mode = self.blackboard:get("mode"), vigil.mode(self)
  if mode ~= before then
    self.blackboard:set("mode", mode)
    event.emit("mode", { who = self.character, mode = mode, before = before })
  end
end

-- A condition for `bt.when`.
---@param mode VigilMode
---@return Condition
function vigil.is(mode: VigilMode): (self: Behaviour) -> boolean
  return function(self)
    return self.blackboard:get("mode") == mode
  end
end

-- Runs from its target until that is twice as far as it would fight.
---@async
---@param self Behaviour
function vigil.runAway(self: Behaviour)
  local target = threat(self)
  if target then
    self.character:flee(target, { distance = 2 * self.params.engage, gait = "run", doors = "open" }):wait()
  end
  task.sleep(0.5)
end

-- Closes in on its target and strikes whenever it can: an event "struck" { who, by, damage } each time.
---@async
---@param self Behaviour
function vigil.fight(self: Behaviour)
  local params = self.params
  local canStrike = conditions.canAttack({ reach = params.reach, cooldown = params.cooldown })
  while true do
    local target = self.blackboard:get("target")
    if not (target and target.alive) then
      return
    elseif canStrike(self) then
      self.character:face(target):wait()
      conditions.attacked(self)
      event.emit("struck", { who = target, by = self.character, damage = params.damage })
      self.character:play("strike", { seconds = 0.4 }):wait()
    elseif self.character:distanceTo(target) > params.reach then
      self.character:follow(target, { gait = "run", distance = 0.9 * params.reach, doors = "open" }):wait()
      task.sleep(0.1)
    else
      task.sleep(0.1)
    end
  end
end

-- Goes to where somebody was heard or seen last, and looks around.
---@async
---@param self Behaviour
function vigil.investigate(self: Behaviour)
  local place = self.blackboard:get("noise") or self.blackboard:get("target")
  if place then
    self.character:walkTo(place, { gait = "run", doors = "open", radius = 1, accept = "nearest" }):wait()
    self.character:play("lookAround", { seconds = 1.5 }):wait()
    self.blackboard:clear("noise")
  else
    task.sleep(0.2)
  end
end

-- One leg of its route.
---@async
---@param self Behaviour
function vigil.patrol(self: Behaviour)
  patrolling.leg(self, { route = self.params.route, doors = "open" })
end

return vigil
