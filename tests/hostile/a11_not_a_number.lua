-- expect: error range too large
function attack() table.move({}, 0/0, 0/0, 2) end
