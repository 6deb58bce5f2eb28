-- expect: fuel
function attack() while true do local s = ("x"):rep(1e6) end end
