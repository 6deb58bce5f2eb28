-- Tables that the host hands to scripts, each made in one call. The fields are those of the reference: `RegionEvent`
-- (`bind/region.rs`) and `WalkResult` (`bind/results.rs`), which the host makes read-only, and `Behaviour`.
--
-- In: the words for statuses and reasons, which the host gives by their numbers.

local statuses, reasons = ...

local function crossing(character, region, watch, how)
    return { character = character, region = region, watch = watch, how = how }
end

local function walkResult(
    ok,
    status,
    reason,
    walk,
    character,
    position,
    goal,
    remaining,
    travelled,
    ticks,
    repaths,
    by,
    detail
)
    return {
        ok = ok,
        status = statuses[status],
        reason = reasons[reason],
        walk = walk,
        character = character,
        position = position,
        goal = goal,
        remaining = remaining,
        travelled = travelled,
        ticks = ticks,
        repaths = repaths,
        by = by,
        detail = detail,
    }
end

local function behaviour(metatable, character, params, state, name, rng, blackboard, log)
    local self = {
        character = character,
        params = params,
        state = state,
        name = name,
        rng = rng,
        blackboard = blackboard,
        log = log,
    }
    return setmetatable(self, metatable)
end

return crossing, walkResult, behaviour
