-- What waits: each function asks the host for a wait, which gives it a number, and yields that number. The host resumes the
-- task with true and the results, or with false and a message. In Lua, because a coroutine cannot yield through a host call.
--
-- In: functions of the host, `yield`, `error`. Out: the waiting functions by the type or library they belong to.

local native, yield, error = ...

local function answer(ok, ...)
    if ok then
        return ...
    end
    error((...), 0)
end

local function waiting(request)
    return function(...)
        return answer(yield(request(...)))
    end
end

local wait = waiting(native.wait)

return {
    ["task.sleep"] = waiting(native.sleep),
    ["task.ticks"] = waiting(native.ticks),
    ["task.waitUntil"] = waiting(native.waitUntil),
    ["task.waitEvent"] = waiting(native.waitEvent),
    ["task.await"] = waiting(native.await),
    ["task.all"] = waiting(native.all),
    ["task.race"] = waiting(native.race),
    ["task.timeout"] = waiting(native.timeout),

    ["Walk.wait"] = wait,
    ["DoorMove.wait"] = wait,
    ["PathRequest.wait"] = wait,
    ["Timer.wait"] = wait,
    ["Task.wait"] = wait,
    ["Turn.wait"] = wait,
    ["Play.wait"] = wait,
    ["Cue.wait"] = wait,
    ["Change.wait"] = wait,

    -- The walk belongs to the calling task and ends with it.
    ["Character.walk"] = function(...)
        return answer(yield(native.own(native.walk(...))))
    end,
}
