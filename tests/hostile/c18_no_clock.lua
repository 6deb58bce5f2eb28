-- expect: returns nil nil
function attack() return tostring(os) .. ' ' .. tostring(tick or time or clock) end
