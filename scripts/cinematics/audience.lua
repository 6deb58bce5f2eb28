-- A cinematic: a visitor is led before the regent, who comes down from the throne to meet them.
-- In the level: characters regent and messenger; marks dais, throne, hearth; a door gate.

local scene = {
  holds = { "regent", "messenger" }, -- their behaviours pause, and go on however the scene ends
  locks = { "input" },
}

-- Runs on every exit: watched to its end, cancelled or faulted.
---@param info SceneInfo
function scene.onEnd(info: SceneInfo)
  log.info("the audience is over: %s, last mark %s", info.outcome, info.mark)
end

---@param c Scene
---@param args { visitor: Character }
function scene.script(c: Scene, args: { visitor: Character })
  local visitor = args.visitor
  local regent = world.character("regent")
  local messenger = world.character("messenger")
  local gate = world.door("gate")

  -- Everybody sets out at once; go on when all of it is done.
  c:parallel({
    shut = gate:close({ whenOccupied = "wait" }),
    visitor = visitor:walkTo("dais", { face = regent }),
    regent = c:start(regent, 32, 6, { face = visitor, speed = 0.8 }),
    camera = c:camera("pan", { to = "dais", seconds = 2 }),
  })
  c:mark("faceToFace")

  c:say(regent, "audience.welcome")
  c:say(visitor, "audience.request", { vars = { gold = 25 } })
  if c:choice("audience.answer", { "grant", "refuse" }, { default = "grant" }) == "grant" then
    state.granted = true
    c:say(regent, "audience.granted")
  else
    c:say(regent, "audience.refused")
  end
  c:mark("answered")

  c:parallel({
    regent = c:start(regent, "throne", { face = math.rad(270) }),
    messenger = c:start(messenger, "hearth"),
  })
  event.emit("audienceHeld", { visitor = visitor.name, granted = state.granted })
end

return scene
