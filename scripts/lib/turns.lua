-- Taking turns: of many characters that want the same, only a few may at a time; the one that has waited longest is next.
--
--   local turns = require("lib/turns")
--   turns.ask("arena", name, 3)                -- joins the queue
--   if turns.mine("arena", name) then ... end  -- until it is given back
--   turns.done("arena", name, 3)               -- back to the end of the queue at the next ask
--
-- The queue and the turns stand on the board of a group, so all that name the group see the same ones,
-- and a hot reload of one of them loses nothing. A turn that nobody gives back, because its holder is gone, runs out.

local turns = {}

local HOLDER = "holder:"

---@param list string[]
---@param name string
---@return integer?
local function indexOf(list: { string }, name: string): number?
  for index, other in ipairs(list) do
    if other == name then
      return index
    end
  end
  return nil
end

-- Names of those whose turn it is, sorted.
---@param group string
---@return string[]
function turns.holders(group: string): { string }
  local holders = {}
  for _, key in ipairs(blackboard.group(group):keys()) do
    if string.sub(key, 1, #HOLDER) == HOLDER then
      table.insert(holders, string.sub(key, #HOLDER + 1))
    end
  end
  return holders
end

-- Joins the queue, once however often it asks, and hands out what is free.
---@param group string
---@param name string     the character that asks
---@param most integer    turns at a time
---@param seconds number? how long a turn is kept at most; default 12
function turns.ask(group: string, name: string, most: number, seconds: number?)
  local board = blackboard.group(group)
  local waiting: { string } = board:get("waiting", {}) -- a copy
  if not board:has(HOLDER .. name) and not indexOf(waiting, name) then
    table.insert(waiting, name)
    board:set("waiting", waiting)
  end
  turns.hand(group, most, seconds)
end

-- Whether it is the turn of `name`.
---@param group string
---@param name string
---@return boolean
function turns.mine(group: string, name: string): boolean
  return blackboard.group(group):has(HOLDER .. name)
end

-- Gives a turn back, or a place in the queue, and hands it to the next.
---@param group string
---@param name string
---@param most integer
---@param seconds number?
function turns.done(group: string, name: string, most: number, seconds: number?)
  local board = blackboard.group(group)
  board:clear(HOLDER .. name)
  local waiting: { string } = board:get("waiting", {})
  local index = indexOf(waiting, name)
  if index then
    table.remove(waiting, index)
    board:set("waiting", waiting)
  end
  turns.hand(group, most, seconds)
end

-- Hands free turns to the characters that wait, in order.
---@param group string
---@param most integer
---@param seconds number?
function turns.hand(group: string, most: number, seconds: number?)
  local board = blackboard.group(group)
  local waiting: { string } = board:get("waiting", {})
  local free = most - #turns.holders(group)
  local given = math.min(free, #waiting)
  for _ = 1, given do
    local name = table.remove(waiting, 1)
    board:set(HOLDER .. tostring(name), true, { ttl = seconds or 12 })
  end
  if given > 0 then
    board:set("waiting", waiting)
  end
end

return turns
