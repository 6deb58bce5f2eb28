-- What a scene's own code waits with: the Lua half of the methods of a scene.
--
-- In: functions of the host, `answer`, `waiting`, `yield`, `error`, `pcall`; the table of waiting functions so far. Out: the
-- same table with those of scenes added. A function that runs at normal speed is called in protected mode, so that skipping
-- goes on however it ends.

local native, answer, waiting, yield, error, pcall, waits = ...

-- The result of a wait with an end: one value, nil when its time was over.
local function second(_, result)
    return result
end

waits["Scene.walk"] = function(...)
    return answer(yield(native.own(native.sceneWalk(...))))
end
-- With seconds: a pause of the scene. From outside: until the scene is over.
waits["Scene.wait"] = waiting(native.sceneWait)
waits["Scene.parallel"] = waiting(native.sceneParallel)
waits["Scene.race"] = waiting(native.sceneRace)
waits["Scene.waitFor"] = function(...)
    return second(answer(yield(native.sceneWaitFor(...))))
end
waits["Scene.say"] = waiting(native.sceneSay)
waits["Scene.choice"] = waiting(native.sceneChoice)
waits["Scene.noSkip"] = function(scene, run)
    native.sceneWatch(scene, run)
    local ok, problem = pcall(run)
    native.sceneUnwatch(scene)
    if not ok then
        error(problem, 0)
    end
end
waits["Scene.cosmetic"] = function(scene, run)
    if native.sceneCosmetic(scene, run) then
        run()
    end
end

return waits
