-- expect: error range too large
function attack() unpack({}, 1, 1e8) end
