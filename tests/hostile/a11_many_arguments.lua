-- expect: fuel
local t = table.create(8000, 1)
function attack() while true do string.format("%d", unpack(t)) print(unpack(t)) end end
