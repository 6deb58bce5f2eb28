-- Schedule: a day of appointments, kept by the clock of the level.
--
--   local schedule = require("lib/schedule")
--   local DAY = {
--     { at = "6:00", place = "gate", stay = watch, tolerance = 30, late = "skip" },
--     { at = "20:00", place = "bed", doors = "open" },
--   }
--   function guard:run()
--     while true do schedule.attend(self, DAY) end
--   end
--
-- An appointment lasts until the next one begins; the last one over midnight. In a tree, `attend` is the action that
-- comes when nothing else is to be done: whatever interrupts it, it goes on with what is due by then.
--
-- What was begun stands in self.state.appointment, plain data. After a reload, a load or an interruption:
--   * the same appointment: its character goes back to its place, `stay` begins again, `onArrive` is not called twice;
--   * another one by then: that one is begun, late by as much as it is late;
--   * a character that comes later than `tolerance` does what `late` says: "go" all the same, or "skip" it and wait for the next.
-- A level that begins in the middle of an appointment finds nobody late.
--
-- Events: "appointment" { who, name, late } on arrival, "appointmentMissed" { who, name, why } when it is skipped or its
-- place cannot be reached (it is tried again every few seconds).

local schedule = {}

---@class Appointment
---@field at string             when it begins, such as "6:30"
---@field name? string          for events; default: `at`
---@field place? Place          where; without one the character stays where it is
---@field doors? string         what to do about closed doors on the way; default "open"
---@field gait? string          "walk" or "run"
---@field radius? number        how near is near enough, metres
---@field tolerance? number     minutes after `at` from which on it is late; default: never
---@field late? "go"|"skip"     what to do then; default "go"
---@field onArrive? fun(self: Behaviour, appointment: Appointment, late: number) once, with the minutes since `at`
---@field stay? fun(self: Behaviour, appointment: Appointment) what is done there; may wait

type Appointment = {
  at: string,
  name: string?,
  place: any?,
  doors: ("avoid" | "open" | "wait")?,
  gait: ("walk" | "run")?,
  radius: number?,
  tolerance: number?,
  late: ("go" | "skip")?,
  onArrive: ((self: any, appointment: any, late: number) -> ())?,
  stay: ((self: any, appointment: any) -> ())?,
}

local DAY = 1440
local TRY_AGAIN = 3 -- seconds

---@param text string
---@return number minutes since midnight
local function minutesOf(text: string): number
  local hours, minutes = string.match(text, "^(%d+):(%d%d)$")
  if not hours then
    error(`an appointment is at "{text}", expected a time such as "6:30"`, 3)
  end
  return (tonumber(hours) :: number) * 60 + (tonumber(minutes) :: number)
end

-- The appointment that it is time for, since how many minutes, the one after it, and the minute of the clock in which it
-- began, counted from the midnight before the first day.
---@param plan Appointment[]
---@return Appointment appointment
---@return number minutes
---@return Appointment following
---@return number began
function schedule.now(plan: { Appointment }): (Appointment, number, Appointment, number)
  local time = clock.minutes
  local due, since, following, left = nil, DAY, nil, DAY + 1
  for _, appointment in ipairs(plan) do
    local at = minutesOf(appointment.at)
    local ago = (time - at) % DAY
    if due == nil or ago < since then
      due, since = appointment, ago
    end
    local ahead = (at - time) % DAY
    ahead = if ahead == 0 then DAY else ahead
    if ahead < left then
      following, left = appointment, ahead
    end
  end
  assert(due and following, "a plan has one appointment at least")
  -- Whole minutes: the same number as long as the appointment lasts.
  return due, since, following, math.round((clock.day - 1) * DAY + time - since)
end

-- Waits until the appointment that began then is over.
---@async
local function last(plan: { Appointment }, began: number)
  local now = began
  while now == began do
    local _, _, following = schedule.now(plan)
    local left = clock.secondsUntil(following.at)
    -- Another script may set the clock meanwhile, or stop it.
    task.waitEvent("clockChanged", if left < math.huge then { timeout = left } else nil)
    local _, _, _, current = schedule.now(plan)
    now = current
  end
end

---@async
local function rest()
  while true do
    task.sleep(3600)
  end
end

local function missed(self: Behaviour, appointment: Appointment, why: string)
  event.emit("appointmentMissed", { who = self.character, name = appointment.name or appointment.at, why = why })
end

-- Goes to the place of an appointment, as often as it takes.
---@async
local function go(self: Behaviour, appointment: Appointment)
  local isTold = false
  while appointment.place do
    local result = self.character:walk(appointment.place, {
      doors = appointment.doors or "open",
      gait = appointment.gait,
      radius = appointment.radius,
    })
    if result.ok then
      return
    end
    if not isTold then
      missed(self, appointment, tostring(result.reason))
      isTold = true
    end
    task.sleep(TRY_AGAIN)
  end
end

-- Keeps an appointment until somebody ends the task.
---@async
local function keep(self: Behaviour, appointment: Appointment)
  local state = self.state.appointment
  if state.skipped then
    rest()
  end
  go(self, appointment)
  if not state.arrived then
    state.arrived = true
    local _, since = schedule.now({ appointment })
    local late = math.round(since)
    event.emit("appointment", { who = self.character, name = appointment.name or appointment.at, late = late })
    if appointment.onArrive then
      appointment.onArrive(self, appointment, late)
    end
  end
  if appointment.stay then
    appointment.stay(self, appointment)
  end
  rest()
end

-- Notes which appointment is kept from now on, and whether it is too late for it.
local function begin(self: Behaviour, appointment: Appointment, since: number, began: number)
  local state = self.state.appointment
  local isFirst = state == nil
  if isFirst or state.began ~= began then
    state = { began = began, arrived = false, skipped = false }
    self.state.appointment = state
  end
  local isLate = not (isFirst or state.arrived or state.skipped)
    and since > (appointment.tolerance or math.huge)
  if isLate and appointment.late == "skip" then
    state.skipped = true
    missed(self, appointment, "late")
  end
end

-- Keeps the appointment that it is time for, and returns when it is over.
---@async
---@param self Behaviour
---@param plan Appointment[]
function schedule.attend(self: Behaviour, plan: { Appointment })
  local appointment, since, _, began = schedule.now(plan)
  begin(self, appointment, since, began)
  task.race({
    function()
      keep(self, appointment)
    end,
    function()
      last(plan, began)
    end,
  })
end

return schedule
