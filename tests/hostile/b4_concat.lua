-- expect: error table.concat result too large
function attack()
    return table.concat(table.create(1000, ("x"):rep(1e5)))
end
