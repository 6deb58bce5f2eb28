-- One of many attackers that are after the player and take turns: attack, or wait. A behaviour tree decides, tick by tick.
-- In the level: "behaviour": "attacker.lua". How many may attack at a time stands on the board of the group "attackers".

local turns = require("lib/turns")

local GROUP = "attackers"
local HURRY = 8 -- seconds for one attack; a turn is kept longer than that
local RING = { 5, 7.5 } -- metres around the player, where the others wait

---@class AttackerState
---@field strikes integer how often it struck

local attacker = {}

---@return integer
local function most()
  return blackboard.group(GROUP):get("most", 3)
end

---@param self Behaviour
function attacker.init(self: Behaviour)
  self.state.strikes = 0
end

local function isMyTurn(self: Behaviour)
  return turns.mine(GROUP, self.character.name)
end

-- Runs up to the player, strikes. False when it does not get there: the turn is over all the same.
---@async
local function strike(self: Behaviour)
  local player = assert(world.player())
  local result = self.character:walk(player, { gait = "run", accept = "near", patience = 2 })
  if not result.ok then
    return false
  end
  self.character:face(player):wait()
  self.character:play("strike", { seconds = 0.6 }):wait()
  self.state.strikes = self.state.strikes + 1
  event.emit("struck", { by = self.character.name })
  return true
end

-- However the attack ended: done, late or interrupted.
local function giveBack(self: Behaviour)
  turns.done(GROUP, self.character.name, most())
end

-- Asks for a turn, and moves a little along the ring around the player, facing it.
---@async
local function wait(self: Behaviour)
  turns.ask(GROUP, self.character.name, most())
  local player = assert(world.player())
  local away = self.character.position - player.position
  local angle = math.atan2(away.x, away.z) + self.rng:float(-0.35, 0.35)
  local metres = self.rng:float(RING[1], RING[2])
  local place = player.position + vector.create(metres * math.sin(angle), 0, metres * math.cos(angle))
  local ground = nav.nearest(place, { within = 3 })
  if ground then
    self.character:walk(ground, { accept = "nearest", radius = 0.5, crowd = "yield", patience = 1 })
  end
  self.character:face(player):wait()
  task.sleep(self.rng:float(0.5, 1.5))
end

attacker.tree = bt.selector({
  reactive = true, -- a turn that is handed out interrupts the waiting
  bt.sequence({
    bt.condition(isMyTurn),
    bt.timeLimit(bt.action({ run = strike, exit = giveBack }), HURRY),
  }),
  bt.action(wait),
})

---@param self Behaviour
function attacker.stop(self: Behaviour)
  turns.done(GROUP, self.character.name, most())
end

return attacker
