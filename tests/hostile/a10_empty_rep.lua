-- expect: error string.rep result too large
function attack() return string.rep("", 1e15) end
