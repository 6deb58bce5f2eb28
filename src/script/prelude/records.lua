-- Tables that the host hands to scripts, each made in one call. The fields are those of the reference: `RegionEvent`
-- (`bind/region.rs`) and `WalkResult` (`bind/results.rs`). The host makes them read-only.
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

return crossing, walkResult
