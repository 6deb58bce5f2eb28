-- expect: panic
function attack() xpcall(probe.panic, function() return 1 end) return 'caught' end
