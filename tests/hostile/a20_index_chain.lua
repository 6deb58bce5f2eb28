-- expect: error
function attack()
    local t = {}
    for i = 1, 1000 do t = setmetatable({}, { __index = t }) end
    return t.x.y
end
