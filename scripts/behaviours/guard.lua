-- A guard: walks a route, rests at each stop, greets whoever passes close by.
-- In the level: "behaviour": "guard.lua", "params": { "route": "rounds" }.

---@class GuardState
---@field stop integer      index of the next stop on the route
---@field greetings integer how many people were greeted

local guard = {
  version = 1,
  params = {
    route = { type = "route" }, -- checked when the level loads
    pause = { type = "number", default = 1.5, min = 0 }, -- seconds at each stop
    sight = { type = "number", default = 2.5, min = 0 }, -- metres
  },
}

-- Plain data only: it is kept over a hot reload.
function guard:init()
  self.state.stop = 1
  self.state.greetings = 0
end

function guard:start()
  region.near(self.character, self.params.sight, { lineOfWalk = true, onEnter = "seen" })
end

---@param e RegionEvent
function guard:seen(e)
  self.state.greetings = self.state.greetings + 1
  self.log.info("good day, %s", e.character.name)
end

function guard:run()
  while true do
    local route = nav.route(self.params.route)
    local stop = route[self.state.stop] or route[1]
    local result = self.character:walk(stop, { doors = "open", patience = 2 })
    if result.status == "partial" or result.status == "blocked" then
      self.log.warn("stop %d is out of reach: %s", self.state.stop, result)
    end
    self.state.stop = self.state.stop % #route + 1
    task.sleep(self.params.pause + self.rng:float(0, 0.5))
  end
end

---@param why string
function guard:stop(why)
  self.log.debug("the guard stops: %s", why)
end

return guard
