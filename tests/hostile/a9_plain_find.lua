-- expect: returns nil
function attack()
    local s, p = ("a"):rep(1000000), ("a"):rep(500000) .. "b"
    return tostring(string.find(s, p, 1, true))
end
