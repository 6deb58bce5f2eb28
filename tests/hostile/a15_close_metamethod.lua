-- expect: error setmetatable: __close is not available
function attack() setmetatable({}, { __close = function() end }) end
