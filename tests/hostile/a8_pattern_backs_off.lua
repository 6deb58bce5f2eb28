-- expect: fuel
function attack()
    return string.find(("a"):rep(2000), ".-.-.-.-b")
end
