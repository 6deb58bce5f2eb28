-- expect: returns nil nil nil nil nil
function attack()
    return table.concat({ tostring(getfenv), tostring(setfenv), tostring(newproxy), tostring(collectgarbage), tostring(gcinfo) }, " ")
end
