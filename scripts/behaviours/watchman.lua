-- A watchman: walks a beat through the market and chases thieves.
-- In the level: "behaviour": "watchman.lua", "params": { "route": "beat" }.

local guarding = require("lib/guarding")

---@class WatchmanState
---@field stop integer    index of the next stop on the beat
---@field arrests integer how many were caught

local watchman = {
  params = {
    route = { type = "route" },
    pause = { type = "number", default = 1, min = 0 }, -- seconds at each stop
    sight = { type = "number", default = 9, min = 0 }, -- metres
  },
}

---@param self Behaviour
function watchman.init(self: Behaviour)
  self.state.stop = 1
  self.state.arrests = 0
end

---@param self Behaviour
function watchman.start(self: Behaviour)
  guarding.watch(self, { sight = self.params.sight, filter = "thief" })
end

watchman.on = {
  alarm = function(self: Behaviour, e: any)
    if e.by ~= self.character then
      guarding.hear(self, e.at, 20)
    end
  end,
}

---@param self Behaviour
function watchman.run(self: Behaviour)
  while true do
    local what, outcome = guarding.duty(self, { route = self.params.route, pause = self.params.pause })
    if what == "chase" and outcome == "caught" then
      self.state.arrests = self.state.arrests + 1
      self.log.info("an arrest (%d)", self.state.arrests)
    end
  end
end

return watchman
