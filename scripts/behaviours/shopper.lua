-- A shopper: picks a stall, walks there through whatever doors it can open, looks around, picks the next.

local STALLS = 40

local shopper = {
  params = {
    patience = { type = "number", default = 4, min = 0 }, -- seconds before it tries another stall
  },
}

---@param self Behaviour
function shopper.init(self: Behaviour)
  self.state.visits = 0
end

---@param self Behaviour
function shopper.run(self: Behaviour)
  task.sleep(self.rng:float(0, 3)) -- not everybody at once
  while true do
    local stall = "stall" .. self.rng:int(1, STALLS)
    local result = self.character:walk(stall, {
      doors = "open",
      radius = self.rng:float(0.3, 1.5),
      accept = "near",
      patience = self.params.patience,
    })
    if result.ok then
      self.state.visits = self.state.visits + 1
      event.emit("visited", { who = self.character.name, stall = stall })
      task.sleep(self.rng:float(1, 5))
    else
      if result.status ~= "cancelled" then
        self.log.debug("no way into %s: %s", stall, result)
      end
      task.sleep(0.5)
    end
  end
end

return shopper
