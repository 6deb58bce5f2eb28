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
  self.state.waits = clock.secondsUntil(self.params.at)
  self.state.since = {}
end

-- Waits until so many seconds have passed since this was begun. When that was stands in the state, so a reload or a load
-- in between takes nothing from it.
---@async
local function spend(self: Behaviour, what: string, seconds: number)
  local since = self.state.since
  since[what] = since[what] or level.time
  task.sleep(math.max(0, since[what] + seconds - level.time))
end

-- What it does next time takes its time again.
local function forget(self: Behaviour)
  self.state.since = {}
end

-- The step stands in the state as well: `run` goes on with it.
---@async
function burglar.run(self: Behaviour)
  local state = self.state
  if state.step == "wait" then
    spend(self, "wait", state.waits)
    state.step = "in"
  end
  if state.step == "in" then
    local result = self.character:walk(self.params.loot, { doors = "open" })
    if result.ok then
      state.step = "rummage"
    else
      self.log.info("does not get in: %s", result)
      state.step = "out"
    end
  end
  if state.step == "rummage" then
    self.character:play("rummage", { seconds = 2 })
    spend(self, "rummage", 2)
    if state.step == "rummage" then
      state.step = "out"
      self.character:emitNoise(9)
      event.emit("stolen", { by = self.character })
    end
  end
  if state.step == "out" then
    local result = self.character:walk(self.params.hideout, { doors = "open", gait = "run" })
    spend(self, "breath", 2)
    if result.ok and state.step == "out" then
      state.step = "away"
      event.emit("escaped", { who = self.character })
    end
  end
end

-- Over the wall: it takes a while, and is heard on top of it.
---@async
function burglar.onTraverse(self: Behaviour, link: Traverse)
  spend(self, "climb", 1)
  if not self.state.since.top then
    self.state.since.top = level.time
    self.character:emitNoise(8)
  end
  spend(self, "top", 1)
  forget(self)
end

burglar.on = {
  -- It is seen, and drops what it came for.
  alarm = function(self: Behaviour, e: any)
    local step = self.state.step
    if e.thief == self.character and (step == "in" or step == "rummage") then
      self.state.step = "out"
      forget(self)
      self.character:stop() -- and `run` goes on from there
    end
  end,
  caught = function(self: Behaviour, e: any)
    if e.who == self.character then
      self.state.step = "caught"
      forget(self)
      self.character:stop()
    end
  end,
}

return burglar
