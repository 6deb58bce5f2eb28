-- A bandit: keeps watch over a route, chases any character that comes into sight, and looks into what others shout about.
-- In the level: "behaviour": "bandit.lua", "params": { "route": "watch", "prey": "hero" }.

local guarding = require("lib/guarding")

---@class BanditState
---@field stop integer   index of the next stop on the route
---@field robbed integer how often somebody was caught

local bandit = {
  params = {
    route = { type = "route" },
    prey = { type = "string", default = "player" }, -- a tag or a name
    pause = { type = "number", default = 2, min = 0 }, -- seconds at each stop
    sight = { type = "number", default = 5, min = 0 }, -- metres
    content = { type = "number", default = 20, min = 0 }, -- seconds after a robbery without another
  },
}

---@param self Behaviour
function bandit.init(self: Behaviour)
  self.state.stop = 1
  self.state.robbed = 0
end

---@param self Behaviour
function bandit.start(self: Behaviour)
  guarding.watch(self, { sight = self.params.sight, filter = self.params.prey })
end

bandit.on = {
  alarm = function(self: Behaviour, e: any)
    if e.by ~= self.character then
      guarding.hear(self, e.at, 12)
    end
  end,
}

---@param self Behaviour
function bandit.run(self: Behaviour)
  while true do
    local what, outcome = guarding.duty(self, {
      route = self.params.route,
      pause = self.params.pause,
      chase = { loseBeyond = 2 * self.params.sight, loseAfter = 3 },
    })
    if what == "chase" and outcome == "caught" then
      self.state.robbed = self.state.robbed + 1
      self.log.info("a purse the richer (%d)", self.state.robbed)
      task.sleep(self.params.content)
    end
  end
end

return bandit
