-- expect: error C stack overflow
local function f() return (("a"):gsub("a", f)) end
function attack() return f() end
