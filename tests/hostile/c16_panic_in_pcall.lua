-- expect: panic
function attack() while true do pcall(probe.panic) end end
