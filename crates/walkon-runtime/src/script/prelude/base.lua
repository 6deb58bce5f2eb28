-- The guarded base: what scripts get in place of Luau functions that loop, copy, catch or show addresses.
--
-- In: the native libraries, functions of the host, limits. Out: a table of libraries with the replacements.
-- Holds: work is bounded or charged before it is done; a spent budget is never caught (each call and return in here is a
-- safepoint, which raises again); no address is shown. Compiled without line numbers, so errors name the caller's line.

local native, host, limits = ...

-- `type`, `typeof`, `select`, `rawget`, `rawlen` and `tostring` stay globals: the compiler makes instructions of them.
local error, xpcall, tonumber, setmetatable = native.error, native.xpcall, native.tonumber, native.setmetatable
local find, match, gmatch, gsub, rep, format, split, sub, byte =
    native.string.find, native.string.match, native.string.gmatch, native.string.gsub, native.string.rep,
    native.string.format, native.string.split, native.string.sub, native.string.byte
local insert, remove, concat, unpack, move, create, tfind, sort, clear, maxn, pack =
    native.table.insert, native.table.remove, native.table.concat, native.table.unpack, native.table.move,
    native.table.create, native.table.find, native.table.sort, native.table.clear, native.table.maxn, native.table.pack
local costart, coresume, coclose = native.coroutine.create, native.coroutine.resume, native.coroutine.close
local corunning = native.coroutine.running
local info = native.debug.info
local charge, caught, placeText, enter, leave = host.charge, host.caught, host.place, host.enter, host.leave
local chargeComparisons, chargePlaces, see = host.chargeComparisons, host.chargePlaces, host.see
local setPaid, countTables = host.setPaid, host.countTables
local noteFailure, setFailureAside, isLooking = host.noteFailure, host.setFailureAside, host.isLooking

local RESULT, PATTERN, SUBJECT, ELEMENTS, LINE =
    limits.result, limits.pattern, limits.subject, limits.elements, limits.line

-- Every call copies its arguments, so a list of values is shorter than a table may be. Luau's own default.
local VALUES = 8000

-- Functions of a coroutine that has failed, as many as a traceback shows.
local FRAMES = 20

-- Below this many elements or bytes, a call is not worth charging: it costs no more than a few safepoints.
local SMALL = 64

-- Bytes that are copied in a unit of fuel.
local LARGE = 256

-- Bytes of a text that is paid for when it is made.
local LONG = 512

local base, str, tab, co, buf, utf = {}, {}, {}, {}, {}, {}

local function bad(position, name, expected, value)
    error(format("invalid argument #%d to '%s' (%s expected, got %s)", position, name, expected, typeof(value)), 3)
end

-- A text argument; numbers are taken as texts, as in every Lua.
local function text(value, position, name)
    if type(value) == "number" then
        return tostring(value)
    end
    error(format("invalid argument #%d to '%s' (string expected, got %s)", position, name, typeof(value)), 3)
end

-- ------ errors

local OUT_OF_MEMORY = "not enough memory"

-- What it takes to end calls that stood inside one another until there was no room for more: those of metamethods, of which
-- there may be 200, are unwound one by one, in a millisecond.
local OVERFLOW = 2000

-- Whether texts that are made are paid for already. Which of them have to be made is up to the collector, because an equal one
-- may be there still. So the functions in here that make texts pay for them by their length, and then they cost nothing to make.
-- An error may end what was paid for, so handlers and whatever catches errors end it before they do anything else.
local function beginPaid()
    setPaid(true)
end

local function endPaid()
    setPaid(false)
end

-- The results of what was paid for.
local function unpaid(...)
    endPaid()
    return ...
end

-- An error of the host as the text it stands for. A panic of the host looks alike; it is left as it is, and `caught` lets it
-- pass on. Nothing in here may hand either to a host function: it would panic in the handler, where the panic is lost.
local function textOf(problem)
    beginPaid()
    local shown = unpaid(tostring(problem))
    charge(#shown // LARGE)
    if sub(shown, 1, 15) ~= "runtime error: " then
        return problem
    end
    local stop = find(shown, "\nstack traceback:", 1, true)
    beginPaid()
    return unpaid(sub(shown, 16, if stop then stop - 1 else nil))
end

-- Runs before the stack is unwound, so that errors of guarded functions get the line of the script that called them.
-- `handlers` is the number of functions of ours between the error and `placeText`.
local function placeBelow(problem, handlers)
    endPaid()
    if type(problem) == "string" then
        return placeText(problem, handlers)
    elseif typeof(problem) == "error" then
        return textOf(problem)
    end
    return problem
end

local function place(problem)
    return (placeBelow(problem, 2))
end

-- Whether an error of a coroutine is on its way, with a note of where it was raised; and whether
-- `coroutine.resume` has returned one, which its caller may raise again.
local isRaised, isReturned = false, false

-- The error has been caught: what was noted of it says nothing of later ones.
local function catch()
    isRaised, isReturned = false, false
    setFailureAside()
end

local function settle(ok, ...)
    if ok then
        return true, ...
    end
    endPaid()
    if isRaised or isReturned then
        catch()
    end
    local problem = ...
    if type(problem) == "string" and problem ~= OUT_OF_MEMORY then
        if #problem < LONG and find(problem, "stack overflow", 1, true) then
            charge(OVERFLOW)
        end
        return false, problem
    end
    return false, caught(problem)
end

function base.pcall(f, ...)
    return settle(xpcall(f, place, ...))
end

function base.xpcall(f, handler, ...)
    if type(handler) ~= "function" then
        bad(2, "xpcall", "function", handler)
    end
    return settle(xpcall(f, function(problem)
        local placed = placeBelow(problem, 2)
        if placed == OUT_OF_MEMORY or typeof(placed) == "error" then
            return placed
        end
        return handler(placed)
    end, ...))
end

-- ------ metatables and addresses

function base.setmetatable(t, metatable)
    if type(t) == "table" and type(metatable) == "table" then
        for _, key in { "__gc", "__close", "__mode" } do
            if rawget(metatable, key) ~= nil then
                error(format("setmetatable: %s is not available", key), 2)
            end
        end
    end
    return setmetatable(t, metatable)
end

local serials, serialCount = setmetatable({}, { __mode = "k" }), 0

local function show(value)
    local kind = type(value)
    if kind == "string" then
        return value
    end
    local shown = tostring(value)
    -- An address stands at the end, and what a "__tostring" gives may be long.
    if kind == "nil" or kind == "boolean" or kind == "number" or kind == "vector" or not find(sub(shown, -20), ": 0x", 1, true) then
        return shown
    end
    local serial = serials[value]
    if not serial then
        -- A question leaves the numbers as they are.
        if isLooking() then
            return typeof(value)
        end
        serialCount += 1
        serial = serialCount
        serials[value] = serial
    end
    return typeof(value) .. "#" .. serial
end

-- A number that is written out has few digits; turning a long text into one takes its length.
function base.tonumber(...)
    local value, radix = ...
    if type(value) == "string" and #value > SMALL then
        charge(#value // 4)
    end
    if radix ~= nil then
        return tonumber(value, radix)
    elseif select("#", ...) == 0 then
        error("missing argument #1 to 'tonumber'", 2)
    end
    return tonumber(value)
end

function base.tostring(...)
    if select("#", ...) == 0 then
        error("invalid argument #1 to 'tostring' (value expected)", 2)
    end
    return show((...))
end

function base.print(...)
    local shown, length = {}, 0
    local values = pack(...)
    for i = 1, values.n do
        shown[i] = sub(show(values[i]), 1, LINE)
        length += #shown[i]
        if length > LINE then
            break
        end
    end
    host.print(concat(shown, "\t"))
end

-- ------ coroutines: scripts resume and close only those they made

local own = setmetatable({}, { __mode = "k" })

-- Where a coroutine stands that has failed: file, line and name of its innermost functions.
local function placesOf(thread)
    local places = {}
    for level = 0, FRAMES do
        local file, line, name = info(thread, level, "sln")
        if not file then
            break
        end
        insert(places, file)
        insert(places, line)
        insert(places, name or "")
    end
    return places
end

-- What comes of a coroutine that has yielded, returned or failed; `raises`: whether its error is raised again.
local function finish(thread, raises, ok, ...)
    leave()
    if ok then
        return true, ...
    end
    endPaid()
    local isCarried = isRaised or isReturned
    if isCarried then
        catch()
    end
    local problem = ...
    if type(problem) ~= "string" or problem == OUT_OF_MEMORY then
        problem = caught(problem)
    end
    noteFailure(problem, placesOf(thread), isCarried, raises)
    isRaised, isReturned = raises, not raises
    return false, problem
end

local function resume(thread, raises, ...)
    if not own[thread] then
        return false, "cannot resume non-suspended coroutine"
    end
    enter()
    return finish(thread, raises, coresume(thread, ...))
end

local function start(f)
    local thread = costart(f)
    own[thread] = true
    return thread
end

local function pass(ok, ...)
    if ok then
        return ...
    end
    error((...), 0)
end

function co.create(f)
    if type(f) ~= "function" then
        bad(1, "create", "function", f)
    end
    return start(f)
end

function co.wrap(f)
    if type(f) ~= "function" then
        bad(1, "wrap", "function", f)
    end
    local thread = start(f)
    return function(...)
        return pass(resume(thread, true, ...))
    end
end

function co.resume(thread, ...)
    if type(thread) ~= "thread" then
        bad(1, "resume", "thread", thread)
    end
    return resume(thread, false, ...)
end

function co.close(thread)
    if type(thread) ~= "thread" then
        bad(1, "close", "thread", thread)
    end
    if not own[thread] then
        error("cannot close running coroutine", 2)
    end
    host.refuseToClose()
    return settle(coclose(thread))
end

-- The host uses the coroutine of a task that is over again, unless a script may hold it.
function co.running()
    host.noteRunning()
    return corunning()
end

-- ------ texts

function str.rep(s, n)
    if type(s) ~= "string" then
        s = text(s, 1, "rep")
    end
    local count = tonumber(n)
    if not count then
        bad(2, "rep", "number", n)
    end
    if count ~= count or count > RESULT or count * #s > RESULT then
        error(format("string.rep result too large: expected at most %d bytes", RESULT), 2)
    end
    if count * #s > LARGE then
        charge(count * #s // LARGE)
        beginPaid()
        return unpaid(rep(s, count))
    end
    return rep(s, count)
end

-- Pattern matching passes safepoints by itself; the scan of a balanced pair (%b) does not.
local function checkPattern(s, p, name)
    if #p > PATTERN then
        error(format("%s: pattern too long: %d bytes, expected at most %d", name, #p, PATTERN), 3)
    end
    if #s > SUBJECT then
        error(format("%s: subject too large: %d bytes, expected at most %d; split it", name, #s, SUBJECT), 3)
    end
    if #s > SMALL and find(p, "%b", 1, true) then
        charge(#s * #s // 256)
    end
end

-- A text that is put together is made in a buffer that grows, and then copied, unless it is there already: so it is paid for
-- by the most bytes that it may have.
local function payFor(bytes)
    charge(3 * bytes // LARGE)
    beginPaid()
end

-- The same for texts whose number is not known before: they are paid for by their own lengths.
local function priced(...)
    endPaid()
    local bytes = 0
    for at = 1, select("#", ...) do
        local value = select(at, ...)
        bytes += if type(value) == "string" then #value else 0
    end
    if bytes > LARGE then
        charge(bytes // LARGE)
    end
    return ...
end

function str.sub(s, first, last)
    if type(s) == "string" and #s > LARGE then
        charge(#s // LARGE)
        beginPaid()
        return unpaid(sub(s, first, last))
    end
    return sub(s, first, last)
end

-- Their work is not seen by the counter of allocations: a result may be there already, or be none.
for _, name in { "upper", "lower", "reverse", "packsize" } do
    local f = native.string[name]
    str[name] = function(s, ...)
        if type(s) == "string" and #s > LARGE then
            charge(#s // (if name == "packsize" then 16 else LARGE))
            beginPaid()
            return unpaid(f(s, ...))
        end
        return f(s, ...)
    end
end

-- So many values make no longer text than is free.
for library, f in { [str] = native.string.char, [utf] = native.utf8.char } do
    library.char = function(...)
        local count = select("#", ...)
        if count > LARGE // 2 then
            payFor(4 * count)
            return unpaid(f(...))
        end
        return f(...)
    end
end

-- A packed text has the texts that it is given, filled up to the widths that the pattern names, and for each letter 8 bytes; 32
-- where they are aligned.
function str.pack(pattern, ...)
    if type(pattern) ~= "string" then
        return native.string.pack(pattern, ...)
    end
    local bytes = #pattern * (if find(pattern, "!", 1, true) then 32 else 8)
    for at = 1, select("#", ...) do
        local value = select(at, ...)
        bytes += if type(value) == "string" then #value else 24
    end
    if #pattern > LARGE then
        charge(#pattern // 16)
    end
    for width in gmatch(pattern, "c(%d+)") do
        bytes += tonumber(width)
    end
    if bytes > LONG then
        payFor(if bytes < RESULT then bytes else RESULT)
        return unpaid(native.string.pack(pattern, ...))
    end
    return native.string.pack(pattern, ...)
end

-- A text that is made while functions of a script run in between: its making is not seen in one piece.
local function seen(s, ...)
    if #s > LARGE then
        see(s)
    end
    return s, ...
end

function str.find(s, p, init, plain)
    if type(s) ~= "string" then
        s = text(s, 1, "find")
    end
    if type(p) ~= "string" then
        p = text(p, 2, "find")
    end
    if #s * #p > 4096 then
        if plain or #p > PATTERN and not find(sub(p, 1, SUBJECT), "[%^%$%*%+%?%.%(%[%%%-]") then
            charge((#s + #p) // 64)
            return host.findPlain(s, p, tonumber(init) or 1)
        end
        charge(#s * #p // 4096)
    end
    if not plain then
        checkPattern(s, p, "string.find")
        if #s > LARGE then
            charge(#s // LARGE)
            beginPaid()
            return unpaid(find(s, p, init))
        end
    end
    return find(s, p, init, plain)
end

function str.match(s, p, init)
    if type(s) ~= "string" then
        s = text(s, 1, "match")
    end
    if type(p) ~= "string" then
        p = text(p, 2, "match")
    end
    checkPattern(s, p, "string.match")
    if #s > LARGE then
        charge(#s // LARGE)
        beginPaid()
        return unpaid(match(s, p, init))
    end
    return match(s, p, init)
end

function str.gmatch(s, p)
    if type(s) ~= "string" then
        s = text(s, 1, "gmatch")
    end
    if type(p) ~= "string" then
        p = text(p, 2, "gmatch")
    end
    checkPattern(s, p, "string.gmatch")
    if #s < LONG then
        return gmatch(s, p)
    end
    local following = gmatch(s, p)
    return function()
        beginPaid()
        return priced(following())
    end
end

local function asItIs(problem)
    return problem
end

-- How long a text becomes in which a pattern is replaced is known when it is there; where that failed, it is paid for by the
-- most bytes that it could have had.
local function settleReplaced(most, ok, ...)
    endPaid()
    local result = ...
    if ok then
        charge(3 * #result // LARGE)
        return seen(...)
    end
    charge(3 * (if most < RESULT then most else RESULT) // LARGE)
    error(if result == OUT_OF_MEMORY then caught(result) else result, 0)
end

-- The same with a function of the script: what it is given and what it returns is paid for on the way, and it pays for what it
-- makes itself.
local function gsubCalling(s, p, replacement, count)
    local isLong, bytes, owed, isPaid = #s > LONG, #s, 0, false
    -- Called for each place, so with as few calls of its own as there can be.
    local function replaced(...)
        if isPaid then
            isPaid = false
            setPaid(false)
        end
        if isLong then
            local first, second = ...
            if second ~= nil then
                priced(...)
            elseif type(first) == "string" and #first > LARGE then
                charge(#first // LARGE)
            end
        end
        local value = replacement(...)
        local size = if type(value) == "string" then #value else 24
        bytes += size
        owed += size
        if bytes > LONG then
            if owed > LARGE then
                charge(3 * owed // LARGE)
                owed = 0
            end
            isPaid = true
            setPaid(true)
        end
        return value
    end
    if isLong then
        payFor(#s)
    end
    return seen(unpaid(gsub(s, p, replaced, count)))
end

function str.gsub(s, p, replacement, count)
    if type(s) ~= "string" then
        s = text(s, 1, "gsub")
    end
    if type(p) ~= "string" then
        p = text(p, 2, "gsub")
    end
    checkPattern(s, p, "string.gsub")
    local kind = type(replacement)
    if kind == "function" then
        return gsubCalling(s, p, replacement, count)
    elseif kind == "table" then
        return gsubCalling(s, p, function(found)
            return replacement[found]
        end, count)
    elseif kind == "number" then
        replacement = tostring(replacement)
    elseif kind ~= "string" then
        return gsub(s, p, replacement, count)
    end
    local most = #s + (#s + 1) * #replacement + #s * (#replacement // 2)
    if most <= LONG then
        return gsub(s, p, replacement, count)
    end
    beginPaid()
    return settleReplaced(most, xpcall(gsub, asItIs, s, p, replacement, count))
end

-- The most bytes a value takes in a formatted text; nil for what has an address.
local function room(value)
    local kind = type(value)
    if kind == "string" then
        return #value
    elseif kind == "number" then
        -- 99 digits behind the point, and before it 309 at most.
        return if value > -1e15 and value < 1e15 then 120 else 420
    elseif kind == "boolean" or kind == "nil" or kind == "vector" then
        return 99
    end
    return nil
end

function str.format(pattern, ...)
    if type(pattern) ~= "string" then
        pattern = text(pattern, 1, "format")
    end
    local count = select("#", ...)
    local size, opaque = #pattern, false
    if count <= 3 then
        local a, b, c = ...
        local x, y, z = room(a), if count > 1 then room(b) else 0, if count > 2 then room(c) else 0
        size += (x or 0) + (y or 0) + (z or 0)
        opaque = not (x and y and z)
    else
        for i, value in pack(...) do
            if i ~= "n" then
                local width = room(value)
                size += width or 0
                opaque = opaque or not width
            end
        end
    end
    local shown = nil
    if opaque then
        shown, size = pack(...), #pattern
        for i = 1, count do
            local kind = type(shown[i])
            if kind ~= "number" and kind ~= "boolean" and kind ~= "nil" and kind ~= "vector" then
                shown[i] = show(shown[i])
            end
            size += room(shown[i]) or 0
        end
    end
    if #pattern > LARGE then
        charge(#pattern // 16)
    end
    if size > RESULT then
        error(format("string.format result too large: expected at most %d bytes", RESULT), 2)
    end
    -- A quoted byte takes four, and a value is filled up to a width of two digits at most.
    local most = size
    if 4 * size > LONG and find(pattern, "%%[-+ #%d.]*q") then
        most = 4 * size
    end
    if most + 99 * count > LONG then
        most += count * (if find(pattern, "%d%d") then 99 else 9)
    end
    if most > LONG then
        payFor(most)
        if shown then
            return unpaid(format(pattern, unpack(shown, 1, count)))
        end
        return unpaid(format(pattern, ...))
    end
    if shown then
        return format(pattern, unpack(shown, 1, count))
    end
    return format(pattern, ...)
end

function str.split(s, separator)
    if type(s) ~= "string" then
        s = text(s, 1, "split")
    end
    local width = if type(separator) == "string" then #separator else 1
    if #s > SMALL then
        charge(#s // 16 + #s * width // 4096)
    end
    if #s > LARGE then
        beginPaid()
        return unpaid(split(s, separator))
    end
    return split(s, separator)
end

-- A range of a text as so many values, each of which is copied.
local function checkValues(s, first, last, name)
    if type(s) == "string" and type(last) == "number" and #s > SMALL then
        local from = if type(first) == "number" then first else 1
        local count = if last < 0 or last - from > #s then #s else last - from
        if count >= VALUES and #s > VALUES then
            error(format("%s: range too large: expected at most %d values", name, VALUES), 3)
        end
        if count > SMALL then
            charge(count // 16)
        end
    end
end

function str.byte(s, first, last)
    checkValues(s, first, last, "string.byte")
    return byte(s, first, last)
end

function str.unpack(pattern, s, first)
    if type(pattern) == "string" and #pattern > VALUES then
        error(format("string.unpack: format too long: expected at most %d bytes", VALUES), 2)
    end
    if type(pattern) == "string" and #pattern > SMALL then
        charge(#pattern // 8)
    end
    if type(s) == "string" and #s > LARGE then
        charge(#s // LARGE)
        beginPaid()
        return unpaid(native.string.unpack(pattern, s, first))
    end
    return native.string.unpack(pattern, s, first)
end

-- ------ tables

local function chargeElements(count, perUnit)
    if count >= SMALL then
        charge(count // perUnit)
    end
end

local function checkRange(name, first, last)
    local count = last - first + 1
    if count ~= count or count > ELEMENTS then
        error(format("%s: range too large: expected at most %d elements", name, ELEMENTS), 3)
    end
    return count
end

function tab.insert(...)
    local t = ...
    if select("#", ...) == 3 and type(t) == "table" then
        chargeElements(rawlen(t), 16)
    end
    insert(...)
end

function tab.remove(t, position)
    if position == nil then
        return remove(t)
    end
    if type(t) == "table" then
        chargeElements(rawlen(t), 16)
    end
    return remove(t, position)
end

function tab.concat(t, separator, first, last)
    if type(t) == "table" and type(first or 1) == "number" and type(last or 1) == "number" then
        local from, to = first or 1, last or rawlen(t)
        checkRange("table.concat", from, to)
        local width = if type(separator) == "string" then #separator else 0
        local size = 0
        for i = from, to do
            local value = rawget(t, i)
            size += width + (if type(value) == "string" then #value else 24)
        end
        if size > RESULT then
            error(format("table.concat result too large: expected at most %d bytes", RESULT), 2)
        end
        if size > LONG then
            payFor(size)
            return unpaid(concat(t, separator, first, last))
        end
    end
    return concat(t, separator, first, last)
end

function tab.unpack(t, first, last)
    if type(t) == "table" and type(first or 1) == "number" and type(last or 1) == "number" then
        local count = checkRange("table.unpack", first or 1, last or rawlen(t))
        if count > VALUES then
            error(format("table.unpack: range too large: expected at most %d values", VALUES), 2)
        end
        chargeElements(count, 16)
    end
    return unpack(t, first, last)
end

function tab.move(from, first, last, to, target)
    if type(first) == "number" and type(last) == "number" and type(to) == "number" then
        local count = checkRange("table.move", first, last)
        for _, index in { first, last, to, to + count } do
            if not (index > -2147483648 and index < 2147483647) then
                error("table.move: index out of range", 2)
            end
        end
        chargeElements(count, 8)
    end
    return move(from, first, last, to, target)
end

function tab.create(count, value)
    if type(count) == "number" and not (count <= ELEMENTS) then
        error(format("table.create: range too large: expected at most %d elements", ELEMENTS), 2)
    end
    if type(count) == "number" and count >= SMALL then
        charge(count // 16)
    end
    return create(count, value)
end

function tab.find(t, value, first)
    if type(t) == "table" then
        chargeElements(rawlen(t), 4)
    end
    return tfind(t, value, first)
end

function tab.sort(t, before)
    if type(t) == "table" then
        local count = checkRange("table.sort", 1, rawlen(t))
        if count >= SMALL then
            chargeComparisons(count * 8)
        end
    end
    sort(t, before)
end

-- Clearing goes over the room a table has, which may be more than its length.
function tab.clear(t)
    charge(SMALL)
    clear(t)
end

-- The copy has the room of its model; what that takes beyond its elements is counted when it is made.
function tab.clone(t)
    if type(t) == "table" then
        chargeElements(rawlen(t), 16)
        countTables(true)
    end
    local copy = native.table.clone(t)
    countTables(false)
    return copy
end

function tab.maxn(t)
    charge(SMALL)
    if type(t) == "table" then
        chargePlaces(t)
    end
    return maxn(t)
end

-- ------ buffers and UTF-8

local function bytesOf(value)
    return if type(value) == "number" and value > 0 and value < 2147483648 then value else 0
end

function buf.create(size)
    if type(size) == "number" and not (size <= RESULT) then
        error(format("buffer.create: size too large: expected at most %d bytes", RESULT), 2)
    end
    return native.buffer.create(size)
end

function buf.fill(b, offset, value, count)
    charge((bytesOf(count) + (if type(b) == "buffer" then native.buffer.len(b) else 0)) // 1024)
    native.buffer.fill(b, offset, value, count)
end

function buf.copy(target, at, source, from, count)
    charge((bytesOf(count) + (if type(source) == "buffer" then native.buffer.len(source) else 0)) // 1024)
    native.buffer.copy(target, at, source, from, count)
end

function buf.writestring(b, offset, value, count)
    charge((if type(value) == "string" then #value else 0) // 1024)
    native.buffer.writestring(b, offset, value, count)
end

function buf.tostring(b)
    if type(b) == "buffer" then
        charge(native.buffer.len(b) // LARGE)
        beginPaid()
        return unpaid(native.buffer.tostring(b))
    end
    return native.buffer.tostring(b)
end

function buf.readstring(b, offset, count)
    charge(bytesOf(count) // LARGE)
    beginPaid()
    return unpaid(native.buffer.readstring(b, offset, count))
end

for _, name in { "len", "offset", "codepoint" } do
    local f = native.utf8[name]
    utf[name] = function(s, ...)
        if type(s) == "string" and #s >= SMALL then
            charge(#s // SMALL)
        end
        if name == "codepoint" then
            checkValues(s, (...), select(2, ...), "utf8.codepoint")
        end
        return f(s, ...)
    end
end

return { base = base, string = str, table = tab, coroutine = co, buffer = buf, utf8 = utf }
