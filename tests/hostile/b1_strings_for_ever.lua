-- expect: fuel or memory
function attack() local t = {} while true do t[#t + 1] = ('x'):rep(3000) .. #t end end
