-- expect: returns no address
function attack()
    local t, f, co, b = {}, function() end, coroutine.create(function() end), buffer.create(1)
    local shown = { tostring(t), tostring(f), tostring(co), tostring(b), tostring(print), tostring(string.rep) }
    for _, v in { t, f, co, b } do
        table.insert(shown, string.format("%s %*", v, v))
        table.insert(shown, `{v}`)
        local ok, problem = pcall(error, v)
        table.insert(shown, tostring(problem))
        table.insert(shown, tostring(select(2, pcall(function() return v .. "x" end))))
        table.insert(shown, tostring(select(2, pcall(function() return v < 1 end))))
        table.insert(shown, tostring(select(2, pcall(function() return ("x"):rep(v) end))))
    end
    local all = table.concat(shown, "\n")
    print(all)
    if all:find("0x", 1, true) then return all end
    assert(tostring(t) == tostring(t) and tostring(t):match("^table#%d+$"))
    return "no address"
end
