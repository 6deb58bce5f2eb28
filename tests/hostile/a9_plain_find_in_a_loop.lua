-- expect: fuel
function attack()
    local s, p = ("a"):rep(60000), ("a"):rep(150) .. "b"
    while true do s:find(p) s:find(p, 1, true) end
end
