-- expect: panic
function attack() probe.panic() end
