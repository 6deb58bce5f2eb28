-- expect: fuel
function attack()
    local t = table.create(90000, "x")
    while true do table.find(t, 7) end
end
