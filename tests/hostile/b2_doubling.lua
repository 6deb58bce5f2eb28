-- expect: memory or fuel
function attack() local s = 'xxxxxxxx' while true do s = s .. s end end
