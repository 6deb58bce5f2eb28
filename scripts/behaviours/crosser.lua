-- A crosser: walks from where it began to the other side, looks around, walks back, for ever. Many of them make two streams
-- that flow through each other. In the level: "behaviour": "crosser.lua", "params": { "to": [34, 9] }.

local crosser = {
  params = {
    to = { type = "vector" },
    pause = { type = "number", default = 1.5, min = 0 }, -- seconds at either end, about
  },
}

---@param self Behaviour
function crosser.init(self: Behaviour)
  self.state.trips = 0
  self.state.home = self.character.position
end

---@param self Behaviour
function crosser.run(self: Behaviour)
  while true do
    local goal = self.state.trips % 2 == 0 and self.params.to or self.state.home
    -- A place that somebody stands on is as good as the one beside it.
    local result = self.character:walk(goal, { radius = 0.6, accept = "near", patience = 8 })
    if result.ok then
      self.state.trips = self.state.trips + 1
      event.emit("crossed", { who = self.character.name, ticks = result.ticks })
    elseif result.status ~= "cancelled" then
      self.log.warn("did not get across: %s", result)
    end
    task.sleep(self.params.pause * self.rng:float(0.5, 1.5))
  end
end

return crosser
