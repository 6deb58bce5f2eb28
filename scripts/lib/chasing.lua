-- Chasing: runs after a character until it is caught, lost, or behind a door.
--
--   local chasing = require("lib/chasing")
--   local outcome, result = chasing.after(self, intruder, { loseBeyond = 14, loseAfter = 4 })
--   if outcome == "lost" then
--     self.character:walk(result.goal) -- where the intruder was seen last
--   end

local chasing = {}

---@class ChasePlan
---@field catch? number       metres, centre to centre, that count as caught; default 1.2
---@field loseBeyond? number  metres; farther away than this for `loseAfter` seconds is out of sight; default 14
---@field loseAfter? number   seconds; default 4
---@field doors? string       what to do about closed doors; default "open"
---@field keys? string[]      keys carried, for doors = "open"
---@field patience? number    seconds without a way before it gives up; default 3

type ChasePlan = {
  catch: number?,
  loseBeyond: number?,
  loseAfter: number?,
  doors: ("avoid" | "open" | "wait")?,
  keys: { string }?,
  patience: number?,
}

-- How a chase ends:
--   "caught"   close enough, and the other one stands
--   "lost"     out of sight, or gone from the level; result.goal is where it was last
--   "barred"   a closed door is in the way; result.by is that door
--   "givenUp"  no way, or stuck; result says why
--   "stopped"  something else took the character: a scene, another walk
---@alias ChaseOutcome "caught"|"lost"|"barred"|"givenUp"|"stopped"
type ChaseOutcome = "caught" | "lost" | "barred" | "givenUp" | "stopped"

---@async
---@param self Behaviour
---@param target Character
---@param plan ChasePlan?
---@return ChaseOutcome outcome
---@return WalkResult? result  nil when the target was gone from the start
function chasing.after(self: Behaviour, target: Character, plan: ChasePlan?): (ChaseOutcome, WalkResult?)
  local plan: ChasePlan = plan or {}
  if not target.alive then
    return "lost", nil
  end
  local result = self.character
    :follow(target, {
      gait = "run",
      distance = plan.catch or 1.2,
      doors = plan.doors or "open",
      keys = plan.keys,
      patience = plan.patience or 3,
      loseBeyond = plan.loseBeyond or 14,
      loseAfter = plan.loseAfter or 4,
    })
    :wait()
  return chasing.outcome(result), result
end

-- What the end of a `follow` means for the chaser.
---@param result WalkResult
---@return ChaseOutcome
function chasing.outcome(result: WalkResult): ChaseOutcome
  if result.ok then
    return "caught"
  elseif result.reason == "targetGone" then
    return "lost"
  elseif result.reason == "doorClosed" then
    return "barred"
  elseif result.status == "cancelled" then
    return "stopped"
  end
  return "givenUp"
end

return chasing
