-- expect: fuel
function attack()
    local s, p = ("a"):rep(1000000), ("a"):rep(500000) .. "b"
    while true do s:split(p) end
end
