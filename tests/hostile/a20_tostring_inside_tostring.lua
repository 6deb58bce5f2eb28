-- expect: error C stack overflow
local t = {}
setmetatable(t, { __tostring = function() return tostring(t) end })
function attack() return tostring(t) end
