-- expect: error probe.plain: payload.x is NaN, expected plain data
function attack() probe.plain({ x = 0/0 }) end
