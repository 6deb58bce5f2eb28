-- expect: panic
function attack() coroutine.resume(coroutine.create(probe.panic)) return 'caught' end
