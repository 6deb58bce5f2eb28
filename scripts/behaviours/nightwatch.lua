-- A guard of the village at night: keeps the appointments of the watch, looks into noises, chases thieves, calls for help.

local schedule = require("lib/schedule")

local nightwatch = {
  version = 1,
  params = {
    duty = { type = "string" },                             -- one of DUTIES
    sight = { type = "number", default = 8, min = 0 },      -- metres
    angle = { type = "number", default = 200, min = 0, max = 360 },
    hearing = { type = "number", default = 20, min = 0 },   -- metres; a noise carries as far as it is loud
  },
}

type NightWatch = Behaviour & { watch: SenseWatch }

-- The next stop stands in the state: after a chase, a reload or a load the round goes on from there.
---@async
local function walkRounds(self: Behaviour)
  self.blackboard:clear("asleep")
  self.character
    :patrol("nightRound", { first = self.state.stop, pause = 1, doors = "open", onStop = "reached" })
    :wait()
end

-- A sleeping watchman sees and hears nothing.
local function fallAsleep(self: Behaviour)
  self.blackboard:set("asleep", true)
end

local function closeGate(self: Behaviour)
  self.blackboard:clear("asleep")
  world.door("gate"):close({ whenOccupied = "wait" })
end

local function openGate(self: Behaviour)
  self.blackboard:clear("asleep")
  world.door("gate"):open()
end

local DUTIES: { [string]: { any } } = {
  night = {
    { at = "20:00", name = "close the gate", place = "gatePost2", onArrive = closeGate },
    { at = "22:00", name = "rounds", stay = walkRounds },
    { at = "6:30", name = "sleep", place = "bunk2", onArrive = fallAsleep },
  },
  day = {
    { at = "5:30", name = "open the gate", place = "gatePost", onArrive = openGate },
    { at = "21:00", name = "sleep", place = "bunk1", onArrive = fallAsleep },
  },
}

function nightwatch.init(self: Behaviour)
  assert(DUTIES[self.params.duty], `there is no duty "{self.params.duty}"`)
  self.state.alarms = 0
  self.state.stop = 1
end

function nightwatch.reached(self: Behaviour, e: any)
  self.state.stop = e.index % #nav.route("nightRound") + 1
end

local function loseSight(self: Behaviour, last: vector)
  self.blackboard:clear("thief")
  self.blackboard:set("noise", last, { ttl = 20 })
end

-- Also after a reload, and when a game is loaded: eyes and ears are opened again, and the search for the thief goes on.
function nightwatch.start(self: NightWatch)
  self.watch = sense.watch(self.character, { tag = "thief" }, {
    range = self.params.sight,
    degrees = self.params.angle,
    hearing = self.params.hearing,
    memory = 6,
    onNotice = "noticed",
    onLose = "lost",
    onHear = "heard",
  })
  if self.blackboard:has("thief") then
    timer.after(0.1, "lookAgain")
  end
end

-- New eyes say nothing of those they do not see.
function nightwatch.lookAgain(self: NightWatch)
  local thief = self.blackboard:get("thief")
  if thief and not self.watch:sees(thief) then
    loseSight(self, thief.position)
  end
end

function nightwatch.noticed(self: Behaviour, e: SenseEvent)
  if self.blackboard:get("asleep", false) or state.night.caught or self.blackboard:get("thief") == e.character then
    return
  end
  self.state.alarms = self.state.alarms + 1
  self.blackboard:set("thief", e.character)
  event.emit("alarm", { by = self.character, at = e.position, thief = e.character })
end

function nightwatch.lost(self: Behaviour, e: SenseEvent)
  if self.blackboard:get("thief") == e.character then
    loseSight(self, e.position)
  end
end

-- One noise at a time is looked into.
function nightwatch.heard(self: Behaviour, e: SenseEvent)
  local board = self.blackboard
  if not (board:get("asleep", false) or board:has("thief") or board:has("noise")) then
    board:set("noise", e.position, { ttl = 30 })
  end
end

nightwatch.on = {
  alarm = function(self: Behaviour, e: any)
    if e.by ~= self.character then
      self.blackboard:clear("asleep")
      self.blackboard:set("noise", e.at, { ttl = 30 })
    end
  end,
  caught = function(self: Behaviour)
    self.blackboard:clear("thief")
    self.blackboard:clear("noise")
  end,
}

local function seesThief(self: Behaviour): boolean
  return self.blackboard:has("thief")
end

local function hasHeard(self: Behaviour): boolean
  return self.blackboard:has("noise")
end

---@async
local function chase(self: Behaviour)
  local thief = self.blackboard:get("thief")
  local result = self.character:follow(thief, { gait = "run", distance = 1, doors = "open", loseBeyond = 20, loseAfter = 5 }):wait()
  if result.ok then
    event.emit("caught", { by = self.character, who = thief })
  else
    self.log.info("loses %s: %s", thief.name, result.reason)
  end
  self.blackboard:clear("thief")
end

---@async
local function investigate(self: Behaviour)
  local place = self.blackboard:get("noise")
  self.log.info("looks into a noise")
  self.character:walk(place, { gait = "run", doors = "open", radius = 1, accept = "nearest" })
  self.character:play("lookAround", { seconds = 1 }):wait()
  self.blackboard:clear("noise")
end

nightwatch.tree = bt.selector({
  reactive = true,
  bt.when(seesThief, bt.action(chase)),
  bt.when(hasHeard, bt.action(investigate)),
  bt.action(function(self: Behaviour)
    schedule.attend(self, DUTIES[self.params.duty])
  end),
})

return nightwatch
