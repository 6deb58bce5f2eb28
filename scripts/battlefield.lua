-- The level script of the battlefield: a fort behind a river, a tunnel below it, a griffin above.
-- The sapper digs, the raider goes through the tunnel and opens the gate from inside, the mine brings the wall down, and
-- those in the camp storm over the bridge that the engineer has built meanwhile.

local HORN = 8 -- seconds after which the griffin is called down

---@param why string
function onStart(why: string)
  event.on("dug", "tunnelIsThrough")
  event.on("stormed", "takeBanner")
  region.on("fort", { filter = "foot", onEnter = "isInside" })
  if why == "start" then
    timer.after(HORN, function()
      event.emit("horn", {})
    end)
  end
end

-- The way to the winch leads down the shaft, through the tunnel and up the stairs of the cellar.
---@param e { tiles: integer }
function tunnelIsThrough(e)
  log.info("the tunnel is through, %d tiles of earth are gone", e.tiles)
  world.character("raider"):walkTo("winch", { onArrived = "turnWinch", onFailed = "heldUp" })
end

---@param result WalkResult
function turnWinch(result: WalkResult)
  log.info("%s came up inside after %.0f m", result.character.name, result.travelled)
  world.door("gate"):open()
  event.emit("gateOpen", { by = result.character.name })
  result.character:walkTo("farBank", { onFailed = "heldUp" })
end

---@param e RegionEvent
function isInside(e: RegionEvent)
  log.info("%s is inside the fort", e.character.name)
end

---@param e { by: string }
function takeBanner(e)
  if not state.taken then
    state.taken = e.by
    event.emit("bannerTaken", { by = e.by })
  end
end

---@param result WalkResult
function heldUp(result: WalkResult)
  log.warn("%s is held up: %s", result.character.name, result)
end
