-- expect: fuel
function attack() while true do print('x') end end
