-- Somebody on rounds: walks a route for ever and rests at each stop.
-- In the level: "behaviour": "patrol.lua", "params": { "route": "rounds", "pause": 2 }.

local patrolling = require("lib/patrolling")

local rounds = {
  params = {
    route = { type = "route" },
    pause = { type = "number", default = 1.5, min = 0 }, -- seconds at each stop
  },
}

-- Plain data only: it is kept over a hot reload.
---@param self Behaviour
function rounds.init(self: Behaviour)
  self.state.stop = 1
end

---@param self Behaviour
function rounds.run(self: Behaviour)
  while true do
    patrolling.leg(self, { route = self.params.route, pause = self.params.pause })
  end
end

return rounds
