-- expect: error a key that is no name and no whole number
function attack() probe.plain({ [1.5] = 1 }) end
