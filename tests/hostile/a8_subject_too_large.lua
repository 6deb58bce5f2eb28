-- expect: error string.gsub: subject too large: 100000 bytes, expected at most 65536; split it
function attack()
    return (("a"):rep(100000):gsub("a", "b"))
end
