-- expect: fuel
function attack() while true do end end
