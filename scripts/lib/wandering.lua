-- Wandering: strolls to random places around a home, and rests at each.
--
--   local wandering = require("lib/wandering")
--   function cat:run()
--     while true do
--       wandering.stroll(self, { home = "basket", within = 4, rest = { 1, 4 } })
--     end
--   end
--
-- Every number is drawn from self.rng: the same seed gives the same strolls, whatever other characters there are.

local alert = require("lib/alert")

local wandering = {}

---@class WanderPlan
---@field home? Place       the middle of the ground it keeps to; default: anywhere
---@field within? number    metres around the home; default 6
---@field area? string      the navigation area it keeps to
---@field rest? number[]    seconds at each place, least and most; default { 1, 4 }
---@field hurry? number     how often it runs, from 0 (default) to 1
---@field doors? string     what to do about closed doors; default: the character's own setting
---@field wake? string[]    keys of its blackboard; a change of one ends the stroll at once

type WanderPlan = {
  home: Place?,
  within: number?,
  area: AreaName?,
  rest: { number }?,
  hurry: number?,
  doors: ("avoid" | "open" | "wait")?,
  wake: { string }?,
}

-- One stroll: a place, the way there, a rest.
---@async
---@param self Behaviour
---@param plan WanderPlan
---@return string? woke        the key that changed, if one did
---@return WalkResult? result  how the walk ended; nil when there was no place to go, or it was woken on the way
function wandering.stroll(self: Behaviour, plan: WanderPlan): (string?, WalkResult?)
  local place = nav.randomPoint({
    area = plan.area,
    around = plan.home,
    within = plan.home and (plan.within or 6) or nil,
    reachableFrom = self.character,
    rng = self.rng,
  })
  local rest: { number } = plan.rest or { 1, 4 }
  if not place then
    return alert.rest(self, plan.wake, math.max(0.5, rest[2])), nil
  end
  local gait: "run" | "walk" = if self.rng:chance(plan.hurry or 0) then "run" else "walk"
  local walk = self.character:walkTo(place, { gait = gait, doors = plan.doors })
  local woke, result = alert.unless(self, plan.wake, walk)
  if woke then
    return woke, nil
  end
  return alert.rest(self, plan.wake, rest[1], rest[2]), result
end

return wandering
