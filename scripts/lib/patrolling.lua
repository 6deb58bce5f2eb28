-- Patrolling: walks the stops of a route in turn, pauses at each, and is woken by what it is told.
--
--   local patrolling = require("lib/patrolling")
--   function sentry:run()
--     while true do
--       local woke = patrolling.leg(self, { route = self.params.route, pause = 2, wake = { "noise" } })
--       if woke then self:look() end
--     end
--   end
--
-- The next stop is kept in self.state.stop, so a hot reload and a chase in between lose nothing.
-- For rounds without any of that, `character:patrol(route, { pause = 2 })` is one line.

local alert = require("lib/alert")

local patrolling = {}

---@class PatrolPlan
---@field route string|Place[]  the name of a route, or its stops
---@field pause? number         seconds at each stop; up to half a second more is added; default 1.5
---@field doors? string         what to do about closed doors; default: the character's own setting
---@field keys? string[]        keys carried, for doors = "open"
---@field patience? number      seconds without progress before a stop is passed over; default 2
---@field wake? string[]        keys of its blackboard; a change of one ends the leg at once

type PatrolPlan = {
  route: RouteName | { Place },
  pause: number?,
  doors: ("avoid" | "open" | "wait")?,
  keys: { string }?,
  patience: number?,
  wake: { string }?,
}

-- One leg: the way to the next stop, and the pause there. A stop out of reach is passed over.
---@async
---@param self Behaviour
---@param plan PatrolPlan
---@return string? woke        the key that changed, if one did
---@return WalkResult? result  how the walk ended; nil when it was woken on the way
function patrolling.leg(self: Behaviour, plan: PatrolPlan): (string?, WalkResult?)
  local route = plan.route
  local stops: { any } = if type(route) == "string" then nav.route(route :: any) else route
  local index = self.state.stop or 1
  if index > #stops then
    index = 1 -- the route has become shorter
  end
  local stop = stops[index]
  local facing = typeof(stop) == "Mark" and stop.facing or nil
  local woke, result = alert.unless(self, plan.wake, self.character:walkTo(stop, {
    doors = plan.doors,
    keys = plan.keys,
    patience = plan.patience or 2,
    face = facing,
  }))
  if woke then
    return woke, nil
  end
  if result.status ~= "cancelled" or result.reason == "targetGone" then
    self.state.stop = index % #stops + 1
  end -- else something took the character, and the stop is still to come
  if not result.ok and result.status ~= "cancelled" then
    self.log.info("passes over stop %d: %s", index, result)
    return alert.rest(self, plan.wake, 1), result
  end
  local pause = plan.pause or 1.5
  return alert.rest(self, plan.wake, pause, pause + 0.5), result
end

return patrolling
