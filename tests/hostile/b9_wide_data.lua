-- expect: error payload is larger than 256 KiB
function attack()
    local t = {}
    for i = 1, 50000 do t[i] = i end
    probe.plain(t)
end
