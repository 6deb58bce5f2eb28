-- A sapper: digs a tunnel under a wall and, once all that shall be are through, a mine that brings the wall down.
-- In the level: "layer": "underground", "behaviour": "sapper.lua",
-- "params": { "to": "cellar", "mine": [32, 13.3], "shelter": "camp" }.

local works = require("lib/works")

local EARTH, AIR = "underground", "ground"
local STEP = 2 -- metres from tile to tile
local FUSE = 2 -- seconds

local sapper = {
  params = {
    to = { type = "mark" }, -- where the tunnel leads, straight on
    mine = { type = "vector" }, -- the place in the tunnel that caves in, and of the wall above it
    shelter = { type = "mark" }, -- where it waits for the mine to go off
    seconds = { type = "number", default = 0.75, min = 0 }, -- for a tile
  },
}

-- "dig", "wait", "leave", "fuse", "done": where it goes on after a hot reload.
---@param self Behaviour
function sapper.init(self: Behaviour)
  self.state.stage = "dig"
end

sapper.on = {
  gateOpen = function(self: Behaviour)
    self.blackboard:set("free", true)
  end,
}

---@async
local function dig(self: Behaviour)
  local done, made = works.along(self, {
    to = self.params.to,
    step = STEP,
    seconds = self.params.seconds,
    animation = "dig",
    make = function(place)
      nav.setNavigable(place, true, { layer = EARTH })
    end,
  })
  if not done then
    task.sleep(1)
    return
  end
  event.emit("dug", { tiles = made })
  self.state.stage = "wait"
end

-- The wall becomes rubble that can be climbed over, and the tunnel below it is filled.
local function blow(self: Behaviour)
  nav.setTile(self.params.mine, { terrain = "rock", navigable = true, cost = 1.5, tags = { "rubble" } }, AIR)
  nav.setNavigable(self.params.mine, false, { layer = EARTH })
  event.emit("wallBroken", { at = self.params.mine })
  self.state.stage = "done"
end

---@param self Behaviour
function sapper.run(self: Behaviour)
  while self.state.stage ~= "done" do
    local stage = self.state.stage
    if stage == "dig" then
      dig(self)
    elseif stage == "wait" then
      if not self.blackboard:has("free") then
        self.blackboard:changed("free"):wait()
      end
      self.state.stage = "leave"
    elseif stage == "leave" then
      local result = self.character:walk(self.params.shelter, { layer = AIR, gait = "run", accept = "near" })
      self.state.stage = result.ok and "fuse" or stage
      task.sleep(FUSE)
    else
      blow(self)
    end
  end
end

return sapper
