-- expect: returns false error in error handling
function attack()
    local ok, problem = xpcall(error, function() error("again") end, "first")
    return tostring(ok) .. " " .. tostring(problem)
end
