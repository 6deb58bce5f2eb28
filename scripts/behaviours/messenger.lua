-- A messenger: runs between two marks for ever, and waits at a closed door until somebody opens it.
-- In the level: "behaviour": "messenger.lua", "params": { "from": "well", "to": "hearth" }.

local messenger = {
  params = {
    from = { type = "mark" },
    to = { type = "mark" },
    pause = { type = "number", default = 1, min = 0 }, -- seconds at either end
  },
}

---@param self Behaviour
function messenger.init(self: Behaviour)
  self.state.trips = 0
end

---@param self Behaviour
function messenger.run(self: Behaviour)
  local ends = { self.params.to, self.params.from }
  while true do
    local goal = ends[self.state.trips % 2 + 1]
    local result = self.character:walk(goal, { doors = "wait", patience = 30 })
    if result.ok then
      self.state.trips = self.state.trips + 1
    elseif result.status ~= "cancelled" then
      self.log.warn("no way to %s: %s", goal, result)
    end
    task.sleep(self.params.pause)
  end
end

return messenger
