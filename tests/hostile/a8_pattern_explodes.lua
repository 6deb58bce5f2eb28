-- expect: fuel or error pattern too long
function attack()
    return string.find(("a"):rep(32), ("a?"):rep(32) .. ("a"):rep(32))
end
