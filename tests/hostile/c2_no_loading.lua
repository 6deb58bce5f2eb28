-- expect: returns nil nil nil nil nil
function attack()
    return table.concat({ tostring(load), tostring(loadstring), tostring(dofile), tostring(loadfile), tostring(string.dump) }, " ")
end
