-- expect: returns nil nil
function attack() return tostring(io) .. ' ' .. tostring(os) end
