//! Saves the characters that plans went around.
//!
//! In, out: the list of a walk. Holds: every circle is written once; a list of hundreds takes less than a
//! byte for each, because it writes characters by how far they are from one another in the order of creation,
//! and circles by a bit where it is the one that was written last. Not here: which characters stand in the
//! way (`world::bystander_index`).

use std::convert::Infallible;
use std::ops::RangeInclusive;

use glam::Vec3;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ids::{CharacterId, GenerationalKey};
use crate::nav::Disc;
use crate::world::bystanders::Bystanders;
use crate::world::character::Characters;

/// Circles of one person that are found again: a character that is pushed about has another for every plan.
const CIRCLES_MAX: usize = 8;

/// The end of a chain, and no place in an order.
const NONE: u32 = u32::MAX;

/// Steps of a gap that are written at once, and plain bits of one at most: both in 32.
const STEPS_AT_ONCE: u32 = 8;
const PLAIN_BITS_MAX: u32 = 22;

/// What the radius of a circle can be, metres.
const RADIUS_RANGE_M: RangeInclusive<f32> = -1.0..=1e3;

/// A character in a list: half a line of the cache, because lists have hundreds of thousands of entries.
#[derive(Clone, Copy, Debug)]
struct ListedPerson {
    /// The circle that was told of last, and that of nobody before any was.
    disc: Disc,
    /// Its number.
    now: u32,
    /// The circle that was written last: the first of the chain of those that are found again.
    newest: u32,
    /// The place among the characters in a list, in order of creation.
    rank: u32,
    /// The generation of the character.
    generation: u32,
}

/// Nobody: no circle is like this one.
const NOBODY: ListedPerson = ListedPerson {
    disc: Disc { centre: Vec3::ZERO, radius_m: f32::NAN },
    now: NONE,
    newest: NONE,
    rank: NONE,
    generation: 0,
};

/// A circle that was written.
#[derive(Clone, Copy, Debug)]
struct Circle {
    disc: Disc,
    /// The one before it of the same person.
    older: u32,
}

/// A list that is written, as numbers.
#[derive(Clone, Debug, Default)]
struct Entries {
    count: usize,
    /// How many people are left out in front of each, times two; plus one where the circle is the one
    /// that was told of last.
    gaps: Vec<u32>,
    /// The places in the list of the others.
    moved: Vec<u32>,
    moved_count: usize,
}

impl Entries {
    /// Room for so many, and for as many that have moved.
    fn room(&mut self, count: usize) -> (&mut [u32], &mut [u32]) {
        let room = self.gaps.len().max(count);
        self.gaps.resize(room, 0);
        self.moved.resize(room, 0);
        (self.count, self.moved_count) = (count, 0);
        (&mut self.gaps[..count], &mut self.moved[..count])
    }

    fn moved(&self) -> &[u32] {
        &self.moved[..self.moved_count]
    }

    fn save(&self, plain_bits: u32, out: &mut BitWriter) {
        let mask = (1 << plain_bits) - 1;
        for &entry in &self.gaps[..self.count] {
            let (gap, is_now) = (entry >> 1, entry & 1);
            let mut steps = gap >> plain_bits;
            while steps > STEPS_AT_ONCE {
                out.put((1 << STEPS_AT_ONCE) - 1, STEPS_AT_ONCE);
                steps -= STEPS_AT_ONCE;
            }
            let low = gap & mask | is_now << plain_bits;
            out.put(((1 << steps) - 1) | (low << (steps + 1)), steps + plain_bits + 2);
        }
    }
}

/// The circles that were written so far.
#[derive(Clone, Debug)]
pub(super) struct ToldDiscs {
    /// By place of the character in its table.
    people: Vec<ListedPerson>,
    /// The characters in a list, in order of creation.
    ids: Vec<CharacterId>,
    /// Where each of them stands.
    positions: Vec<Vec3>,
    circles: Vec<Circle>,
    /// The radius that was written last, metres.
    radius_m: f32,
    /// The list that is written.
    entries: Entries,
    bits: Vec<u32>,
    /// The list that is read.
    read: (Vec<CharacterId>, Vec<Disc>),
}

impl ToldDiscs {
    /// Writes which of the characters are in any of the lists: people are told by their places among those.
    pub(super) fn begin<'a>(
        out: &mut ByteWriter,
        characters: &Characters,
        lists: impl Iterator<Item = &'a Bystanders>,
    ) -> Self {
        let all = listed(characters, lists);
        let mut next = 0;
        out.list(all.iter(), |out, &number| {
            out.word(u64::from(number - next));
            next = number + 1;
        });
        Self::of(characters, &all)
    }

    /// Reads those in any of the lists.
    ///
    /// # Errors
    /// At the end, and when a character is not there.
    pub(super) fn read(input: &mut ByteReader<'_>, characters: &Characters) -> Result<Self, DecodeError> {
        let mut next = 0u32;
        let all: Vec<u32> = input.list(|input| {
            let number = next.saturating_add(input.count()?);
            if number as usize >= characters.ids().len() {
                return Err(nobody());
            }
            next = number + 1;
            Ok(number)
        })?;
        Ok(Self::of(characters, &all))
    }

    /// No circle was written. `all` are the places of the characters in a list.
    fn of(characters: &Characters, all: &[u32]) -> Self {
        let ids = all.iter().filter_map(|&number| characters.ids().get(number as usize));
        let known = ids.filter_map(|&id| Some((id, characters.get(id)?)));
        let (ids, positions): (Vec<CharacterId>, Vec<Vec3>) =
            known.map(|(who, one)| (who, one.body.position)).unzip();
        let room = ids.iter().map(|who| who.place() + 1).max().unwrap_or(0);
        let mut people = vec![NOBODY; room];
        for (rank, who) in (0..).zip(&ids) {
            people[who.place()] = ListedPerson { rank, generation: who.generation(), ..NOBODY };
        }
        let (circles, entries, bits) = (Vec::new(), Entries::default(), Vec::new());
        Self { people, ids, positions, circles, radius_m: 0.0, entries, bits, read: Default::default() }
    }

    fn position(&self, rank: u32) -> Vec3 {
        self.positions.get(rank as usize).copied().unwrap_or_default()
    }

    /// Asks of each circle of a character that is found again, but for the one that was told of last, whether
    /// it is the one.
    #[inline]
    fn find_other<E>(
        &self,
        newest: u32,
        now: u32,
        mut is_it: impl FnMut(&Disc) -> Result<bool, E>,
    ) -> Result<Option<(u32, Disc)>, E> {
        let mut at = newest;
        for _ in 0..CIRCLES_MAX {
            let Some(circle) = self.circles.get(at as usize) else { break };
            if at != now && is_it(&circle.disc)? {
                return Ok(Some((at, circle.disc)));
            }
            at = circle.older;
        }
        Ok(None)
    }

    /// A circle that was not written before is the one that was told of last.
    fn add(&mut self, who: CharacterId, disc: Disc) {
        let Some(one) = self.people.get_mut(who.place()) else { return };
        let added = self.circles.len() as u32;
        self.circles.push(Circle { disc, older: one.newest });
        (one.newest, one.now, one.disc) = (added, added, disc);
    }

    #[inline]
    fn tell(&mut self, who: CharacterId, circle: u32, disc: Disc) {
        if let Some(one) = self.people.get_mut(who.place()) {
            (one.now, one.disc) = (circle, disc);
        }
    }

    /// The part of a gap that is written in plain bits: about what a gap of a list of so many people is. At
    /// least one, so that a character takes three bits, and the memory of a list is a multiple of its bytes.
    fn plain_bits(&self, count: usize) -> u32 {
        // Seven tenths of the mean of gaps that are all equally likely: the best for them.
        let best = (self.ids.len() * 11 / 16 / count.max(1)).checked_ilog2().unwrap_or(0);
        best.clamp(1, PLAIN_BITS_MAX)
    }

    /// Writes a list.
    pub(super) fn save(&mut self, out: &mut ByteWriter, seen: &Bystanders) {
        let mut entries = std::mem::take(&mut self.entries);
        let mut bits = BitWriter { words: std::mem::take(&mut self.bits), held: 0, count: 0 };
        let is_told = self.find_people(seen, &mut entries);
        out.flag(is_told);
        if is_told {
            out.word(seen.len() as u64);
            bits.words.clear();
            entries.save(self.plain_bits(seen.len()), &mut bits);
            bits.end(out);
            for &at in entries.moved() {
                self.save_moved(out, seen.who()[at as usize], seen.discs()[at as usize]);
            }
        } else {
            out.list(seen.who().iter().zip(seen.discs().iter()), |out, (who, disc)| {
                who.save(out);
                disc.save(out);
            });
        }
        (self.entries, self.bits) = (entries, bits.words);
    }

    /// Finds the places of every character in a list, and whose circle is another one; false when a character
    /// in it is gone. Apart from the writing: people lie all over memory, and so nothing waits for one of
    /// them.
    fn find_people(&self, seen: &Bystanders, entries: &mut Entries) -> bool {
        let (gaps, moved) = entries.room(seen.len());
        let (mut next, mut moved_count) = (0, 0);
        for (at, (&who, disc)) in seen.who().iter().zip(seen.discs().iter()).enumerate() {
            let Some(one) = self.people.get(who.place()) else { return false };
            if one.generation != who.generation() || one.rank < next {
                return false;
            }
            let is_now = is_same(&one.disc, disc);
            gaps[at] = (one.rank - next) << 1 | u32::from(is_now);
            next = one.rank + 1;
            // Without a branch that is hard to foresee: what does not count is written over.
            moved[moved_count] = at as u32;
            moved_count += usize::from(!is_now);
        }
        entries.moved_count = moved_count;
        true
    }

    /// Writes a circle that is not the one that was told of last.
    fn save_moved(&mut self, out: &mut ByteWriter, who: CharacterId, disc: Disc) {
        let Some(one) = self.people.get(who.place()) else { return };
        let found = self.find_other(one.newest, one.now, |other| {
            let is_it = is_same(other, &disc);
            out.flag(is_it);
            Ok::<_, Infallible>(is_it)
        });
        if let Ok(Some((circle, disc))) = found {
            return self.tell(who, circle, disc);
        }
        out.vector_near(disc.centre, self.position(one.rank));
        let is_as_wide = disc.radius_m.to_bits() == self.radius_m.to_bits();
        out.flag(is_as_wide);
        if !is_as_wide {
            out.float(disc.radius_m);
            self.radius_m = disc.radius_m;
        }
        self.add(who, disc);
    }

    /// Reads a list.
    ///
    /// # Errors
    /// At the end, and when it names characters that are not there.
    pub(super) fn load(&mut self, input: &mut ByteReader<'_>) -> Result<Bystanders, DecodeError> {
        if !input.flag()? {
            let all: Vec<(CharacterId, Disc)> = input.list(|input| {
                let (who, centre) = (Saved::load(input)?, Saved::load(input)?);
                Ok((who, Disc { centre, radius_m: input.float_in(RADIUS_RANGE_M)? }))
            })?;
            let (who, discs): (Vec<_>, Vec<_>) = all.into_iter().unzip();
            return Ok(Bystanders::new(who.into(), discs.into()));
        }
        let count = input.count()? as usize;
        if count > self.ids.len() {
            return Err(nobody());
        }
        input.pay(count * (size_of::<CharacterId>() + size_of::<Disc>()))?;
        let (mut who, mut discs) = std::mem::take(&mut self.read);
        who.clear();
        discs.clear();
        let mut moved: Vec<(usize, CharacterId)> = Vec::new();
        let plain_bits = self.plain_bits(count);
        let steps_max = (self.ids.len() >> plain_bits) as u32;
        let (mut bits, mut next) = (BitReader::default(), 0usize);
        for at in 0..count {
            let steps = bits.ones(input, steps_max)?;
            let rest = bits.take(input, plain_bits + 1)?;
            let gap = (steps as usize) << plain_bits | (rest & ((1 << plain_bits) - 1)) as usize;
            let rank = next + gap;
            let &id = self.ids.get(rank).ok_or_else(nobody)?;
            let one = self.people.get(id.place()).ok_or_else(nobody)?;
            next = rank + 1;
            who.push(id);
            if rest >> plain_bits == 1 {
                if one.now == NONE {
                    return Err(DecodeError::new("a character in the way that was not listed"));
                }
                discs.push(one.disc);
            } else {
                moved.push((at, id));
                discs.push(Disc { centre: Vec3::ZERO, radius_m: 0.0 });
            }
        }
        for (at, id) in moved {
            discs[at] = self.load_moved(input, id)?;
        }
        let read = Bystanders::new(who.as_slice().into(), discs.as_slice().into());
        self.read = (who, discs);
        Ok(read)
    }

    fn load_moved(&mut self, input: &mut ByteReader<'_>, who: CharacterId) -> Result<Disc, DecodeError> {
        let one = self.people.get(who.place()).ok_or_else(nobody)?;
        let found = self.find_other(one.newest, one.now, |_| input.flag())?;
        if let Some((circle, disc)) = found {
            self.tell(who, circle, disc);
            return Ok(disc);
        }
        let centre = input.vector_near(self.position(one.rank))?;
        if !input.flag()? {
            self.radius_m = input.float_in(RADIUS_RANGE_M)?;
        }
        let disc = Disc { centre, radius_m: self.radius_m };
        self.add(who, disc);
        Ok(disc)
    }
}

/// The places in order of creation of the characters in any of the lists.
fn listed<'a>(characters: &Characters, lists: impl Iterator<Item = &'a Bystanders>) -> Vec<u32> {
    let room = characters.ids().iter().map(|&id| id.place() + 1).max().unwrap_or(0);
    let mut is_in = vec![false; room];
    for list in lists {
        for &who in list.who() {
            if let Some(is_in) = is_in.get_mut(who.place()) {
                *is_in = true;
            }
        }
    }
    let ids = (0..).zip(characters.ids());
    ids.filter(|&(_, &id)| is_in[id.place()]).map(|(number, _): (u32, _)| number).collect()
}

/// What is wrong with a list that names characters that are not there.
fn nobody() -> DecodeError {
    DecodeError::new("a character in the way that is not there")
}

/// To the bit.
#[inline]
fn is_same(one: &Disc, other: &Disc) -> bool {
    // Without a branch for each: they are the same nearly always.
    let x = one.centre.x.to_bits() ^ other.centre.x.to_bits();
    let y = one.centre.y.to_bits() ^ other.centre.y.to_bits();
    let z = one.centre.z.to_bits() ^ other.centre.z.to_bits();
    x | y | z | (one.radius_m.to_bits() ^ other.radius_m.to_bits()) == 0
}

/// Bits, the lowest first.
struct BitWriter {
    words: Vec<u32>,
    held: u64,
    /// How many are held: less than 32 between two calls.
    count: u32,
}

impl BitWriter {
    /// The lowest bits of a number, 32 at most; the others are zero.
    #[inline]
    fn put(&mut self, value: u32, bits: u32) {
        self.held |= u64::from(value) << self.count;
        self.count += bits;
        if self.count >= 32 {
            self.words.push(self.held as u32);
            self.held >>= 32;
            self.count -= 32;
        }
    }

    /// Writes all of them, filled up with zeros to whole bytes.
    fn end(&self, out: &mut ByteWriter) {
        out.words(&self.words);
        out.raw(&self.held.to_le_bytes()[..self.count.div_ceil(8) as usize]);
    }
}

/// Takes bits out of bytes, and no byte before it is needed.
#[derive(Debug, Default)]
struct BitReader {
    held: u64,
    count: u32,
}

impl BitReader {
    /// So many bits, 32 at most.
    #[inline]
    fn take(&mut self, input: &mut ByteReader<'_>, bits: u32) -> Result<u32, DecodeError> {
        while self.count < bits {
            self.held |= u64::from(input.byte()?) << self.count;
            self.count += 8;
        }
        let value = self.held & ((1 << bits) - 1);
        self.held >>= bits;
        self.count -= bits;
        Ok(value as u32)
    }

    /// How many ones there are up to the next zero, which is taken, too.
    #[inline]
    fn ones(&mut self, input: &mut ByteReader<'_>, most: u32) -> Result<u32, DecodeError> {
        let mut all = 0;
        loop {
            let ones = self.held.trailing_ones();
            if ones < self.count {
                self.held >>= ones + 1;
                self.count -= ones + 1;
                return Ok(all + ones);
            }
            (all, self.held, self.count) = (all + self.count, 0, 0);
            if all > most {
                return Err(nobody());
            }
            (self.held, self.count) = (u64::from(input.byte()?), 8);
        }
    }
}

#[cfg(test)]
mod tests;
