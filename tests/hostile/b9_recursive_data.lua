-- expect: error probe.plain: payload.next is a recursive table, expected plain data
function attack() local t = {} t.next = t probe.plain(t) end
