-- expect: error attempt to modify a readonly table
function attack() math.random = nil end
