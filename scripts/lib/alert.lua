-- Doing something until something else turns up: the piece that the other modules of this folder share.
--
--   local alert = require("lib/alert")
--   local woke, result = alert.unless(self, { "noise" }, self.character:walkTo("post"))
--   if woke then ... end -- the blackboard's "noise" changed; the walk has settled cancelled/lostRace

local alert = {}

-- Waits for `entry`, or until one of `keys` of the character's blackboard changes, whichever comes first.
-- What did not come first is cancelled.
---@async
---@param self Behaviour
---@param keys string[]?  keys of self.blackboard
---@param entry any       anything that task.race takes: a walk, a timer, a function
---@return string? woke   the key that changed; nil when `entry` was over first
---@return any result     the result of `entry`
function alert.unless(self: Behaviour, keys: { string }?, entry: any): (string?, any)
  local entries: { [any]: any } = { entry } -- of several that are over already, the smallest key counts: numbers before strings
  for _, key in ipairs(keys or {}) do
    entries[key] = self.blackboard:changed(key)
  end
  local first, result = task.race(entries)
  if first == 1 then
    return nil, result
  end
  return first, nil
end

-- Rests for some seconds, or until one of `keys` changes.
---@async
---@param self Behaviour
---@param keys string[]?
---@param least number    seconds
---@param most number?    seconds; default: `least`
---@return string? woke
function alert.rest(self: Behaviour, keys: { string }?, least: number, most: number?): string?
  local seconds = least
  if most and most > least then
    seconds = self.rng:float(least, most)
  end
  return (alert.unless(self, keys, timer.after(seconds)))
end

return alert
