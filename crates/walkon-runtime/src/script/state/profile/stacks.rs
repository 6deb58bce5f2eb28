//! Stack samples of running scripts, weighted by the fuel between them.
//!
//! In: frames from the outermost to the innermost, in numbers; the call that they were seen in; a weight.
//! Out: weights by call, stack and line. Holds: a stack is stored once; a stack that finds no room counts for
//! the caller; samples are noted first and sorted in later, many at once, so that sampling disturbs the
//! script little. Not here: taking a sample (`vm::fuel::sampling`).

use std::collections::BTreeMap;

/// A function of a script, or of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionName {
    /// Its file; empty for functions of the host.
    pub file: String,
    /// Its name, where it has one.
    pub name: String,
    /// The line that it begins in.
    pub line: u32,
}

impl FunctionName {
    /// `guard.chase (behaviours/guard.lua:31)`.
    #[must_use]
    pub fn shown(&self) -> String {
        match (self.name.as_str(), self.file.as_str()) {
            (name, "") => name.to_owned(),
            ("", file) => format!("{file}:{}", self.line),
            (name, file) => format!("{name} ({file}:{})", self.line),
        }
    }
}

/// A frame as it was seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeenFrame {
    /// The number of its function.
    pub(crate) function: u32,
    /// The line under way.
    pub(crate) line: u32,
}

/// A stack in the tree of all: the function on top, and what called it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackNode {
    pub(crate) parent: u32,
    pub(crate) function: u32,
}

/// What was seen under a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) context: u32,
    /// The stack; 0 is the empty one.
    pub(crate) node: u32,
    /// The line of its innermost frame.
    pub(crate) line: u32,
}

/// Frames of a stack that are looked at, from the innermost.
pub(crate) const FRAMES_MAX: usize = 48;

/// Stacks and functions, at most each.
const STACKS_MAX: usize = 65_536;

/// Functions that are found without a search.
const RECENT: usize = 32;

/// Looks that wait to be sorted in, at most.
const WAITING_MAX: usize = 4096;

/// All stacks that were seen.
#[derive(Clone, Debug)]
pub(crate) struct Stacks {
    files: BTreeMap<String, u32>,
    by_place: BTreeMap<(u32, u32), u32>,
    /// The functions of scripts that were seen last, by the line that they begin in.
    recent: [u32; RECENT],
    pub(crate) functions: Vec<FunctionName>,
    pub(crate) nodes: Vec<StackNode>,
    children: BTreeMap<(u32, u32), u32>,
    /// Looks that are not sorted in yet.
    waiting: Vec<(Seen, u64)>,
    weights: BTreeMap<Seen, u64>,
}

impl Default for Stacks {
    fn default() -> Self {
        Self {
            files: BTreeMap::new(),
            by_place: BTreeMap::new(),
            recent: [0; RECENT],
            functions: Vec::new(),
            nodes: vec![StackNode { parent: 0, function: 0 }],
            children: BTreeMap::new(),
            waiting: Vec::new(),
            weights: BTreeMap::new(),
        }
    }
}

impl Stacks {
    /// The number of a function of a script, if it was seen lately.
    #[inline]
    pub(crate) fn recent_function(&self, file: &[u8], line: u32) -> Option<u32> {
        let number = self.recent[line as usize % RECENT];
        let known = self.functions.get(number as usize)?;
        (known.line == line && known.file.as_bytes() == file && !file.is_empty()).then_some(number)
    }

    /// The number of a function; none when there are too many.
    pub(crate) fn function(&mut self, file: &str, name: &str, line: u32) -> Option<u32> {
        let found = self.find_function(file, name, line)?;
        self.recent[line as usize % RECENT] = found;
        Some(found)
    }

    fn find_function(&mut self, file: &str, name: &str, line: u32) -> Option<u32> {
        // Functions of the host have no file, and are told apart by their names.
        let place = if file.is_empty() { name } else { file };
        let file_index = match self.files.get(place) {
            Some(found) => *found,
            None => {
                let index = self.files.len() as u32;
                self.files.insert(place.to_owned(), index);
                index
            }
        };
        if let Some(found) = self.by_place.get(&(file_index, line)) {
            return Some(*found);
        }
        if self.functions.len() >= STACKS_MAX {
            return None;
        }
        let index = self.functions.len() as u32;
        self.functions.push(FunctionName { file: file.to_owned(), name: name.to_owned(), line });
        self.by_place.insert((file_index, line), index);
        Some(index)
    }

    /// Adds a weight to the stack of these frames, from the innermost to the outermost.
    pub(crate) fn add(&mut self, context: u32, frames: &[SeenFrame], weight: u64) {
        let mut node = 0;
        for frame in frames.iter().rev() {
            node = match self.children.get(&(node, frame.function)) {
                Some(found) => *found,
                None if self.nodes.len() >= STACKS_MAX => break,
                None => {
                    let made = self.nodes.len() as u32;
                    self.nodes.push(StackNode { parent: node, function: frame.function });
                    self.children.insert((node, frame.function), made);
                    made
                }
            };
        }
        let line = frames.iter().find(|frame| frame.line > 0).map_or(0, |frame| frame.line);
        self.waiting.push((Seen { context, node, line }, weight));
        if self.waiting.len() >= WAITING_MAX {
            self.sort_in();
        }
    }

    /// Adds the looks that wait to the weights.
    fn sort_in(&mut self) {
        self.waiting.sort_unstable();
        for (seen, weight) in self.waiting.drain(..) {
            *self.weights.entry(seen).or_default() += weight;
        }
    }

    /// Takes out what each stack came to, in each call.
    pub(crate) fn take_weights(&mut self) -> BTreeMap<Seen, u64> {
        self.sort_in();
        std::mem::take(&mut self.weights)
    }

    /// The functions of a stack, from the outermost.
    pub(crate) fn frames_of(&self, mut node: u32) -> Vec<FunctionName> {
        let mut frames = Vec::new();
        while let Some(found) = self.nodes.get(node as usize).filter(|_| node != 0) {
            frames.extend(self.functions.get(found.function as usize).cloned());
            node = found.parent;
        }
        frames.reverse();
        frames
    }
}
