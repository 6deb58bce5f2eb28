-- expect: returns 9 refused
function attack()
    local refused = 0
    for _, name in { "../secret", "/etc/passwd", "..", "@self", "a/../b", "C:\\x", "a\\b", "./victim", "victim/" } do
        if not pcall(require, name) then refused += 1 end
    end
    return refused .. " refused"
end
