-- expect: error C stack overflow
local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end })
function attack() return t[1] end
