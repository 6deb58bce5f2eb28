-- expect: returns nil
function attack() return tostring(package) end
