-- expect: error attempt to modify a readonly table
function attack() rawset(math, 'floor', function() return 666 end) end
