-- expect: fuel
function attack()
    local t = {}
    for i = 1, 200000 do table.insert(t, 1, i) end
end
