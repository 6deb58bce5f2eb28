-- expect: error cannot close running coroutine
-- as a task
function attack()
    local host = coroutine.running()
    local co = coroutine.create(function() coroutine.close(host) end)
    local _, problem = coroutine.resume(co)
    error(problem, 0)
end
