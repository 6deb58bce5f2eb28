-- expect: returns 6 refused
function attack()
    local refused = 0
    for _, write in {
        function() table.insert(string, 1) end, function() table.clear(math) end, function() table.move({ 1 }, 1, 1, 1, table) end,
        function() table.sort(vector) rawset(vector, 1, 1) end, function() setmetatable(string, {}) end,
        function() table.remove(coroutine, 1) coroutine[1] = 1 end,
    } do
        if not pcall(write) then refused += 1 end
    end
    return refused .. " refused"
end
