-- A villager: keeps the appointments of a trade, day after day.

local schedule = require("lib/schedule")

local villager = {
  params = {
    day = { type = "string" }, -- one of DAYS
  },
}

-- The first at the gate opens it for the day.
local function openGate()
  world.door("gate"):open()
end

local function closeGate()
  world.door("gate"):close({ whenOccupied = "wait" })
end

-- Walks the rounds until somebody else is due. The next stop stands in the state: a reload or a load goes on from there.
---@async
local function walkRounds(self: Behaviour)
  self.character
    :patrol("nightRound", { first = self.state.stop, pause = 0.2, doors = "open", onStop = "reached" })
    :wait()
end

local DAYS: { [string]: { any } } = {
  baker = {
    { at = "4:30", name = "bake", place = "oven" },
    { at = "8:00", name = "sell", place = "stallBread" },
    { at = "14:00", name = "fetch water", place = "well", radius = 0.8 },
    { at = "15:00", name = "sell", place = "stallBread" },
    { at = "18:00", name = "eat", place = "table" },
    { at = "21:00", name = "sleep", place = "bakerBed" },
  },
  smith = {
    { at = "7:00", name = "forge", place = "forge" },
    { at = "12:00", name = "rest", place = "square", radius = 1 },
    { at = "13:00", name = "forge", place = "forge" },
    { at = "16:00", name = "sell", place = "stallTools" },
    { at = "18:30", name = "eat", place = "table2" },
    { at = "22:00", name = "sleep", place = "smithBed" },
  },
  innkeeper = {
    { at = "9:00", name = "fetch water", place = "well", radius = 0.8 },
    { at = "10:00", name = "serve", place = "bar" },
    { at = "23:30", name = "sleep", place = "innkeeperBed" },
  },
  farmer = {
    { at = "6:30", name = "plough", place = "field", tolerance = 180, late = "skip" },
    { at = "11:30", name = "fetch water", place = "well", radius = 0.8 },
    { at = "14:00", name = "plough", place = "field", tolerance = 180, late = "skip" },
    { at = "18:00", name = "eat", place = "farmTable" },
    { at = "21:00", name = "sleep", place = "farmBed" },
  },
  dayGuard = {
    { at = "5:00", name = "open the gate", place = "gatePost", onArrive = openGate },
    { at = "12:00", name = "rest", place = "square", radius = 1 },
    { at = "13:00", name = "guard", place = "gatePost" },
    { at = "22:15", name = "sleep", place = "bunk1" },
  },
  nightGuard = {
    { at = "20:30", name = "close the gate", place = "gatePost2", onArrive = closeGate },
    { at = "22:45", name = "rounds", stay = walkRounds },
    { at = "5:30", name = "sleep", place = "bunk2" },
  },
}

function villager.init(self: Behaviour)
  assert(DAYS[self.params.day], `there is no day of a "{self.params.day}"`)
end

function villager.reached(self: Behaviour, e: any)
  self.state.stop = e.index % #nav.route("nightRound") + 1
end

---@async
function villager.run(self: Behaviour)
  while true do
    schedule.attend(self, DAYS[self.params.day])
  end
end

return villager
