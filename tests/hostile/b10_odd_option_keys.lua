-- expect: error unknown option 1, expected names
function attack() probe.options({ true }) end
