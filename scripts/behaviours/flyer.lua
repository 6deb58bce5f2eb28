-- A flyer: makes rounds in the sky, until a signal calls it down to the ground; later it takes off again.
-- In the level: "layer": "sky", "behaviour": "flyer.lua", "params": { "route": "patrol", "landing": "launch", "signal": "horn" }.

local patrolling = require("lib/patrolling")

local SKY, GROUND = "sky", "ground"

local flyer = {
  params = {
    route = { type = "route" }, -- places in the sky
    landing = { type = "mark" }, -- a place on the ground
    signal = { type = "string" }, -- the event that calls it down
    rest = { type = "number", default = 3, min = 0 }, -- seconds on the ground
  },
}

---@param self Behaviour
function flyer.init(self: Behaviour)
  self.state.stop = 1
  self.state.landings = 0
end

---@param self Behaviour
function flyer.start(self: Behaviour)
  event.on(self.params.signal, function()
    self.blackboard:set("called", true)
  end)
end

-- The way leads down by itself: a goal on another layer is reached over the links of the map.
---@async
local function land(self: Behaviour)
  local result = self.character:walk(self.params.landing, { layer = GROUND, accept = "near" })
  if not result.ok then
    self.log.warn("cannot land: %s", result)
    return
  end
  self.blackboard:clear("called")
  self.state.landings = self.state.landings + 1
  event.emit("landed", { who = self.character.name, layer = self.character.layer })
  task.sleep(self.params.rest)
end

---@param self Behaviour
function flyer.run(self: Behaviour)
  -- Also after a reload on the ground: the next leg begins where it is, and ends in the sky.
  while true do
    if self.blackboard:has("called") then
      land(self)
      local first = nav.route(self.params.route)[self.state.stop]
      self.character:walk(first, { layer = SKY })
      event.emit("aloft", { who = self.character.name, layer = self.character.layer })
    else
      patrolling.leg(self, { route = self.params.route, pause = 0.5, wake = { "called" } })
    end
  end
end

return flyer
