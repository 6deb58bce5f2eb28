-- expect: returns 16
local function nest(n)
    if n == 16 then return n end
    return coroutine.wrap(nest)(n + 1)
end
function attack() return tostring(coroutine.wrap(nest)(1)) end
