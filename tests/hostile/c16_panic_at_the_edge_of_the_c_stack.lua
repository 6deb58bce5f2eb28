-- expect: panic
local function f() return (("a"):gsub("a", function() pcall(probe.panic) return f() end)) end
function attack() pcall(f) return 'swallowed' end
