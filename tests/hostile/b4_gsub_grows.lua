-- expect: memory or fuel
function attack()
    local s = ("a"):rep(60000)
    return #s:gsub("a", ("x"):rep(1e6))
end
