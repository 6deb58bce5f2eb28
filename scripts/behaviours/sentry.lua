-- A guard with modes: patrols, looks into noises, fights, and flees when it is badly hurt.
-- In the level: "behaviour": "sentry.lua", "params": { "route": "rounds", "vision": 12, "angle": 120 };
-- those it watches for have the tag of `enemy`, "player" unless said otherwise.

local vigil = require("lib/vigil")

local sentry = {
  params = vigil.params({ route = { type = "route", optional = true } }),
}

---@param self Behaviour
function sentry.start(self: Behaviour)
  vigil.begin(self)
end

---@param self Behaviour
function sentry.update(self: Behaviour)
  vigil.mind(self)
end

sentry.tree = bt.selector({
  reactive = true,
  bt.when(vigil.is("dead"), bt.wait(1)),
  bt.when(vigil.is("flee"), bt.action(vigil.runAway)),
  bt.when(vigil.is("combat"), bt.action(vigil.fight)),
  bt.when(vigil.is("investigate"), bt.action(vigil.investigate)),
  bt.when(vigil.is("patrol"), bt.action(vigil.patrol)),
  bt.wait(0.5),
})

return sentry
