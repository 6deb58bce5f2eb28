//! Printed output of scripts.
//!
//! In: lines. Out: the same, for the host. Holds: no more lines than the limit; the others are counted. Not
//! here: the functions that print (`library`, `bind::log`).

/// One printed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The script file, as messages name it; empty when it is not known.
    pub file: String,
    /// The line in that file; 0 when it is not known.
    pub line: u32,
    /// What was printed: at most 4 KiB.
    pub text: String,
}

/// Lines printed since the host last took them.
#[derive(Debug, Default)]
pub struct Console {
    lines: Vec<Printed>,
    dropped: u64,
}

impl Console {
    /// Keeps `line`, or counts it as dropped when `lines_max` are kept already.
    pub fn push(&mut self, line: Printed, lines_max: u32) {
        if self.lines.len() < lines_max as usize { self.lines.push(line) } else { self.dropped += 1 }
    }

    /// Whether there is anything to take.
    pub fn has_any(&self) -> bool {
        !self.lines.is_empty() || self.dropped > 0
    }

    /// The lines kept since the last call, and how many were dropped.
    pub fn take(&mut self) -> (Vec<Printed>, u64) {
        (std::mem::take(&mut self.lines), std::mem::take(&mut self.dropped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_b7_lines_beyond_the_limit_are_counted() {
        let mut console = Console::default();
        let line = Printed { file: String::new(), line: 0, text: "x".into() };
        (0..150).for_each(|_| console.push(line.clone(), 100));
        let (lines, dropped) = console.take();
        assert_eq!((lines.len(), dropped), (100, 50));
        assert_eq!(console.take(), (vec![], 0));
    }
}
