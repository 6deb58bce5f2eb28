//! Adds safepoints to straight code, so that the fuel counter sees every script in bounded time.
//!
//! In: the text of a script. Out: its bytecode. Holds: between two safepoints lies a bounded amount of work,
//! whatever the script looks like; a script of ordinary shape has only the safepoints that Luau gives it.
//! Luau has them at calls, returns and loops alone. Where the way between two is too long, the text is
//! compiled with marks of coverage, one before each statement and expression, and every so many instructions
//! a mark becomes a jump to the next instruction, which is a safepoint; the others become nothing. Not here:
//! what a safepoint does (`fuel`). Source: the bytecode of Luau 0.740 (`Bytecode.h`, `lvmload.cpp`). Another
//! version is left as it is, and a test says so.

use crate::script::vm::compiler;

/// Work between two safepoints that is let pass: cheap instructions, expensive ones count for several.
const STRIDE_MAX: u32 = 96;

/// What it costs to compare what may be two texts: `census` makes safepoints expensive as long as those may
/// be long.
const COMPARISON: u32 = 48;

/// Work after which a mark becomes a safepoint, where marks are needed.
const STRIDE: u32 = 48;

/// The bytecode of `text`.
///
/// # Errors
/// The first mistake of syntax.
pub(crate) fn compile(text: &str) -> mlua::Result<Vec<u8>> {
    let plain = compiler::compiler().compile(text)?;
    let even = if is_even(&plain) { plain } else { marked(text)? };
    Ok(with_wide_calls(even))
}

/// The same for a debugger: with the names of locals where that changes nothing else. Constants that
/// functions use are captured then, and a function that was one for all calls may become one of each; a
/// function may have too many locals only with their names. Such a file is compiled as usual.
///
/// # Errors
/// The first mistake of syntax.
pub(crate) fn compile_for_debugger(text: &str) -> mlua::Result<Vec<u8>> {
    even_for_debugger(text).map(with_wide_calls)
}

fn even_for_debugger(text: &str) -> mlua::Result<Vec<u8>> {
    let plain = compiler::compiler().compile(text)?;
    let detailed = compiler::compiler().set_debug_level(2);
    if is_even(&plain) {
        let named = detailed.compile(text).ok().filter(|named| turned_alike(&plain, named).is_some());
        return Ok(named.unwrap_or(plain));
    }
    let mut marked = compiler::compiler().set_coverage_level(2).compile(text)?;
    let named = detailed.set_coverage_level(2).compile(text).ok();
    let alike = named.and_then(|named| Some((turned_alike(&marked, &named)?, named)));
    if let Some((turned, mut named)) = alike {
        if let Some(code) = Code::of(&named) {
            code.turn(&mut named, &turned, op::JUMP);
        }
        return Ok(named);
    }
    if let Some(code) = Code::of(&marked) {
        let turned = code.turned(&marked);
        code.turn(&mut marked, &turned, op::JUMP);
    }
    Ok(marked)
}

/// Which marks of `named` become safepoints, by function, when those of `plain` do that ought to: names make
/// ways longer, and these must not count. None where the two differ in more than constants that are loaded,
/// captured and marked. Between two other instructions, or places that are jumped to, it is no matter which
/// of several marks is meant.
fn turned_alike(plain: &[u8], named: &[u8]) -> Option<Vec<Vec<bool>>> {
    let (one, other) = (Code::of(plain)?, Code::of(named)?);
    if one.0.len() != other.0.len() {
        return None;
    }
    let turned = one.turned(plain);
    let functions = one.0.iter().zip(&other.0).zip(&turned);
    functions
        .map(|((one, other), turned)| {
            aligned(&outline(plain, one.0, one.1), &outline(named, other.0, other.1), turned)
        })
        .collect()
}

/// What two codes have in common: an instruction, or a place that is jumped to; and how many marks lie before
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Solid {
    /// None for a place.
    code: Option<u8>,
    marks: usize,
}

fn outline(bytecode: &[u8], offset: usize, words: usize) -> Vec<Solid> {
    let read = |at: usize| instruction(bytecode, offset, at);
    let mut is_target = vec![false; words + 1];
    let mut at = 0;
    while at < words {
        if let Some(target) = read(at).jump(at).filter(|target| *target <= words) {
            is_target[target] = true;
        }
        at += read(at).words();
    }
    let (mut outline, mut marks, mut at) = (Vec::new(), 0, 0);
    while at < words {
        let one = read(at);
        if is_target[at] {
            outline.push(Solid { code: None, marks: std::mem::take(&mut marks) });
        }
        match one.code() {
            op::COVERAGE => marks += 1,
            op::CAPTURE | op::LOADNIL | op::LOADN | op::LOADK | op::LOADKX => {}
            op::LOADB if one.c() == 0 => {}
            code => outline.push(Solid { code: Some(code), marks: std::mem::take(&mut marks) }),
        }
        at += one.words();
    }
    outline
}

fn aligned(plain: &[Solid], named: &[Solid], turned: &[bool]) -> Option<Vec<bool>> {
    let is_same =
        plain.len() == named.len() && plain.iter().zip(named).all(|(one, other)| one.code == other.code);
    let (mut turned, mut marks) = (turned.iter(), Vec::new());
    for (one, other) in plain.iter().zip(named).filter(|_| is_same) {
        let meant = turned.by_ref().take(one.marks).filter(|turned| **turned).count();
        if meant > other.marks {
            return None;
        }
        marks.extend((0..other.marks).map(|at| at < meant));
    }
    is_same.then_some(marks)
}

/// Whether no way between two safepoints is too long.
fn is_even(plain: &[u8]) -> bool {
    let longest = Code::of(plain).map(|code| code.longest(plain));
    longest.is_none_or(|longest| longest <= STRIDE_MAX)
}

fn marked(text: &str) -> mlua::Result<Vec<u8>> {
    let mut marked = compiler::compiler().set_coverage_level(2).compile(text)?;
    if let Some(code) = Code::of(&marked) {
        let turned = code.turned(&marked);
        code.turn(&mut marked, &turned, op::NOP);
    }
    Ok(marked)
}

/// Functions of libraries are called where they are given all of `...`: done in place, that would pass no
/// safepoint, however many values it is.
fn with_wide_calls(mut bytecode: Vec<u8>) -> Vec<u8> {
    for (offset, words) in Code::of(&bytecode).map_or_else(Vec::new, |code| code.0) {
        let (mut at, mut is_wide) = (0, false);
        while at < words {
            let one = instruction(&bytecode, offset, at);
            if is_wide
                && one.code() == op::FASTCALL
                && let Some(place) = bytecode.get_mut(offset + at * 4..offset + at * 4 + 4)
            {
                place.copy_from_slice(&u32::from(op::NOP).to_le_bytes());
            }
            is_wide = one.code() == op::GETVARARGS && one.b() == 0;
            at += one.words();
        }
    }
    bytecode
}

/// The longest way between two safepoints of a bytecode; none when it cannot be read.
#[cfg(test)]
pub(crate) fn longest(bytecode: &[u8]) -> Option<u32> {
    Code::of(bytecode).map(|code| code.longest(bytecode))
}

/// Numbers of instructions.
mod op {
    pub(super) const NOP: u8 = 0;
    pub(super) const LOADNIL: u8 = 2;
    pub(super) const LOADB: u8 = 3;
    pub(super) const LOADN: u8 = 4;
    pub(super) const LOADK: u8 = 5;
    pub(super) const GETGLOBAL: u8 = 7;
    pub(super) const SETGLOBAL: u8 = 8;
    pub(super) const GETIMPORT: u8 = 12;
    pub(super) const SETTABLE: u8 = 14;
    pub(super) const GETTABLEKS: u8 = 15;
    pub(super) const SETTABLEKS: u8 = 16;
    pub(super) const SETTABLEN: u8 = 18;
    pub(super) const NEWCLOSURE: u8 = 19;
    pub(super) const NAMECALL: u8 = 20;
    pub(super) const CALL: u8 = 21;
    pub(super) const RETURN: u8 = 22;
    pub(super) const JUMP: u8 = 23;
    pub(super) const JUMPBACK: u8 = 24;
    pub(super) const JUMPIF: u8 = 25;
    pub(super) const JUMPIFEQ: u8 = 27;
    pub(super) const JUMPIFLE: u8 = 28;
    pub(super) const JUMPIFLT: u8 = 29;
    pub(super) const JUMPIFNOTLE: u8 = 31;
    pub(super) const JUMPIFNOTLT: u8 = 32;
    pub(super) const ADD: u8 = 33;
    pub(super) const POWK: u8 = 44;
    pub(super) const CONCAT: u8 = 49;
    pub(super) const MINUS: u8 = 51;
    pub(super) const NEWTABLE: u8 = 53;
    pub(super) const DUPTABLE: u8 = 54;
    pub(super) const SETLIST: u8 = 55;
    pub(super) const FORNPREP: u8 = 56;
    pub(super) const FORNLOOP: u8 = 57;
    pub(super) const FORGLOOP: u8 = 58;
    pub(super) const FORGPREP_INEXT: u8 = 59;
    pub(super) const FASTCALL3: u8 = 60;
    pub(super) const FORGPREP_NEXT: u8 = 61;
    pub(super) const GETVARARGS: u8 = 63;
    pub(super) const DUPCLOSURE: u8 = 64;
    pub(super) const LOADKX: u8 = 66;
    pub(super) const JUMPX: u8 = 67;
    pub(super) const FASTCALL: u8 = 68;
    pub(super) const COVERAGE: u8 = 69;
    pub(super) const CAPTURE: u8 = 70;
    pub(super) const SUBRK: u8 = 71;
    pub(super) const DIVRK: u8 = 72;
    pub(super) const FASTCALL1: u8 = 73;
    pub(super) const FASTCALL2: u8 = 74;
    pub(super) const FASTCALL2K: u8 = 75;
    pub(super) const FORGPREP: u8 = 76;
    pub(super) const JUMPXEQKNIL: u8 = 77;
    pub(super) const JUMPXEQKS: u8 = 80;
    pub(super) const IDIV: u8 = 81;
    pub(super) const IDIVK: u8 = 82;
}

/// Where the instructions of each function lie in a bytecode: offset and number of words.
struct Code(Vec<(usize, usize)>);

/// One instruction.
#[derive(Clone, Copy)]
struct Instruction(u32);

impl Instruction {
    fn code(self) -> u8 {
        self.0 as u8
    }

    fn a(self) -> u8 {
        (self.0 >> 8) as u8
    }

    fn b(self) -> u8 {
        (self.0 >> 16) as u8
    }

    fn c(self) -> u8 {
        (self.0 >> 24) as u8
    }

    fn d(self) -> i16 {
        (self.0 >> 16) as i16
    }

    fn words(self) -> usize {
        match self.code() {
            op::GETGLOBAL
            | op::SETGLOBAL
            | op::GETIMPORT
            | op::GETTABLEKS
            | op::SETTABLEKS
            | op::NAMECALL
            | op::JUMPIFEQ..=op::JUMPIFNOTLT
            | op::NEWTABLE
            | op::SETLIST
            | op::FORGLOOP
            | op::LOADKX
            | op::FASTCALL2
            | op::FASTCALL2K
            | op::FASTCALL3
            | op::JUMPXEQKNIL..=op::JUMPXEQKS => 2,
            _ => 1,
        }
    }

    fn is_safepoint(self) -> bool {
        matches!(self.code(), op::CALL | op::RETURN | op::JUMPBACK | op::JUMPX | op::FORNLOOP | op::FORGLOOP)
    }

    /// What it costs at most, as so many cheap ones.
    fn work(self) -> u32 {
        match self.code() {
            // Two texts are read as far as they are alike.
            op::JUMPIFLE | op::JUMPIFLT | op::JUMPIFNOTLE | op::JUMPIFNOTLT => COMPARISON,
            op::FORNPREP => 24,
            op::NEWTABLE | op::DUPTABLE | op::NEWCLOSURE | op::DUPCLOSURE | op::CONCAT => 16,
            // A text that stands for a number is read.
            op::ADD..=op::POWK | op::MINUS | op::SUBRK | op::DIVRK | op::IDIV | op::IDIVK => 8,
            op::FASTCALL | op::FASTCALL1..=op::FASTCALL2K | op::FASTCALL3 => 8,
            op::SETTABLE | op::SETTABLEKS | op::SETTABLEN | op::SETGLOBAL => 4,
            op::SETLIST => 1 + u32::from(self.c()),
            _ => 1,
        }
    }

    /// Whether it compares with the number that `before` loads; `second` is its second word.
    fn compares_with(self, before: Self, second: impl Fn() -> Self) -> bool {
        self.work() == COMPARISON
            && before.code() == op::LOADN
            && (before.a() == self.a() || u32::from(before.a()) == second().0)
    }

    /// The instruction it may jump to from `at`, forward or back.
    fn jump(self, at: usize) -> Option<usize> {
        let back = match self.code() {
            op::JUMPBACK | op::FORNLOOP | op::FORGLOOP => isize::from(self.d()),
            op::JUMPX => (self.0 as i32 >> 8) as isize,
            _ => return self.target(at),
        };
        (at + 1).checked_add_signed(back)
    }

    /// The instruction it may jump forward to from `at`.
    fn target(self, at: usize) -> Option<usize> {
        let step = match self.code() {
            op::LOADB => isize::from(self.c()),
            op::JUMP
            | op::JUMPIF..=op::JUMPIFNOTLT
            | op::FORNPREP
            | op::FORGPREP_INEXT
            | op::FORGPREP_NEXT
            | op::FORGPREP
            | op::JUMPXEQKNIL..=op::JUMPXEQKS => isize::from(self.d()),
            // Beyond the call that it stands for.
            op::FASTCALL | op::FASTCALL1..=op::FASTCALL2K | op::FASTCALL3 => isize::from(self.c()) + 1,
            _ => return None,
        };
        (at + 1).checked_add_signed(step)
    }
}

fn instruction(bytecode: &[u8], offset: usize, at: usize) -> Instruction {
    let from = offset + at * 4;
    let word = bytecode.get(from..from + 4).and_then(|bytes| bytes.try_into().ok());
    Instruction(word.map_or(0, u32::from_le_bytes))
}

impl Code {
    /// The functions of a bytecode; none when it is not of the known version.
    fn of(bytecode: &[u8]) -> Option<Self> {
        BytecodeReader { bytes: bytecode, at: 0 }.functions().map(Self)
    }

    fn longest(&self, bytecode: &[u8]) -> u32 {
        let longest = |&(offset, words): &(usize, usize)| {
            walk(words, |at| instruction(bytecode, offset, at), |_, _| false)
        };
        self.0.iter().map(longest).max().unwrap_or(0)
    }

    /// Which marks become safepoints, by function, in order: those to which the way is long enough.
    fn turned(&self, bytecode: &[u8]) -> Vec<Vec<bool>> {
        let of = |&(offset, words): &(usize, usize)| {
            let mut turned = Vec::new();
            walk(
                words,
                |at| instruction(bytecode, offset, at),
                |_, way| {
                    turned.push(way >= STRIDE);
                    way >= STRIDE
                },
            );
            turned
        };
        self.0.iter().map(of).collect()
    }

    /// Makes safepoints of these marks, and `nothing` of every other.
    fn turn(&self, bytecode: &mut [u8], turned: &[Vec<bool>], nothing: u8) {
        for (&(offset, words), turned) in self.0.iter().zip(turned) {
            let (mut at, mut turned) = (0, turned.iter());
            while at < words {
                let one = instruction(bytecode, offset, at);
                if one.code() == op::COVERAGE
                    && let Some(place) = bytecode.get_mut(offset + at * 4..offset + at * 4 + 4)
                {
                    // A jump to the next instruction; of these, the one back is a safepoint.
                    let is_safepoint = turned.next() == Some(&true);
                    let code = if is_safepoint { op::JUMPBACK } else { nothing };
                    place.copy_from_slice(&u32::from(code).to_le_bytes());
                }
                at += one.words();
            }
        }
    }
}

/// Goes over a function in order and finds the longest way between two safepoints: every jump back is one, so
/// all other ways lead forward. `mark` gets each mark and the way to it, and says whether it becomes a
/// safepoint.
fn walk(words: usize, read: impl Fn(usize) -> Instruction, mut mark: impl FnMut(usize, u32) -> bool) -> u32 {
    let mut ways = vec![0u32; words + 1];
    let mut is_target = vec![false; words + 1];
    let (mut at, mut longest) = (0, 0);
    let mut before = Instruction(0);
    while at < words {
        let (one, way) = (read(at), ways[at]);
        longest = longest.max(way);
        let is_safepoint = one.is_safepoint() || one.code() == op::COVERAGE && mark(at, way);
        let with_number = !is_target[at] && one.compares_with(before, || read(at + 1));
        let work = if with_number { 1 } else { one.work() };
        let after = if is_safepoint { 0 } else { way.saturating_add(work) };
        let next = at + one.words();
        let jump = one.target(at);
        for target in [Some(next), jump].into_iter().flatten() {
            if target > at && target <= words {
                ways[target] = ways[target].max(after);
                is_target[target] |= jump == Some(target);
            }
        }
        (at, before) = (next, one);
    }
    longest
}

/// Reads a bytecode from its beginning.
struct BytecodeReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BytecodeReader<'_> {
    const VERSIONS: std::ops::RangeInclusive<u8> = 5..=9;

    fn functions(mut self) -> Option<Vec<(usize, usize)>> {
        if !Self::VERSIONS.contains(&self.byte()?) {
            return None;
        }
        let types = self.byte()?;
        for _ in 0..self.number()? {
            let length = self.number()?;
            self.skip(length)?;
        }
        if types == 3 {
            while self.byte()? != 0 {
                self.number()?;
            }
        }
        let count = self.number()?;
        let mut functions = Vec::new();
        for _ in 0..count {
            functions.push(self.function()?);
        }
        self.number()?;
        (self.at == self.bytes.len()).then_some(functions)
    }

    fn function(&mut self) -> Option<(usize, usize)> {
        // Stack size, parameters, upvalues, whether it takes more, flags.
        self.skip(5)?;
        let types = self.number()?;
        self.skip(types)?;
        let words = self.number()?;
        let code = self.at;
        self.skip(words.checked_mul(4)?)?;
        for _ in 0..self.number()? {
            self.constant()?;
        }
        for _ in 0..self.number()? {
            self.number()?;
        }
        // Line, name.
        self.number()?;
        self.number()?;
        if self.byte()? != 0 {
            let gap = self.byte()?;
            let intervals = (words.checked_sub(1)? >> gap.min(31)) + 1;
            self.skip(words + intervals * 4)?;
        }
        if self.byte()? != 0 {
            for _ in 0..self.number()? {
                for _ in 0..3 {
                    self.number()?;
                }
                self.skip(1)?;
            }
            for _ in 0..self.number()? {
                self.number()?;
            }
        }
        Some((code, words))
    }

    fn constant(&mut self) -> Option<()> {
        match self.byte()? {
            0 => Some(()),
            1 => self.skip(1),
            2 => self.skip(8),
            3 | 6 => self.number().map(drop),
            4 => self.skip(4),
            5 => {
                for _ in 0..self.number()? {
                    self.number()?;
                }
                Some(())
            }
            7 => self.skip(16),
            8 => {
                for _ in 0..self.number()? {
                    self.number()?;
                    self.skip(4)?;
                }
                Some(())
            }
            9 => {
                self.skip(1)?;
                self.number().map(drop)
            }
            _ => None,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.at = self.at.checked_add(bytes).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    /// A number in groups of seven bits, lowest first.
    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 127).checked_shl(shift)?;
            shift += 7;
            if byte & 128 == 0 {
                return usize::try_from(number).ok();
            }
        }
    }
}

#[cfg(test)]
mod tests;
