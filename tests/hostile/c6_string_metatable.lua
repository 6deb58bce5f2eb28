-- expect: returns false
function attack() return tostring(getmetatable("")) end
