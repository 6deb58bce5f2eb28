-- Working tile by tile: digging a tunnel, laying a bridge. Wherever the next tile is closed, work makes a way of it.
--
--   local works = require("lib/works")
--   works.along(self, { to = "farBank", step = 2, seconds = 1.5, make = function(place) nav.setTile(place, { terrain = "bridge" }) end })
--
-- What is done is done on the map: after a hot reload, or when somebody else has worked there, it goes on where closed tiles begin.

local works = {}

---@class Works
---@field to Place                     where the way leads, straight on from where the character stands
---@field step number                  metres from the middle of a tile to the middle of the next
---@field seconds number               for each tile
---@field make fun(place: vector)      makes a way of the tile at a place
---@field layer? string                the layer of the tiles; default: that of the character
---@field animation? string            default "work"

type Works = {
  to: Place,
  step: number,
  seconds: number,
  make: (place: vector) -> (),
  layer: string?,
  animation: string?,
}

---@param place Place
---@return vector
local function point(place: any): vector
  if type(place) == "string" then
    return nav.mark(place :: any).position
  end
  return place.position or place
end

-- Makes a way to `plan.to` and walks along it to the last tile. False when somebody is in the way for good.
---@async
---@param self Behaviour
---@param plan Works
---@return boolean done
---@return integer made  how many tiles were worked on
function works.along(self: Behaviour, plan: Works): (boolean, number)
  local from, to = self.character.position, point(plan.to)
  local way = to - from
  local metres = math.sqrt(way.x * way.x + way.z * way.z)
  local count, made = math.max(1, math.floor(metres / plan.step + 0.5)), 0
  local before = from
  for index = 1, count do
    local place = from + way * (index / count)
    local tile = nav.tileAt(place, plan.layer or self.character.layer)
    if tile and not tile.navigable then
      if not self.character:walk(before, { layer = plan.layer }).ok then
        return false, made
      end
      self.character:face(place):wait()
      self.character:play(plan.animation or "work", { seconds = plan.seconds }):wait()
      plan.make(place)
      made = made + 1
      task.ticks(1) -- the map follows in step 5
    end
    before = place
  end
  return self.character:walk(before, { layer = plan.layer }).ok, made
end

return works
