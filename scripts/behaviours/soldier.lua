-- A soldier: waits in the camp for a breach, and then storms.
-- In the level: "behaviour": "soldier.lua", "params": { "goal": "banner" }.

local soldier = {
  params = {
    goal = { type = "mark" },
    stagger = { type = "number", default = 1.5, min = 0 }, -- seconds: how long one hesitates, at most
  },
}

---@param self Behaviour
function soldier.init(self: Behaviour)
  self.state.storms = false
end

soldier.on = {
  wallBroken = function(self: Behaviour)
    self.state.storms = true
    self.blackboard:set("storm", true)
  end,
}

---@param self Behaviour
function soldier.run(self: Behaviour)
  if not self.state.storms then
    self.blackboard:changed("storm"):wait()
  end
  task.sleep(self.rng:float(0, self.params.stagger))
  local result = self.character:walk(self.params.goal, { gait = "run", accept = "near" })
  if result.ok then
    event.emit("stormed", { by = self.character.name })
  else
    self.log.warn("does not get to the %s: %s", self.params.goal, result)
  end
end

return soldier
