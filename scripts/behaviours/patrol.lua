-- Somebody on rounds: walks a route for ever and rests at each stop.
-- In the level: "behaviour": "patrol.lua", "params": { "route": "rounds", "pause": 2 }.

local patrol = {
  params = {
    route = { type = "route" },
    pause = { type = "number", default = 1.5, min = 0 }, -- seconds at each stop
  },
}

-- Plain data only: it is kept over a hot reload.
function patrol:init()
  self.state.stop = 1
end

function patrol:run()
  while true do
    local route = nav.route(self.params.route)
    local stop = route[self.state.stop] or route[1]
    local result = self.character:walk(stop, { face = stop.facing })
    if result.status == "partial" or result.status == "blocked" then
      self.log.info("passes over stop %d: %s", self.state.stop, result)
    end
    self.state.stop = self.state.stop % #route + 1
    task.sleep(self.params.pause + self.rng:float(0, 0.5))
  end
end

return patrol
