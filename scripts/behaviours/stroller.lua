-- A stroller, as a behaviour tree of ten nodes: rests when it is tired, else walks to random points of an area.
-- In the level: "behaviour": "stroller.lua", "params": { "area": "parlour" }.

local stroller = {
  params = {
    area = { type = "area", optional = true }, -- anywhere, if none is given
    rest = { type = "number", default = 4, min = 0.5 }, -- seconds, at most
  },
}

function stroller.init(self)
  self.state.strolls = self.state.strolls or 0
end

-- Whether it has walked so often that it rests.
local function isTired(self): boolean
  return self.state.strolls >= 5
end

-- Whether somebody stands so near that it goes on sooner.
local function isAlone(self): boolean
  return not self.character:isMoving()
end

local function recover(self)
  self.state.strolls = 0
end

-- Chooses where to go next.
local function nextPlace(self: Behaviour)
  return nav.randomPoint({ area = self.params.area, reachableFrom = self.character, rng = self.rng })
    or self.character.position
end

local function count(self: Behaviour)
  self.state.strolls += 1
end

stroller.tree = bt.selector({
  reactive = true,
  bt.when(isTired, bt.sequence({ bt.wait({ 2, 6 }), bt.action(recover) })),
  bt.sequence({
    bt.condition(isAlone),
    bt.walkTo(nextPlace, { gait = "walk" }),
    bt.action(count),
    bt.wait({ 0.5, 4 }),
  }),
})

return stroller
