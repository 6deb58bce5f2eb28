-- What a scene's own code waits with: the Lua half of the methods of a scene.
--
-- In: functions of the host, `yield`, `error`, `pcall`; the table of waiting functions so far. Out: the same table with those of
-- scenes added. A function that runs at normal speed is called in protected mode, so that skipping goes on however it ends.

local native, yield, error, pcall, waiting = ...

local function answer(ok, ...)
    if ok then
        return ...
    end
    error((...), 0)
end

local function asks(request)
    return function(...)
        return answer(yield(request(...)))
    end
end

-- The result of a wait with an end: one value, nil when its time was over.
local function second(_, result)
    return result
end

waiting["Scene.walk"] = function(...)
    return answer(yield(native.own(native.sceneWalk(...))))
end
-- With seconds: a pause of the scene. From outside: until the scene is over.
waiting["Scene.wait"] = asks(native.sceneWait)
waiting["Scene.parallel"] = asks(native.sceneParallel)
waiting["Scene.race"] = asks(native.sceneRace)
waiting["Scene.waitFor"] = function(...)
    return second(answer(yield(native.sceneWaitFor(...))))
end
waiting["Scene.say"] = asks(native.sceneSay)
waiting["Scene.choice"] = asks(native.sceneChoice)
waiting["Scene.noSkip"] = function(scene, run)
    native.sceneWatch(scene, run)
    local ok, problem = pcall(run)
    native.sceneUnwatch(scene)
    if not ok then
        error(problem, 0)
    end
end
waiting["Scene.cosmetic"] = function(scene, run)
    if native.sceneCosmetic(scene, run) then
        run()
    end
end

return waiting
