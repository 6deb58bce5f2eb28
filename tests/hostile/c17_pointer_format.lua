-- expect: error invalid option '%p' to 'format'
function attack() return string.format('%p', {}) end
