-- expect: error string.format result too large
function attack()
    local s = ("x"):rep(1e6)
    return string.format("%s%s", s, s)
end
