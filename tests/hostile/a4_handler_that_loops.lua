-- expect: fuel
function attack()
    xpcall(function() while true do end end, function() while true do end end)
    while true do xpcall(error, function() while true do end end) end
end
