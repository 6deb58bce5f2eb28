-- Slips that an editor must show, one a script. Each begins below `-- slip` and is wrong in the line that ends in `--!`. The
-- new solver compares any text with any other: what only the old one shows ends in `--! old`.
-- slip
local result = world.character("guard"):walk("gate")
if result.reason == "nopath" then --! old
  print(result)
end
-- slip
local result = world.character("guard"):walk("gate")
if result.status == "arived" then --! old
  print(result)
end
-- slip
world.character("guard"):walkto("gate") --!
-- slip
world.character("guard"):walk("gate", { doors = "opne" }) --!
-- slip
world.character("guard"):walk("gate", { speed = "fast" }) --!
-- slip
local result = world.character("guard"):walkTo("gate"):wait()
print(result.positon) --!
-- slip
world.caracter("guard") --!
-- slip
world.player():walkTo("gate") --!
-- slip
task.slep(1) --!
-- slip
task.sleep("1") --!
-- slip
local place: vector = world.character("guard").name --!
print(place)
-- slip
world.character("guard"):setSpeed("fast") --!
-- slip
timer.after("1", function() end) --!
-- slip
nav.findPath("gate") --!
-- slip
world.door("gate"):opne() --!
-- slip
if world.door("gate").state == "opened" then --! old
  print("open")
end
-- slip
world.character("guard"):face({}) --!
-- slip
world.character("guard").walkTo("gate") --!
-- slip
world.character("guard"):patrol(3) --!
-- slip
level.finish("yes") --!
-- slip
local ticks: number = level.name --!
print(ticks)
-- slip
local keeper = {}
function keeper.start(self: Behaviour)
  self.charcter:stop() --!
end
return keeper
-- slip
local scene = {}
function scene.script(c: Scene)
  c:sya(world.character("guard"), "hello") --!
end
return scene
-- slip
function heldUp(result: WalkResult)
  print(result.reson) --!
end
-- slip
local expected: WalkReason = "nopath" --!
print(world.character("guard"):walk("gate").reason == expected)
-- slip
local ended: WalkStatus = "stopped" --!
print(world.character("guard"):walk("gate").status == ended)
