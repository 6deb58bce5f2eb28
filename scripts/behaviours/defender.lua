-- A defender of a fort: makes rounds inside, goes to the breach when there is one, and arms down when the banner is taken.
-- In the level: "behaviour": "defender.lua", "params": { "route": "walls" }.

local alert = require("lib/alert")
local patrolling = require("lib/patrolling")

local defender = {
  params = {
    route = { type = "route" },
    pause = { type = "number", default = 1, min = 0 }, -- seconds at each stop
    holds = { type = "number", default = 6, min = 0 }, -- seconds at the breach
  },
}

---@param self Behaviour
function defender.init(self: Behaviour)
  self.state.stop = 1
end

defender.on = {
  wallBroken = function(self: Behaviour, e: any)
    self.blackboard:set("breach", e.at, { ttl = 10 })
  end,
  bannerTaken = function(self: Behaviour)
    self.blackboard:set("over", true)
  end,
}

local WAKE = { "breach", "over" }

---@async
local function hold(self: Behaviour)
  local breach = self.blackboard:get("breach")
  self.blackboard:clear("breach")
  -- Inside, not in the gap itself: attackers that come over the rubble are met there.
  local inside = nav.nearest(breach + vector.create(4, 0, 0), { layer = "ground" })
  if inside then
    self.character:walk(inside, { gait = "run", accept = "near" })
    self.character:face(breach):wait()
    alert.rest(self, { "over" }, self.params.holds)
  end
end

---@param self Behaviour
function defender.run(self: Behaviour)
  while not self.blackboard:has("over") do
    if self.blackboard:has("breach") then
      hold(self)
    else
      patrolling.leg(self, { route = self.params.route, pause = self.params.pause, wake = WAKE })
    end
  end
  self.character:stop()
  event.emit("surrendered", { who = self.character.name })
end

return defender
