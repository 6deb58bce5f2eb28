-- The level script of the ruins: a hero frees a prisoner, and the portcullis keeps its own time.

local PORTCULLIS_OPEN = 12 -- seconds

---@param why string
function onStart(why: string)
  event.on("freed", "freed")
  region.on("water", { onEnter = "wades" })
  timer.every(PORTCULLIS_OPEN, function()
    world.door("portcullis"):toggle({ whenOccupied = "wait" })
  end)
  if why == "start" then
    world.door("cell"):lock("rusty")
    world.character("prisoner"):walkTo("hermitage", {
      doors = "wait", -- stands at the bars until somebody opens them
      accept = "near", -- the hermit stands there: beside him will do
      patience = 60,
      onArrived = function(result: WalkResult)
        event.emit("freed", { who = result.character })
      end,
    })
    task.spawn(rescue)
  end
end

function rescue()
  local hero = assert(world.player())
  local cell = world.door("cell")
  local result = hero:walk(cell, { radius = 1 })
  log.info("the hero is at the cell: %s", result)
  cell:unlock("rusty")
  cell:open({ by = hero }):wait()
  hero:walk("altar")
  log.info("the hero rests at the altar")
end

function freed(e: any)
  state.freed = true
  log.info("%s is free", e.who.name)
end

---@param e RegionEvent
function wades(e: RegionEvent)
  log.debug("%s wades", e.character.name)
end
