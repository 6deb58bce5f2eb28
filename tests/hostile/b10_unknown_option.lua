-- expect: error probe.options: unknown option "onArive"; did you mean "onArrived"?
function attack() probe.options({ onArive = print }) end
