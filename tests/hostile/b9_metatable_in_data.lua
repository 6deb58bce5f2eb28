-- expect: error probe.plain: payload is a table with a metatable, expected plain data
function attack() probe.plain(setmetatable({}, { __index = error })) end
