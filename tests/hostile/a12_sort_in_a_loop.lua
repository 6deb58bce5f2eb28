-- expect: fuel
function attack()
    local t = {}
    for i = 1, 2000 do t[i] = (i * 7919) % 2000 end
    while true do table.sort(t) end
end
