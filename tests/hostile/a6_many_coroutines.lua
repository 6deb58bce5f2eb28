-- expect: fuel
function attack()
    while true do
        local co = coroutine.create(function() for i = 1, 1000 do end coroutine.yield() end)
        coroutine.resume(co)
    end
end
