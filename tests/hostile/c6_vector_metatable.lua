-- expect: returns false
function attack() return tostring(getmetatable(vector.create(1, 2, 3))) end
