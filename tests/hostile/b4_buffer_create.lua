-- expect: error size too large
function attack() buffer.create(1e9) end
