-- What waits, wherever it is called: how is said in `wait.lua`.
--
-- In: functions of the host, `answer`, `waiting`, `yield`. Out: the waiting functions by the type or library they belong to.

local native, answer, waiting, yield = ...

local wait = waiting(native.wait)

-- As `waiting`, for what takes one argument: functions with any number of them are slower to call.
local function sleeping(request)
    return function(time)
        return answer(yield(request(time)))
    end
end

return {
    ["task.sleep"] = sleeping(native.sleep),
    ["task.ticks"] = sleeping(native.ticks),
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
