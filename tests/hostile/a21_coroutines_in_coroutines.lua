-- expect: error coroutines nested too deeply
local function nest(n)
    local co = coroutine.wrap(nest)
    return co(n + 1)
end
function attack() return nest(1) end
