-- expect: returns 1 2
function attack()
    _G.x = 1
    rawset(_G, "polluted", 2)
    return x .. " " .. polluted
end
