-- What waits in a level test, and what calls a function of the test. How they wait is said in `wait.lua`.
--
-- In: functions of the host, `answer`, `waiting`, `yield`, `error`, `pcall`. Out: the functions by the type they belong to.

local native, answer, waiting, yield, error, pcall = ...

-- A try: true when every expectation held, false when one failed. Any other error goes on.
local function holds(fn)
    native.beginTry()
    local ok, problem = pcall(fn)
    if native.endTry() then
        return false
    elseif not ok then
        error(problem, 0)
    end
    return true
end

return {
    ["Test.run"] = waiting(native.run),
    ["Test.ticks"] = waiting(native.ticks),

    ["Test.until_"] = function(...)
        local serial, seconds = native.until_(...)
        if not answer(yield(serial)) then
            native.stillFalse(seconds)
        end
    end,

    ["Test.eventually"] = function(t, fn, options)
        local serial, seconds = native.eventually(t, fn, options, function()
            return holds(fn)
        end)
        if not answer(yield(serial)) then
            native.stillFailing(seconds)
        end
    end,

    ["Test.expectWalk"] = function(...)
        local serial, status, reason, seconds = native.expectWalk(...)
        local ok, result = answer(yield(serial))
        native.walked(ok, result, status, reason, seconds)
        return result
    end,

    ["Test.expectEvent"] = function(...)
        local serial, name, seconds = native.expectEvent(...)
        local payload = answer(yield(serial))
        native.heard(name, seconds)
        return payload
    end,

    ["Test.expectNoEvent"] = function(...)
        local serial, name = native.expectNoEvent(...)
        local payload = answer(yield(serial))
        native.notHeard(name, payload)
    end,

    ["Test.reload"] = function(t, files)
        answer(yield(native.reload(t, files)))
        return native.reloaded(files)
    end,

    ["Test.save"] = function(t)
        answer(yield(native.save(t)))
        return native.saved()
    end,

    ["Test.load"] = function(t, saved)
        answer(yield(native.load(t, saved)))
        return native.loaded()
    end,

    ["Expectation.toSatisfy"] = function(expectation, fn)
        native.satisfied(expectation, fn(native.satisfy(expectation, fn)))
    end,
}
