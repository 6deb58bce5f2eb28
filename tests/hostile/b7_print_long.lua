-- expect: returns printed
function attack() print(('x'):rep(1e6)) return 'printed' end
