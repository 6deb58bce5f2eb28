-- expect: returns traceback
function attack()
    local names = {}
    for name in debug do table.insert(names, name) end
    return table.concat(names, " ")
end
