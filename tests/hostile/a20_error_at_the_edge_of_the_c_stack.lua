-- expect: returns tried
local depth
local function f(n)
    if n == 0 then error("edge") end
    return (("a"):gsub("a", function() return f(n - 1) end))
end
function attack()
    for n = 90, 110 do pcall(f, n) xpcall(f, function(e) return e end, n) end
    return "tried"
end
