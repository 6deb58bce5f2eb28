-- What the tower promises. Run with: walkon test scripts/tower_test.lua

test.level("the guest gets up the stairs to the window", { level = "tower", maxTicks = 3600 }, function(t)
  local guest = world.character("guest")
  t:eventually(function()
    t:expect(guest.position):toBeNear(nav.mark("window").position, 0.2)
  end, { timeout = 40 })
  t:expect(guest.position.y):toBeAbove(2.9)
end)

test.level("the warden walks up and down", { level = "tower", maxTicks = 9000 }, function(t)
  local warden = world.character("warden")
  t:until_(function() return warden.position.y > 2.9 and warden:distanceTo("gallery") < 1 end, { timeout = 60 })
  t:until_(function() return warden.position.y < 0.1 and warden:distanceTo("hearth") < 1 end, { timeout = 60 })
end)

test.level("the door to the stairs keeps out who does not open it", { level = "tower", maxTicks = 600 }, function(t)
  local ok, why = nav.reachable("hearth", "gallery")
  t:expect(ok):toBe(false)
  t:expect(why):toBe("doorClosed")
  t:expect(nav.reachable("foot", "gallery")):toBe(true)
end)
