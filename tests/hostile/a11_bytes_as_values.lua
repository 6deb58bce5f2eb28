-- expect: error string.byte: range too large
function attack() return select('#', ('x'):rep(1e6):byte(1, -1)) end
