-- Whom they are all after: keeps moving around the middle of the arena.
-- In the level: "behaviour": "gladiator.lua", "params": { "home": "centre" }.

local wandering = require("lib/wandering")

local gladiator = {
  params = {
    home = { type = "mark" },
    within = { type = "number", default = 3, min = 0.5 }, -- metres around it
  },
}

---@param self Behaviour
function gladiator.run(self: Behaviour)
  while true do
    wandering.stroll(self, { home = self.params.home, within = self.params.within, rest = { 2, 5 } })
  end
end

return gladiator
