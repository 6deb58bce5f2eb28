-- expect: error setmetatable: __mode is not available
function attack() setmetatable({}, { __mode = 'k' }) end
