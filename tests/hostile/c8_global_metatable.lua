-- expect: error cannot change a protected metatable
function attack() setmetatable(_G, { __index = error }) end
