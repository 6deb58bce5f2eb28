-- expect: fuel
function attack()
    local co = coroutine.create(function()
        while true do pcall(function() while true do end end) coroutine.yield() end
    end)
    while true do coroutine.resume(co) end
end
