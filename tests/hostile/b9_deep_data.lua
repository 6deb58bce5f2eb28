-- expect: error is deeper than 32 tables, expected plain data
function attack()
    local t = {}
    for i = 1, 20000 do t = { t } end
    probe.plain(t)
end
