-- expect: error range too large
function attack() table.concat({}, "", 1, 1e8) end
