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

local function second(_, ...)
    return ...
end

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

    -- Methods of a scene, for its own tasks.
    ["Scene.walk"] = function(...)
        return answer(yield(native.own(native.sceneWalk(...))))
    end,
    -- With seconds: a pause of the scene. From outside: until the scene is over.
    ["Scene.wait"] = waiting(native.sceneWait),
    ["Scene.parallel"] = waiting(native.sceneParallel),
    ["Scene.race"] = waiting(native.sceneRace),
    ["Scene.waitFor"] = function(...)
        return second(answer(yield(native.sceneWaitFor(...))))
    end,
    ["Scene.say"] = waiting(native.sceneSay),
    ["Scene.choice"] = function(...)
        local serial, picked = native.sceneChoice(...)
        answer(yield(serial))
        return picked
    end,
    ["Scene.noSkip"] = function(scene, run)
        native.sceneNoSkip(scene, run)
        run()
    end,
    ["Scene.cosmetic"] = function(scene, run)
        native.sceneCosmetic(scene, run)
        run()
    end,
}
