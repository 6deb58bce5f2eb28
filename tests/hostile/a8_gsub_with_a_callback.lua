-- expect: fuel
function attack()
    return (("a"):rep(60000):gsub("a", function() while true do end end))
end
