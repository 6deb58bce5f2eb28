-- A thief: strolls from stall to stall, and runs from any character with the badge of the watch.
-- In the level: "behaviour": "thief.lua", "params": { "afraidOf": "watch" }.

local fleeing = require("lib/fleeing")
local wandering = require("lib/wandering")

---@class ThiefState
---@field escapes integer how often it got away

local thief = {
  params = {
    afraidOf = { type = "string", default = "watch" }, -- a tag
    sight = { type = "number", default = 6, min = 0 }, -- metres
  },
}

---@param self Behaviour
function thief.init(self: Behaviour)
  self.state.escapes = 0
end

---@param self Behaviour
function thief.start(self: Behaviour)
  fleeing.watch(self, self.params.sight, self.params.afraidOf)
end

---@param self Behaviour
function thief.run(self: Behaviour)
  while true do
    local danger = self.blackboard:get("danger")
    if danger then
      if fleeing.from(self, danger, { distance = 2 * self.params.sight }) == "safe" then
        self.state.escapes = self.state.escapes + 1
      end
      self.blackboard:clear("danger")
    else
      wandering.stroll(self, { rest = { 2, 6 }, wake = { "danger" } })
    end
  end
end

return thief
