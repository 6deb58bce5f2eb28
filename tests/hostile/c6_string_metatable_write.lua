-- expect: error attempt to index boolean with '__index'
function attack() getmetatable("").__index = {} end
