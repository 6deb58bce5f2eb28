-- expect: error xxxxxxxx
function attack() error(("x"):rep(1e6)) end
