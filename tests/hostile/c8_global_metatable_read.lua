-- expect: returns false
function attack() return tostring(getmetatable(_G)) end
