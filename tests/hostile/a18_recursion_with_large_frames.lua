-- expect: error stack overflow or memory or fuel
local function f(...) return 1 + f(1, 2, 3, 4, 5, 6, 7, 8, 9, ...) end
function attack() return f() end
