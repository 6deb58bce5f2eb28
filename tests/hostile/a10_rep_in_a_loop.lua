-- expect: error string.rep result too large
function attack() while true do local s = ("x"):rep(8e6) end end
