-- expect: error C stack overflow
local function f() table.sort({ 1, 2 }, function() f() return true end) end
function attack() f() end
