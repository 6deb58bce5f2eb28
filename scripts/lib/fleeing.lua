-- Fleeing: runs from a danger until it is far enough away, and does not run against a wall for ever.
--
--   local fleeing = require("lib/fleeing")
--   function cat:run()
--     while true do
--       wandering.stroll(self, { wake = { "danger" } })
--       local danger = self.blackboard:get("danger")
--       if danger then
--         fleeing.from(self, danger, { distance = 6 })
--         self.blackboard:clear("danger")
--       end
--     end
--   end

local fleeing = {}

---@class FleePlan
---@field distance? number  metres from the danger that count as safe; default 8
---@field tries? integer    how often it tries again when it is cornered; default 3
---@field doors? string     what to do about closed doors; default: the character's own setting

type FleePlan = { distance: number?, tries: number?, doors: ("avoid" | "open" | "wait")? }

-- How it ends: "safe"; "cornered", when it cannot get farther away; "stopped", when something else took the character.
---@alias FleeOutcome "safe"|"cornered"|"stopped"

---@async
---@param self Behaviour
---@param danger Character
---@param plan FleePlan?
---@return FleeOutcome
function fleeing.from(self: Behaviour, danger: Character, plan: FleePlan?): "safe" | "cornered" | "stopped"
  local plan: FleePlan = plan or {}
  local distance = plan.distance or 8
  for _ = 1, plan.tries or 3 do
    if not danger.alive or self.character:distanceTo(danger) >= distance then
      return "safe"
    end
    local result = self.character
      :flee(danger, {
        distance = distance,
        gait = "run",
        doors = plan.doors,
      })
      :wait()
    if result.ok then
      return "safe"
    elseif result.status == "cancelled" and result.reason ~= "targetGone" then
      return "stopped"
    end
    -- Cornered: with its back to the wall it looks at the danger, and tries again from there.
    if danger.alive then
      self.character:face(danger):wait()
    end
    task.sleep(self.rng:float(0.4, 0.8))
  end
  return if danger.alive and self.character:distanceTo(danger) < distance then "cornered" else "safe"
end

-- Puts the dangerous character that is near on the blackboard: the key "danger", for as long as it is near. From `start`.
---@param self Behaviour
---@param within number    metres
---@param filter Filter?   which characters are dangerous; default: all
---@return Watch
function fleeing.watch(self: Behaviour, within: number, filter: Filter?): Watch
  local function seen(e: RegionEvent)
    self.blackboard:set("danger", e.character, { ttl = 3 })
  end
  return region.near(self.character, within, {
    filter = filter,
    initial = true,
    onEnter = seen,
    onStay = seen,
    every = 1,
  })
end

return fleeing
