-- expect: error range too large
function attack() return select('#', table.unpack({}, 1, 99999)) end
