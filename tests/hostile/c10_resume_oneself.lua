-- expect: returns false cannot resume running coroutine
function attack()
    local co
    co = coroutine.create(function() return coroutine.resume(co) end)
    local _, ok, problem = coroutine.resume(co)
    return tostring(ok) .. " " .. tostring(problem)
end
