-- expect: fuel
function attack()
    local t = table.create(90000, 1)
    while true do table.insert(t, 1) table.remove(t, 1) end
end
