-- The level script of the burrow: a mesh made of areas. A mouse, a man and a giant go east, each by the way that fits.

---@param why string
function onStart(why: string)
  if why == "start" then
    state.ways = {}
    for _, way in ipairs({ "inCrack", "inPassage", "inGateway" } :: { RegionName }) do
      region.on(way, { onEnter = "passed" })
    end
    world.character("mouse"):walkTo("mouseHole", { onSettled = "there" })
    world.character("man"):walkTo("bench", { onSettled = "there" })
    world.character("giant"):walkTo("stable", { onSettled = "there" })
  end
end

---@param e { region: string, character: Character }
function passed(e)
  state.ways[e.character.name] = e.region
end

---@param result WalkResult
function there(result: WalkResult)
  event.emit("there", { who = result.character.name, reason = result.reason })
end
