-- expect: error range too large
function attack() table.move({}, 1, 1e15, 2) end
