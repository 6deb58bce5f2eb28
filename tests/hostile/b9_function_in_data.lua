-- expect: error probe.plain: payload.list[2].fn is a function, expected plain data
function attack() probe.plain({ list = { 1, { fn = print } } }) end
