-- expect: error table.move: index out of range
function attack()
    table.move({ 1, 2, 3 }, 1, 3, 2147483646, {})
end
