-- expect: error (error object is a table)
function attack()
    error(setmetatable({}, { __tostring = function() while true do end end }))
end
