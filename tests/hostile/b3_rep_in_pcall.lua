-- expect: fuel
function attack() while true do pcall(string.rep, "x", 1e9) end end
