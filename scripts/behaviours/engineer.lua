-- An engineer: bridges water, tile by tile, and then goes home.
-- In the level: "behaviour": "engineer.lua", "params": { "from": "nearBank", "to": "farBank", "home": "timber" }.

local works = require("lib/works")

local STEP = 2 -- metres from tile to tile

local engineer = {
  params = {
    from = { type = "mark" }, -- the bank where the bridge begins
    to = { type = "mark" }, -- the bank across
    home = { type = "mark" },
    seconds = { type = "number", default = 2, min = 0 }, -- for a tile
  },
}

---@param self Behaviour
function engineer.init(self: Behaviour)
  self.state.built = false
end

---@async
local function build(self: Behaviour)
  if not self.character:walk(self.params.from).ok then
    return
  end
  local done, made = works.along(self, {
    to = self.params.to,
    step = STEP,
    seconds = self.params.seconds,
    animation = "build",
    make = function(place)
      nav.setTile(place, { terrain = "bridge", navigable = true, tags = { "built" } })
    end,
  })
  if done then
    self.state.built = true
    event.emit("bridgeBuilt", { tiles = made })
  end
end

---@param self Behaviour
function engineer.run(self: Behaviour)
  while not self.state.built do
    build(self)
    task.sleep(0.5)
  end
  self.character:walk(self.params.home)
end

return engineer
