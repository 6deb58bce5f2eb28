-- The one piece of behaviour trees that is Lua: the task of an action with both ends. `enter` and `run` may wait, so they must
-- not stand behind a call of the host.
--
-- In: `enter` and `run` of an action. Out: one function of both.

return function(enter, run)
    return function(self)
        enter(self)
        return run(self)
    end
end
