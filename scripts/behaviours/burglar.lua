-- A burglar: waits for the dead of night, climbs the wall, takes what lies in the chapel, and runs.

local burglar = {
  params = {
    loot = { type = "mark" },
    hideout = { type = "mark" },
    at = { type = "string", default = "1:00" },
  },
}

function burglar.init(self: Behaviour)
  self.state.step = "wait"
end

-- The step stands in the state, so a reload or a load goes on with it.
---@async
function burglar.run(self: Behaviour)
  local state = self.state
  if state.step == "wait" then
    task.sleep(clock.secondsUntil(self.params.at))
    state.step = "in"
  end
  if state.step == "in" then
    local result = self.character:walk(self.params.loot, { doors = "open" })
    if result.ok then
      self.character:play("rummage", { seconds = 2 }):wait()
      self.character:emitNoise(9)
      event.emit("stolen", { by = self.character })
    else
      self.log.info("does not get in: %s", result)
    end
    if state.step == "in" then
      state.step = "out"
    end
  end
  if state.step == "out" then
    local result = self.character:walk(self.params.hideout, { doors = "open", gait = "run" })
    task.sleep(2) -- gets its breath back
    if result.ok and state.step == "out" then
      state.step = "away"
      event.emit("escaped", { who = self.character })
    end
  end
end

-- Over the wall: it takes a while, and is heard on top of it.
---@async
function burglar.onTraverse(self: Behaviour, link: Traverse)
  task.sleep(1)
  self.character:emitNoise(8)
  task.sleep(1)
end

burglar.on = {
  -- It is seen, and drops what it came for.
  alarm = function(self: Behaviour, e: any)
    if e.thief == self.character and self.state.step == "in" then
      self.state.step = "out"
      self.character:stop() -- and `run` goes on from there
    end
  end,
  caught = function(self: Behaviour, e: any)
    if e.who == self.character then
      self.state.step = "caught"
      self.character:stop()
    end
  end,
}

return burglar
