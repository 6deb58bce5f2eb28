-- expect: returns nil
function attack() return tostring(embeddingGame) end
