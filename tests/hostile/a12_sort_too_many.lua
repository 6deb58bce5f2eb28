-- expect: error table.sort: range too large
function attack()
    local t = table.create(100000, 1)
    t[100001] = 0
    table.sort(t)
end
