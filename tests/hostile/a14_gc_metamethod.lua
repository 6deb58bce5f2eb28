-- expect: error setmetatable: __gc is not available
function attack() setmetatable({}, { __gc = function() while true do end end }) end
