-- A stall keeper: stands behind the counter, and shuts the door now and then when nobody is in it.

local keeper = {
  params = {
    stall = { type = "mark" },
    door = { type = "door" },
    every = { type = "number", default = 20, min = 1 }, -- seconds between looks at the door
  },
}

---@param self Behaviour
function keeper.start(self: Behaviour)
  local door = world.door(self.params.door)
  timer.every(self.params.every + self.rng:float(0, 5), function()
    if door.state == "open" then
      door:close({ whenOccupied = "refuse", by = self.character })
    end
  end)
end

---@param self Behaviour
function keeper.run(self: Behaviour)
  while true do
    task.sleep(self.rng:float(8, 16))
    self.character:walk(self.params.stall, { radius = 0.6 })
    self.character:face(self.rng:float(-math.pi, math.pi)):wait()
  end
end

return keeper
