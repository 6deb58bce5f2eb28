-- expect: memory or fuel
function attack() while true do pcall(function() local s = 'xxxxxxxx' while true do s = s .. s end end) end end
