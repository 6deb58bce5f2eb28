-- expect: fuel
function attack() local t = {} while true do t[#t + 1] = {} end end
