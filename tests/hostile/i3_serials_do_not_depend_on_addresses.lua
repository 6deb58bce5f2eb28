-- expect: returns table#1 function#2 table#1
function attack()
    local t = {}
    return tostring(t) .. " " .. tostring(function() end) .. " " .. tostring(t)
end
