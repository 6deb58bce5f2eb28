-- expect: fuel
function attack()
    local spin = coroutine.wrap(function() while true do end end)
    while true do pcall(spin) end
end
