-- expect: error invalid order function for sorting
function attack()
    local t = {}
    for i = 1, 100 do t[i] = i end
    table.sort(t, function() return true end)
end
