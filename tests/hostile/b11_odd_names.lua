-- expect: returns false false false false true
function attack()
    local r = {}
    for i, name in { "a\0b", "\xff\xfe", ("x"):rep(129), "", "gate" } do r[i] = tostring((pcall(probe.name, name))) end
    return table.concat(r, " ")
end
