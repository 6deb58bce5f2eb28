-- expect: returns nil
function attack()
    local t = setmetatable({}, { __index = function() while true do end end, __len = error, __iter = error, __pairs = error })
    return tostring(probe.options(t))
end
