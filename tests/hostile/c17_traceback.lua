-- expect: returns no address
function attack() local s = debug.traceback('x') return if s:find('0x', 1, true) then s else 'no address' end
