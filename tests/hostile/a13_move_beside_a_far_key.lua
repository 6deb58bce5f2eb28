-- expect: returns error table.move: range too large: expected at most 100000 elements
function attack()
    local d = {}
    d[-2147483648] = 1
    local ok, problem = pcall(table.move, { 1 }, 1, 2147483647, 1, d)
    return if ok then "moved" else "error " .. problem:gsub("^[^:]*:%d+: ", "")
end
