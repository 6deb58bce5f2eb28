-- Guarding: patrol, chase and investigation put together, for characters that keep watch over something.
--
--   local guarding = require("lib/guarding")
--   function watchman:start()
--     guarding.watch(self, { sight = 7, filter = "thief" })
--   end
--   watchman.on = { alarm = function(self, e) guarding.hear(self, e.at, 12) end }
--   function watchman:run()
--     while true do
--       guarding.duty(self, { route = self.params.route })
--     end
--   end
--
-- What it knows stands on its blackboard: "intruder", a character in sight, and "noise", a place worth a look.
-- Both fade. `scripts/behaviours/guard.lua` is the same in one file, to be read and changed.

local alert = require("lib/alert")
local chasing = require("lib/chasing")
local patrolling = require("lib/patrolling")

local guarding = {}

local WAKE = { "intruder", "noise" }

---@class GuardSight
---@field sight number     metres
---@field filter? Filter   which characters are intruders; default: the player

---@class GuardPlan
---@field route string|Place[]  where it patrols
---@field pause? number         seconds at each stop
---@field chase? ChasePlan      how it chases
---@field patience? number

type GuardPlan = { route: RouteName | { Place }, pause: number?, chase: any, patience: number? }

-- Keeps an eye out: puts an intruder that comes into sight along a walkable line on the blackboard. From `start`.
---@param self Behaviour
---@param eyes GuardSight
---@return Watch
function guarding.watch(self: Behaviour, eyes: { sight: number, filter: Filter? }): Watch
  return region.near(self.character, eyes.sight, {
    filter = eyes.filter or "player",
    lineOfWalk = true,
    initial = true,
    onEnter = function(e: RegionEvent)
      self.blackboard:set("intruder", e.character, { ttl = 10 })
    end,
  })
end

-- Hears something at a place, when that is close enough.
---@param self Behaviour
---@param place Place
---@param within number  metres
function guarding.hear(self: Behaviour, place: Place, within: number)
  if self.character:distanceTo(place) < within then
    self.blackboard:set("noise", place, { ttl = 15 })
  end
end

-- The most urgent thing there is to do: chase, look into a noise, or walk one leg of the patrol.
-- Emits "alarm" { at, by } when a chase begins and "caught" { who, by } when it ends well.
---@async
---@param self Behaviour
---@param plan GuardPlan
---@return "chase"|"noise"|"patrol" what
---@return string? outcome           of a chase
function guarding.duty(self: Behaviour, plan: GuardPlan): ("chase" | "noise" | "patrol", string?)
  local intruder = self.blackboard:get("intruder")
  local noise = self.blackboard:get("noise")
  if intruder and intruder.alive then
    return "chase", guarding.pursue(self, intruder, plan.chase)
  elseif noise then
    guarding.investigate(self, noise)
    return "noise", nil
  end
  patrolling.leg(self, {
    route = plan.route,
    pause = plan.pause,
    doors = "open",
    keys = plan.chase and plan.chase.keys or nil,
    patience = plan.patience,
    wake = WAKE,
  })
  return "patrol", nil
end

---@async
---@param self Behaviour
---@param intruder Character
---@param plan ChasePlan?
---@return ChaseOutcome
function guarding.pursue(self: Behaviour, intruder: Character, plan: any): string
  event.emit("alarm", { at = intruder.position, by = self.character })
  local outcome, result = chasing.after(self, intruder, plan)
  if outcome == "caught" then
    event.emit("caught", { who = intruder, by = self.character })
    self.character:play("scold", { seconds = 1.5 }):wait()
  elseif outcome == "lost" and result then
    self.blackboard:set("noise", result.goal, { ttl = 8 })
  else
    self.log.info("the chase is over: %s", result)
    task.sleep(1)
  end
  self.blackboard:clear("intruder")
  return outcome
end

-- Runs to a place and looks around, unless an intruder turns up.
---@async
---@param self Behaviour
---@param place Place
function guarding.investigate(self: Behaviour, place: Place)
  local walk = self.character:walkTo(place, { gait = "run", doors = "open", radius = 1, accept = "nearest" })
  local woke, result = alert.unless(self, { "intruder" }, walk)
  if not woke and result.ok then
    self.character:play("lookAround", { seconds = 2 }):wait()
  end
  self.blackboard:clear("noise")
end

return guarding
