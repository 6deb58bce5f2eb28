-- Obeys the commands of tests/model.rs, and writes a line for whatever it is told.

local walks, tasks, timers, listeners = {}, {}, {}, {}
local queue = {}

local function told(kind, id)
  return function(result)
    log.info("w%s %s %s/%s %.3f", id, kind, result.status, result.reason,
      vector.magnitude(result.position - result.goal))
  end
end

local function options(id)
  return {
    crowd = "ghost",
    onArrived = told("onArrived", id),
    onFailed = told("onFailed", id),
    onCancelled = told("onCancelled", id),
    onSettled = told("onSettled", id),
  }
end

local function waited(id, move)
  task.spawn(function()
    log.info("m%s %s", id, move:wait().reason)
  end)
end

local run = {}

function run.spawn(who, x, z)
  assert(world.spawn({ name = who, at = vector.create(tonumber(x), 0, tonumber(z)) }))
end

function run.despawn(who)
  world.character(who):despawn()
end

function run.walk(id, who, x, z, style)
  local character = world.character(who)
  local goal = vector.create(tonumber(x), 0, tonumber(z))
  if style == "Task" then
    tasks[id] = task.spawn(function()
      if character.alive then
        told("task", id)(character:walk(goal, options(id)))
      end
    end)
    return
  end
  local walk = character:walkTo(goal, options(id))
  if style == "Handle" then
    task.spawn(function()
      told("waited", id)(walk:wait())
    end)
  end
end

function run.chase(id, who, whom)
  world.character(who):walkTo(world.character(whom), options(id))
end

function run.stop(who)
  world.character(who):stopInPlace()
end

function run.teleport(who, x, z)
  assert(world.character(who):teleport(vector.create(tonumber(x), 0, tonumber(z))))
end

function run.cancelTask(id)
  tasks[id]:cancel()
end

function run.open(id, door)
  waited(id, world.door(door):open())
end

function run.close(id, door)
  waited(id, world.door(door):close())
end

function run.toggle(id, door)
  waited(id, world.door(door):toggle())
end

function run.set(id, door, open, instant)
  waited(id, world.door(door):set(open == "true", { instant = instant == "true" }))
end

function run.lock(door)
  world.door(door):lock()
end

function run.unlock(door)
  world.door(door):unlock()
end

function run.after(id, ticks)
  timers[id] = timer.after(tonumber(ticks) / level.tickRate, function()
    log.info("t%s", id)
  end)
end

function run.cancelTimer(id)
  timers[id]:cancel()
end

function run.listen(id, once)
  local listen = if once == "true" then event.once else event.on
  listeners[id] = listen("beat", function(e)
    log.info("l%s e%s", id, e.id)
  end)
end

function run.unlisten(id)
  listeners[id]:remove()
end

function run.emit(id)
  event.emit("beat", { id = id })
end

local function obey(lines)
  for _, line in ipairs(lines) do
    local words = string.split(line, " ")
    run[words[1]](table.unpack(words, 2))
  end
end

function onStart()
  for _, door in ipairs(world.doors()) do
    for _, what in ipairs({ "opening", "opened", "closing", "closed", "locked", "unlocked", "refused" }) do
      door:on(what, function(e)
        log.info("%s %s", door.name, e.what)
      end)
    end
  end
  event.on("now", obey)
  event.on("later", function(lines)
    queue = lines
  end)
end

function onTick()
  local lines = queue
  queue = {}
  obey(lines)
end
