-- expect: returns false cannot resume non-suspended coroutine
-- as a task
function attack()
    local host = coroutine.running()
    local co = coroutine.create(function() return coroutine.resume(host) end)
    local _, ok, problem = coroutine.resume(co)
    return tostring(ok) .. " " .. problem
end
