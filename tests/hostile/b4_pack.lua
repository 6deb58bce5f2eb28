-- expect: memory or fuel or error
function attack() while true do string.pack("c100000000", "") end end
