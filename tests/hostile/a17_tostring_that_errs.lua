-- expect: error (error object is a table)
function attack()
    error(setmetatable({}, { __tostring = function() error("inner") end, __concat = error, __index = error }))
end
