-- expect: fuel or memory
function attack()
    local t = {}
    while true do t[#t + 1] = coroutine.wrap(function() coroutine.yield() end) t[#t]() end
end
