-- Somebody without a plan: walks to random points of an area and rests in between.
-- In the level: "behaviour": "wander.lua", "params": { "area": "parlour" }.

local wander = {
  params = {
    area = { type = "area", optional = true }, -- anywhere, if none is given
    rest = { type = "number", default = 4, min = 0 }, -- seconds, at most
  },
}

function wander:run()
  while true do
    local point = nav.randomPoint({
      area = self.params.area,
      reachableFrom = self.character,
      rng = self.rng,
    })
    if point then
      self.character:walk(point, { gait = self.rng:chance(0.2) and "run" or "walk" })
    end
    task.sleep(self.rng:float(0.5, math.max(0.5, self.params.rest)))
  end
end

return wander
