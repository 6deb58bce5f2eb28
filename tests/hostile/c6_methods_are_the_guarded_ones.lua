-- expect: error string.rep result too large
function attack() return ("x"):rep(1e9) end
