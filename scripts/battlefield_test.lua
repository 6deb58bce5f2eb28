-- What the battlefield promises. Run with: walkon test scripts/battlefield_test.lua

local WALL = vector.create(32, 0, 13.279) -- above the tunnel
local RIVER = vector.create(18, 0, 9.815) -- where the bridge will be

local function tile(place: vector, layer: string?): Tile
  return assert(nav.tileAt(place, layer))
end

test.level("each layer has its own ground and its own way", { level = "battlefield", maxTicks = 60 }, function(t)
  local inSky = nav.findPath("overFields", "overBanner", { layer = "sky" })
  t:expect(inSky.status):toBe("complete")
  -- The gate is closed, the tunnel is not dug, and the launching place is for those with wings.
  t:expect(world.character("raider"):canReach("banner")):toBe(false)
  t:expect(world.character("griffin"):canReach("banner", { layer = "ground" })):toBe(true)

  t:expect(tile(WALL, "ground").navigable):toBe(false)
  t:expect(tile(WALL, "sky").navigable):toBe(true)
  t:expect(assert(tile(WALL, "underground").tags)[1]):toBe("earth")
  t:expect(world.character("griffin").layer):toBe("sky")
  t:expect(world.character("sapper").layer):toBe("underground")
  t:expect(world.character("arn").layer):toBe("ground")
end)

test.level("the griffin comes down when the horn sounds, and takes off again", { level = "battlefield", maxTicks = 3600 }, function(t)
  local griffin = world.character("griffin")
  local landed = t:expectEvent("landed", { within = 30 })
  t:expect(landed.layer):toBe("ground")
  t:expect(griffin:distanceTo("launch")):toBeBelow(0.1)
  local aloft = t:expectEvent("aloft", { within = 30 })
  t:expect(aloft.layer):toBe("sky")
end)

test.level("a bridge of two tiles is shorter than the ford", { level = "battlefield", maxTicks = 3600 }, function(t)
  t:expect(tile(RIVER).navigable):toBe(false)
  local arn = world.character("arn")
  local before = nav.findPath(arn, "farBank")
  t:expect(before.cost):toBeAbove(before.length) -- it wades
  local built = t:expectEvent("bridgeBuilt", { within = 30 })
  t:expect(built.tiles):toBe(2)
  t:expect(tile(RIVER).terrain):toBe("bridge")
  t:expect(assert(tile(RIVER).tags)[1]):toBe("built")
  t:expect(nav.findPath(arn, "farBank").cost):toBeBelow(before.cost * 0.6)
end)

test.level("the tunnel leads the raider under the wall to the winch", { level = "battlefield", maxTicks = 5400 }, function(t)
  local raider = world.character("raider")
  local dug = t:expectEvent("dug", { within = 60 })
  t:expect(dug.tiles):toBe(9)
  t:until_(function() return raider.layer == "underground" end, { timeout = 20 })
  t:until_(function() return raider.layer == "ground" end, { timeout = 30 })
  t:expect(raider.position.x):toBeAbove(33) -- inside
  t:expectEvent("gateOpen", { within = 20 })
  t:until_(function() return world.door("gate").passable end, { timeout = 5 })
end)

test.level("the mine opens the wall above and closes the tunnel below", { level = "battlefield", maxTicks = 5400 }, function(t)
  t:expectEvent("wallBroken", { within = 80 })
  t:run(0.1)
  t:expect(tile(WALL, "ground").terrain):toBe("rock")
  t:expect(tile(WALL, "ground").navigable):toBe(true)
  t:expect(tile(WALL, "ground").cost):toBe(1.5)
  t:expect(tile(WALL, "underground").navigable):toBe(false)
  t:expect(tile(WALL, "sky").cost):toBe(1) -- untouched
  local sapper = world.character("sapper")
  t:expect(sapper.layer):toBe("ground")
  t:expect(sapper:canReach("cellar", { layer = "underground" })):toBe(true) -- by the gate and the stairs of the cellar
end)

test.level("the banner is taken and both defenders surrender", { level = "battlefield", maxTicks = 6000 }, function(t)
  local arms = 0
  event.on("surrendered", function() arms = arms + 1 end)
  local taken = t:expectEvent("bannerTaken", { within = 95 })
  t:expect(world.character(taken.by):hasTag("foot")):toBe(true)
  t:run(2)
  t:expect(arms):toBe(2)
  t:expect(world.character("hilda"):isMoving()):toBe(false)
  t:expect(world.character("igor"):isMoving()):toBe(false)
end)
