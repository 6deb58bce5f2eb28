-- expect: error a key that is neither a name nor a whole number
function attack() probe.plain({ [1.5] = 1 }) end
