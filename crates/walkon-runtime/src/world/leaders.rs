//! Finds which characters follow which, directly or through others.
//!
//! In: characters and their walks. Out: whether one follows another. Holds: answers are right for a line of
//! followers of any length, and for a circle, in which every character follows every other. Cost: one pass
//! over the walks for the first question of a step, and then the logarithm of the length of a file for each.
//!
//! Method: each follower stands one deeper than the one it follows, and knows that one and another further
//! up, so that a climb to a given depth takes few steps (skew-binary jumps). A circle counts as one. The
//! answer is that of the first question of the step; only whether a character follows at all is looked up
//! afresh.

use std::sync::OnceLock;

use crate::base::ids::CharacterId;
use crate::world::character::Characters;
use crate::world::crowd_columns::RowNumbers;
use crate::world::goal::Goal;
use crate::world::walk_mode::WalkMode;
use crate::world::walks::Walks;

/// The look-up; empty until it is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaders {
    known: OnceLock<Forest>,
}

impl Leaders {
    /// Forgets which characters follow which: walks have changed.
    pub(crate) fn forget(&mut self) {
        self.known.take();
    }

    /// Whether a character follows another, or one that follows it.
    pub(crate) fn has(
        &self,
        characters: &Characters,
        walks: &Walks,
        who: CharacterId,
        leader: CharacterId,
    ) -> bool {
        target_of(characters, walks, who).is_some()
            && self.known.get_or_init(|| Forest::of(characters, walks)).follows(who, leader)
    }
}

/// The character that another follows.
fn target_of(characters: &Characters, walks: &Walks, who: CharacterId) -> Option<CharacterId> {
    let walk = walks.get(characters.alive(who)?.walk?)?;
    match (&walk.mode, walk.goal) {
        (WalkMode::Follow(_), Goal::Character(target)) => Some(target),
        _ => None,
    }
}

/// A character that follows or is followed, or a circle of them.
#[derive(Clone, Copy, Debug)]
struct FileMember {
    /// The one that is followed, or itself.
    above: u32,
    /// One further up, or itself.
    jump: u32,
    /// How many are above.
    depth: u32,
    is_circle: bool,
}

/// All characters that follow another, and those they follow.
#[derive(Clone, Debug, Default)]
struct Forest {
    numbers: RowNumbers,
    /// Each after the one it follows.
    members: Vec<FileMember>,
}

impl Forest {
    fn of(characters: &Characters, walks: &Walks) -> Self {
        // All walks: while a scene is skipped, only some are looked at, but the others go on following.
        let followers = walks.iter().map(|walk| walk.character);
        Self::grown(followers, |who| target_of(characters, walks, who))
    }

    fn grown(
        followers: impl Iterator<Item = CharacterId>,
        target_of: impl Fn(CharacterId) -> Option<CharacterId>,
    ) -> Self {
        let mut forest = Self::default();
        // Places in the files, counted through all of them: a character with a place and no number is in this
        // one.
        let (mut places, mut begins_at) = (RowNumbers::default(), 0);
        for follower in followers {
            let mut file = Vec::new();
            let mut next = target_of(follower).map(|_| follower);
            let mut circle_at = None;
            while let Some(who) = next.filter(|&who| forest.numbers.get(who).is_none()) {
                circle_at = places.get(who).map(|at| (at - begins_at) as usize);
                if circle_at.is_some() {
                    break;
                }
                places.insert(who, begins_at + file.len() as u32);
                file.push(who);
                next = target_of(who);
            }
            begins_at += file.len() as u32;
            forest.add(&file, circle_at, next);
        }
        forest
    }

    /// Adds a file, the last follower first, that ends in a circle from a place on, or with one that is
    /// known, or with one that follows nobody.
    fn add(&mut self, file: &[CharacterId], circle_at: Option<usize>, known: Option<CharacterId>) {
        let (file, circle) = file.split_at(circle_at.unwrap_or(file.len()));
        let mut above = known.and_then(|who| self.numbers.get(who));
        if !circle.is_empty() {
            let number = self.push(None);
            self.members[number as usize].is_circle = true;
            circle.iter().for_each(|&who| self.numbers.insert(who, number));
            above = Some(number);
        }
        for &who in file.iter().rev() {
            let number = self.push(above);
            self.numbers.insert(who, number);
            above = Some(number);
        }
    }

    fn push(&mut self, above: Option<u32>) -> u32 {
        let number = self.members.len() as u32;
        let head = FileMember { above: number, jump: number, depth: 0, is_circle: false };
        let member = above.map_or(head, |above| {
            let one = self.members[above as usize];
            let other = self.members[one.jump as usize];
            let further = self.members[other.jump as usize];
            let is_even = one.depth - other.depth == other.depth - further.depth;
            FileMember { above, jump: if is_even { other.jump } else { above }, depth: one.depth + 1, ..head }
        });
        self.members.push(member);
        number
    }

    fn follows(&self, who: CharacterId, leader: CharacterId) -> bool {
        let (Some(mut at), Some(leader)) = (self.numbers.get(who), self.numbers.get(leader)) else {
            return false;
        };
        let depth = self.members[leader as usize].depth;
        if at == leader {
            return self.members[at as usize].is_circle;
        }
        while self.members[at as usize].depth > depth {
            let member = self.members[at as usize];
            at = if self.members[member.jump as usize].depth >= depth { member.jump } else { member.above };
        }
        at == leader
    }
}

#[cfg(test)]
mod tests;
