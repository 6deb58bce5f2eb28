-- expect: error range too large
function attack() table.create(1e8) end
