-- expect: error string.find: pattern too long: 5000 bytes, expected at most 200
function attack()
    return string.find("aaa", ("a?"):rep(2500))
end
