//! Numbers for the owners of called code.
//!
//! In: files, and on whose behalf they run. Out: a number each. Holds: the same twice has one number; nothing
//! is allocated for one by itself. Characters begin one after another, and so lie one after another in memory
//! where a tick looks at them; texts in between cost ten thousand trees a tenth of their tick. Not here: what
//! they took (`profile`).

use crate::base::hash::of_bytes;

/// Whose code a call is: the file that was asked for, and on whose behalf.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// The behaviour, level script, cinematic or test: the whole name of its file.
    pub file: String,
    /// The character, or what else runs it: `level`, `cinematic "intro"`.
    pub name: String,
}

/// No subject or context.
pub(super) const NONE: u32 = u32::MAX;

/// Subjects and contexts, at most each; beyond these calls count for the first, which is the host.
pub(super) const NAMES_MAX: usize = 200_000;

/// What code that is called belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSubject {
    /// Its place in the files.
    pub(crate) file: u32,
    /// The first of its contexts.
    pub(crate) first: u32,
    /// Where in the texts its name begins and ends.
    begin: u32,
    end: u32,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Subjects {
    pub(crate) files: Vec<String>,
    all: Vec<CallSubject>,
    /// The names, one behind another.
    texts: String,
    /// Numbers by hash, at the next free place; at most half of the places are taken.
    places: Vec<u32>,
}

/// Places of the first table.
const PLACES_MIN: usize = 16;

/// Bytes of all names together, at most.
const TEXTS_MAX: usize = 16 * 1024 * 1024;

impl Subjects {
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &CallSubject> {
        self.all.iter()
    }

    pub(crate) fn get(&self, number: u32) -> Option<&CallSubject> {
        self.all.get(number as usize)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut CallSubject> {
        self.all.get_mut(number as usize)
    }

    pub(crate) fn file(&self, subject: &CallSubject) -> &str {
        self.files.get(subject.file as usize).map_or("", String::as_str)
    }

    pub(crate) fn name(&self, subject: &CallSubject) -> &str {
        self.texts.get(subject.begin as usize..subject.end as usize).unwrap_or("")
    }

    pub(crate) fn who(&self, subject: &CallSubject) -> Who {
        Who { file: self.file(subject).to_owned(), name: self.name(subject).to_owned() }
    }

    /// The number of a subject; none when there are too many.
    pub(crate) fn number(&mut self, who: &Who) -> Option<u32> {
        if self.places.len() < 2 * (self.all.len() + 1) {
            self.widen();
        }
        let file = self.number_of_file(&who.file);
        let is_same = |subject: &CallSubject| subject.file == file && self.name(subject) == who.name;
        let mut at = self.place(file, &who.name);
        // Bounded: half of the places are free.
        while let Some(subject) = self.get(self.places[at]) {
            if is_same(subject) {
                return Some(self.places[at]);
            }
            at = (at + 1) % self.places.len();
        }
        if self.all.len() >= NAMES_MAX || self.texts.len() + who.name.len() > TEXTS_MAX {
            return None;
        }
        let begin = self.texts.len() as u32;
        self.texts.push_str(&who.name);
        let made = self.all.len() as u32;
        self.all.push(CallSubject { file, first: NONE, begin, end: self.texts.len() as u32 });
        self.places[at] = made;
        Some(made)
    }

    fn number_of_file(&mut self, name: &str) -> u32 {
        let found = self.files.iter().position(|file| file == name).unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        });
        found as u32
    }

    fn place(&self, file: u32, name: &str) -> usize {
        let hash = of_bytes(name.as_bytes()).wrapping_add(u64::from(file));
        (hash % self.places.len() as u64) as usize
    }

    fn widen(&mut self) {
        self.places = vec![NONE; (2 * self.places.len()).max(PLACES_MIN)];
        for number in 0..self.all.len() {
            let subject = &self.all[number];
            let mut at = self.place(subject.file, self.name(subject));
            while self.places[at] != NONE {
                at = (at + 1) % self.places.len();
            }
            self.places[at] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn the_same_have_one_number_and_others_another() {
        let mut rng = Rng::stream(1, "subjects");
        let mut subjects = Subjects::default();
        let mut oracle: BTreeMap<Who, u32> = BTreeMap::new();
        for _ in 0..20_000 {
            let (file, name) = (format!("{}.lua", rng.below(5)), format!("anna{}", rng.below(900)));
            let who = Who { file, name: if rng.below(50) == 0 { String::new() } else { name } };
            let next = oracle.len() as u32;
            let expected = *oracle.entry(who.clone()).or_insert(next);
            assert_eq!(subjects.number(&who), Some(expected));
        }
        assert_eq!(subjects.len(), oracle.len());
        for (who, number) in oracle {
            assert_eq!(subjects.get(number).map(|subject| subjects.who(subject)), Some(who));
        }
    }
}
