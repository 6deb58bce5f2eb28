-- expect: fuel
local f
f = function(n) while true do pcall(f, n + 1) end end
function attack() f(1) end
