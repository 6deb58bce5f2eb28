-- A cat: strolls about its room, and keeps away from any character that comes too close.
-- In the level: "behaviour": "cat.lua", "params": { "area": "parlour" }.

local fleeing = require("lib/fleeing")
local wandering = require("lib/wandering")

---@class CatState
---@field scares integer how often it ran

local cat = {
  params = {
    area = { type = "area", optional = true },
    rest = { type = "number", default = 4, min = 0.5 }, -- seconds, at most
    shy = { type = "number", default = 1.5, min = 0 }, -- metres
  },
}

---@param self Behaviour
function cat.init(self: Behaviour)
  self.state.scares = 0
end

---@param self Behaviour
function cat.start(self: Behaviour)
  fleeing.watch(self, self.params.shy)
end

---@param self Behaviour
function cat.run(self: Behaviour)
  while true do
    local danger = self.blackboard:get("danger")
    if danger then
      self.state.scares = self.state.scares + 1
      local outcome = fleeing.from(self, danger, { distance = 2 * self.params.shy })
      self.log.debug("runs from %s: %s", danger.name, outcome)
      self.blackboard:clear("danger")
    else
      wandering.stroll(self, {
        area = self.params.area,
        rest = { 0.5, self.params.rest },
        hurry = 0.2,
        wake = { "danger" },
      })
    end
  end
end

return cat
