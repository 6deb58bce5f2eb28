-- expect: error payload is larger than 256 KiB
function attack()
    local t = { 1 }
    for i = 1, 30 do t = { t, t } end
    probe.plain(t)
end
