-- How a function in Lua waits: it asks the host for a wait, which gives it a number, and yields that number. The host resumes
-- the task with true and the results, or with false and a message. In Lua, because a coroutine cannot yield through a host call.
--
-- In: `yield`, `error`. Out: `answer`, which returns the results or raises the message, and `waiting`, which makes a function
-- that waits out of one that asks. Every other file of the prelude is given the two.

local yield, error = ...

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

return answer, waiting
