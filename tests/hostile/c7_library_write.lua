-- expect: error attempt to modify a readonly table
function attack() string.rep = nil end
