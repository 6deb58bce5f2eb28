-- Somebody without a plan: walks to random points of an area and rests in between.
-- In the level: "behaviour": "wander.lua", "params": { "area": "parlour" }.

local wandering = require("lib/wandering")

local idler = {
  params = {
    area = { type = "area", optional = true }, -- anywhere, if none is given
    rest = { type = "number", default = 4, min = 0.5 }, -- seconds, at most
  },
}

---@param self Behaviour
function idler.run(self: Behaviour)
  while true do
    wandering.stroll(self, { area = self.params.area, rest = { 0.5, self.params.rest }, hurry = 0.2 })
  end
end

return idler
