//! Points, links and named parts of a graph, as people edit them.
//!
//! In: edits, one at a time. Out: the graph after it, and the edit that takes it back. Holds: finite points,
//! links between two different known points, each once; a point in one part at most. Not here: searching.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use thiserror::Error;

use crate::base::ordered::CollectOrdered;

/// The most points a graph may have.
pub const POINTS_MAX: usize = 1 << 20;
/// The most links a graph may have.
pub const LINKS_MAX: usize = 1 << 24;
/// The most parts a graph may be divided into.
pub const PARTS_MAX: usize = 1024;
/// Longest name of a part that is made, bytes.
pub const PART_NAME_BYTES_MAX: usize = 128;

/// A graph as people edit it. `Default` is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditableGraph {
    points: Vec<Vec3>,
    links: BTreeSet<[u32; 2]>,
    parts: Vec<GraphPart>,
}

/// A named part of a graph: a space of seed 003.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphPart {
    /// Its name, one of its kind in the graph.
    pub name: String,
    /// Its points, sorted.
    pub points: Vec<u32>,
}

/// A change to a draft.
#[derive(Clone, Debug, PartialEq)]
pub enum PointEdit {
    /// Puts a point at a place in the list: those from there on are numbered one higher. `at` the length, it
    /// is the last.
    Add {
        /// Its number.
        at: u32,
        /// Where it is, world metres.
        point: Vec3,
        /// The points it is linked with, numbered as they are afterwards.
        links: Vec<u32>,
        /// The part it belongs to.
        part: Option<usize>,
    },
    /// Takes a point away with its links: those after it are numbered one lower.
    Remove {
        /// Its number.
        at: u32,
    },
    /// Puts a point elsewhere.
    Move {
        /// Its number.
        at: u32,
        /// Where to, world metres.
        point: Vec3,
    },
    /// Links two points.
    Link {
        /// Their numbers.
        ends: [u32; 2],
    },
    /// Takes a link away.
    Unlink {
        /// The numbers of its ends.
        ends: [u32; 2],
    },
}

impl PointEdit {
    /// Edits in runs that are carried out at once: points that go in falling order of their numbers, points
    /// that come in rising order, and each other edit by itself.
    pub fn runs(edits: &[Self]) -> impl Iterator<Item = &[Self]> {
        edits.chunk_by(|one, other| match (one, other) {
            (Self::Remove { at }, Self::Remove { at: next }) => next < at,
            (Self::Add { at, .. }, Self::Add { at: next, .. }) => next > at,
            _ => false,
        })
    }
}

/// Why an edit is not possible. Nothing changes then.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PointEditError {
    /// There is no such point.
    #[error("there is no point {at}: the graph has {count}")]
    NoPoint {
        /// The number asked for.
        at: u32,
        /// How many there are.
        count: usize,
    },
    /// A place that is none.
    #[error("{point} is no place: expected finite metres within a million")]
    Place {
        /// The place.
        point: Vec3,
    },
    /// A link from a point to itself.
    #[error("point {at} cannot be linked with itself")]
    Loop {
        /// The point.
        at: u32,
    },
    /// The link is there already, or there is none to take away.
    #[error("points {} and {} are {}", ends[0], ends[1], if *linked { "linked already" } else { "not linked" })]
    Linked {
        /// The points.
        ends: [u32; 2],
        /// Whether they are linked.
        linked: bool,
    },
    /// The graph is full.
    #[error("the graph has {count} {what}, limit {limit}")]
    Limit {
        /// Points, links or parts.
        what: &'static str,
        /// How many it has or would have.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A point in two parts.
    #[error("point {at} is in \"{first}\" and in \"{second}\", expected in one part at most")]
    Twice {
        /// The point.
        at: u32,
        /// The part it is in.
        first: String,
        /// The part it was to be in as well.
        second: String,
    },
    /// A name that cannot be one.
    #[error(
        "the name of the part {what}, expected 1 to {PART_NAME_BYTES_MAX} bytes without control characters"
    )]
    Name {
        /// What is wrong with it.
        what: &'static str,
    },
    /// A part that would have no point: all that are in reach belong to others. Give another place, or go
    /// further.
    #[error("the part \"{name}\" would have no points: all in reach, {others}, belong to other parts")]
    NoPoints {
        /// The name of the part.
        name: String,
        /// How many points are in reach.
        others: usize,
    },
    /// Two parts of one name. Give one of them another.
    #[error("there are two parts \"{name}\", expected a name of its own for each")]
    SameName {
        /// Their name.
        name: String,
    },
}

impl EditableGraph {
    /// A graph as authored. Links may be given in either direction and more than once.
    ///
    /// # Errors
    /// The first point, link or part that cannot be; limits first.
    pub fn new(points: Vec<Vec3>, links: &[[u32; 2]], parts: Vec<GraphPart>) -> Result<Self, PointEditError> {
        let within = |what, count, limit| {
            if count > limit { Err(PointEditError::Limit { what, count, limit }) } else { Ok(()) }
        };
        within("points", points.len(), POINTS_MAX)?;
        within("links", links.len(), LINKS_MAX)?;
        within("parts", parts.len(), PARTS_MAX)?;
        if let Some(&point) = points.iter().find(|point| !is_place(**point)) {
            return Err(PointEditError::Place { point });
        }
        let mut draft = Self { points, ..Self::default() };
        for &[a, b] in links {
            let ends = draft.ends([a, b])?;
            draft.links.insert(ends);
        }
        draft.set_parts(parts)?;
        Ok(draft)
    }

    /// The points, world metres.
    #[must_use]
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// The links, the lower end first, sorted.
    pub fn links(&self) -> impl ExactSizeIterator<Item = [u32; 2]> + '_ {
        self.links.iter().copied()
    }

    /// Whether two points are linked. Cost: the logarithm of the links.
    #[must_use]
    pub fn is_linked(&self, ends: [u32; 2]) -> bool {
        self.links.contains(&sorted(ends))
    }

    /// The named parts.
    #[must_use]
    pub fn parts(&self) -> &[GraphPart] {
        &self.parts
    }

    /// Divides it again.
    ///
    /// # Errors
    /// Two parts of one name, an unknown point, or one in two parts.
    pub fn set_parts(&mut self, mut parts: Vec<GraphPart>) -> Result<(), PointEditError> {
        let mut owner: Vec<Option<usize>> = vec![None; self.points.len()];
        for GraphPart { points, .. } in &mut parts {
            points.sort_unstable();
            points.dedup();
        }
        let mut names = BTreeSet::new();
        for (part, GraphPart { name, points }) in parts.iter().enumerate() {
            if !names.insert(name) {
                return Err(PointEditError::SameName { name: name.clone() });
            }
            for &at in points {
                self.point(at)?;
                if let Some(first) = owner[at as usize].replace(part) {
                    let [first, second] = [first, part].map(|part| parts[part].name.clone());
                    return Err(PointEditError::Twice { at, first, second });
                }
            }
        }
        self.parts = parts;
        Ok(())
    }

    /// Where a point is.
    ///
    /// # Errors
    /// There is none of that number.
    pub fn point(&self, at: u32) -> Result<Vec3, PointEditError> {
        self.points.get(at as usize).copied().ok_or(PointEditError::NoPoint { at, count: self.points.len() })
    }

    /// The part that each point belongs to.
    #[must_use]
    pub fn owners(&self) -> Vec<Option<u16>> {
        let mut owners = vec![None; self.points.len()];
        for (part, GraphPart { points, .. }) in (0..).zip(&self.parts) {
            points.iter().for_each(|&at| owners[at as usize] = Some(part));
        }
        owners
    }

    /// Replaces all links. Ends are known points, each pair once.
    pub(crate) fn set_links(&mut self, links: impl IntoIterator<Item = [u32; 2]>) {
        self.links = links.into_iter().collect_set();
    }

    /// Carries out an edit and gives the one that takes it back.
    ///
    /// # Errors
    /// The edit is not possible; nothing has changed.
    pub fn apply(&mut self, edit: &PointEdit) -> Result<PointEdit, PointEditError> {
        match edit {
            PointEdit::Add { at, point, links, part } => self.add(*at, *point, links, *part),
            PointEdit::Remove { at } => self.remove(*at),
            PointEdit::Move { at, point } => {
                let before = self.point(*at)?;
                self.points[*at as usize] = place(*point)?;
                Ok(PointEdit::Move { at: *at, point: before })
            }
            PointEdit::Link { ends } => {
                let ends = self.ends(*ends)?;
                if !self.links.insert(ends) {
                    return Err(PointEditError::Linked { ends, linked: true });
                }
                Ok(PointEdit::Unlink { ends })
            }
            PointEdit::Unlink { ends } => {
                let ends = self.ends(*ends)?;
                if !self.links.remove(&ends) {
                    return Err(PointEditError::Linked { ends, linked: false });
                }
                Ok(PointEdit::Link { ends })
            }
        }
    }

    fn add(
        &mut self,
        at: u32,
        point: Vec3,
        links: &[u32],
        part: Option<usize>,
    ) -> Result<PointEdit, PointEditError> {
        let count = self.points.len();
        check_new(count, at, point, links)?;
        if (at as usize) < count {
            self.renumber(|id| id + u32::from(id >= at));
        }
        self.points.insert(at as usize, point);
        self.links.extend(links.iter().map(|&other| sorted([at, other])));
        if let Some(GraphPart { points, .. }) = part.and_then(|part| self.parts.get_mut(part)) {
            points.insert(points.partition_point(|&other| other < at), at);
        }
        Ok(PointEdit::Remove { at })
    }

    fn remove(&mut self, at: u32) -> Result<PointEdit, PointEditError> {
        let point = self.point(at)?;
        let links = self.links.iter().filter(|ends| ends.contains(&at)).map(|[a, b]| a ^ b ^ at).collect();
        let part = self.parts.iter().position(|part| part.points.binary_search(&at).is_ok());
        self.links.retain(|ends| !ends.contains(&at));
        self.parts.iter_mut().for_each(|part| part.points.retain(|&other| other != at));
        self.points.remove(at as usize);
        self.renumber(|id| id - u32::from(id > at));
        Ok(PointEdit::Add { at, point, links, part })
    }

    /// Carries out some edits one after the other, and gives those that take them back, each in its place.
    /// Cost: n log n in edits, points and links, where points go in falling order of their numbers and come
    /// in rising order; points that are not in order cost a glance at all points and links for each run that
    /// is.
    ///
    /// # Errors
    /// The first edit that is not possible; some of those before it are carried out.
    pub fn apply_all(&mut self, edits: &[PointEdit]) -> Result<Vec<PointEdit>, PointEditError> {
        let mut back = Vec::with_capacity(edits.len());
        for run in PointEdit::runs(edits) {
            match run {
                [PointEdit::Remove { at }, _, ..] => {
                    self.point(*at)?;
                    back.extend(self.remove_falling(run));
                }
                [PointEdit::Add { .. }, _, ..] => back.extend(self.add_rising(run)?),
                _ => back.push(self.apply(&run[0])?),
            }
        }
        Ok(back)
    }

    /// Takes points away whose numbers fall.
    fn remove_falling(&mut self, run: &[PointEdit]) -> Vec<PointEdit> {
        let number = |edit: &PointEdit| if let PointEdit::Remove { at } = edit { Some(*at) } else { None };
        let gone: BTreeSet<u32> = run.iter().filter_map(number).collect_set();
        let in_order: Vec<u32> = gone.iter().copied().collect();
        let mut beside: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &[a, b] in &self.links {
            for (end, other) in [(a, b), (b, a)].into_iter().filter(|(end, _)| gone.contains(end)) {
                beside.entry(end).or_default().push(other);
            }
        }
        let owners = self.owners();
        // By then all that go and are numbered higher are gone.
        let then = |at: u32, other: u32| {
            let gone_below = |number: u32| in_order.partition_point(|&gone| gone < number) as u32;
            if other < at { other } else { other + gone_below(at + 1) - gone_below(other) }
        };
        let add = |&at: &u32| {
            let others = beside.get(&at).map_or(&[][..], Vec::as_slice).iter();
            let left = others.filter(|&&other| other < at || !gone.contains(&other));
            PointEdit::Add {
                at,
                point: self.points[at as usize],
                links: left.map(|&other| then(at, other)).collect(),
                part: owners[at as usize].map(usize::from),
            }
        };
        let back = in_order.iter().rev().map(add).collect();
        self.remove_all(&gone);
        back
    }

    /// Puts points at places in the list that rise.
    fn add_rising(&mut self, run: &[PointEdit]) -> Result<Vec<PointEdit>, PointEditError> {
        let mut added: Vec<(u32, Vec3)> = Vec::with_capacity(run.len());
        for edit in run {
            let PointEdit::Add { at, point, links, .. } = edit else { continue };
            check_new(self.points.len() + added.len(), *at, *point, links)?;
            added.push((*at, *point));
        }
        // Nothing that comes later moves what came before: it is put behind.
        let is_new = |number: u32| added.binary_search_by_key(&number, |new| new.0).is_ok();
        let old = (0..(self.points.len() + added.len()) as u32).filter(|number| !is_new(*number));
        let numbers: Vec<u32> = old.collect();
        self.renumber(|id| numbers[id as usize]);
        let mut points = std::mem::take(&mut self.points).into_iter();
        let mut new = added.iter().peekable();
        for number in 0..(numbers.len() + added.len()) as u32 {
            let own = new.next_if(|new| new.0 == number).map(|new| new.1);
            self.points.extend(own.or_else(|| points.next()));
        }
        let mut back = Vec::with_capacity(run.len());
        for edit in run {
            let PointEdit::Add { at, links, part, .. } = edit else { continue };
            let so_far = &added[..=back.len()];
            let now = |other: u32| match so_far.binary_search_by_key(&other, |new| new.0) {
                Ok(_) => other,
                Err(below) => numbers[other as usize - below],
            };
            self.links.extend(links.iter().map(|&other| sorted([*at, now(other)])));
            if let Some(GraphPart { points, .. }) = part.and_then(|part| self.parts.get_mut(part)) {
                points.push(*at);
            }
            back.push(PointEdit::Remove { at: *at });
        }
        self.parts.iter_mut().for_each(|part| part.points.sort_unstable());
        Ok(back)
    }

    /// Takes many points away at once, with their links.
    pub fn remove_all(&mut self, gone: &BTreeSet<u32>) {
        let mut numbers = Vec::with_capacity(self.points.len());
        let mut next = 0;
        for at in 0..self.points.len() as u32 {
            numbers.push(next);
            next += u32::from(!gone.contains(&at));
        }
        self.links.retain(|ends| !ends.iter().any(|end| gone.contains(end)));
        self.parts.iter_mut().for_each(|part| part.points.retain(|at| !gone.contains(at)));
        let mut at = 0;
        self.points.retain(|_| {
            at += 1;
            !gone.contains(&(at - 1))
        });
        self.renumber(|id| numbers[id as usize]);
    }

    /// Gives every point another number, in the same order.
    fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.links = self.links.iter().map(|ends| ends.map(&number)).collect_set();
        self.parts.iter_mut().flat_map(|part| &mut part.points).for_each(|at| *at = number(*at));
    }

    fn ends(&self, ends: [u32; 2]) -> Result<[u32; 2], PointEditError> {
        self.point(ends[0])?;
        self.point(ends[1])?;
        if ends[0] == ends[1] { Err(PointEditError::Loop { at: ends[0] }) } else { Ok(sorted(ends)) }
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Whether a graph of so many points may have another one at a place in the list.
fn check_new(count: usize, at: u32, point: Vec3, links: &[u32]) -> Result<(), PointEditError> {
    place(point)?;
    if at as usize > count {
        return Err(PointEditError::NoPoint { at, count });
    }
    if count >= POINTS_MAX {
        return Err(PointEditError::Limit { what: "points", count: count + 1, limit: POINTS_MAX });
    }
    for &other in links {
        if other as usize > count {
            return Err(PointEditError::NoPoint { at: other, count: count + 1 });
        }
        if other == at {
            return Err(PointEditError::Loop { at });
        }
    }
    Ok(())
}

fn is_place(point: Vec3) -> bool {
    point.is_finite() && point.abs().max_element() <= 1e6
}

fn place(point: Vec3) -> Result<Vec3, PointEditError> {
    if is_place(point) { Ok(point) } else { Err(PointEditError::Place { point }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn square() -> EditableGraph {
        let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let parts = vec![GraphPart { name: "west".into(), points: vec![0, 3] }];
        EditableGraph::new(points.to_vec(), &[[0, 1], [2, 1], [2, 3], [0, 1]], parts).unwrap()
    }

    #[test]
    fn seed_v2_the_five_edits_and_their_undo_give_what_was() {
        let before = square();
        let edits = [
            PointEdit::Add { at: 2, point: Vec3::ONE * 2.0, links: vec![0, 4], part: Some(0) },
            PointEdit::Link { ends: [4, 0] },
            PointEdit::Unlink { ends: [1, 0] },
            PointEdit::Move { at: 3, point: Vec3::ZERO },
            PointEdit::Remove { at: 0 },
        ];
        let mut draft = before.clone();
        let mut back = Vec::new();
        for edit in &edits {
            let was = draft.clone();
            back.push(draft.apply(edit).unwrap());
            assert_ne!(draft, was, "{edit:?}");
        }
        for edit in back.iter().rev() {
            draft.apply(edit).unwrap();
        }
        assert_eq!(draft, before);
    }

    #[test]
    fn what_is_not_possible_changes_nothing_and_says_why() {
        let mut draft = square();
        let before = draft.clone();
        for (edit, message) in [
            (PointEdit::Remove { at: 9 }, "there is no point 9: the graph has 4"),
            (PointEdit::Link { ends: [1, 1] }, "point 1 cannot be linked with itself"),
            (PointEdit::Link { ends: [1, 0] }, "points 0 and 1 are linked already"),
            (PointEdit::Unlink { ends: [1, 3] }, "points 1 and 3 are not linked"),
        ] {
            assert_eq!(draft.apply(&edit).unwrap_err().to_string(), message);
        }
        assert!(draft.apply(&PointEdit::Move { at: 0, point: Vec3::NAN }).is_err());
        assert_eq!(draft, before);
    }

    #[test]
    fn a_point_in_two_parts_and_two_parts_of_one_name_are_refused() {
        let part = |name: &str, at| GraphPart { name: name.into(), points: vec![at] };
        let refusal = |parts: [GraphPart; 2]| {
            EditableGraph::new(vec![Vec3::ZERO; 2], &[], parts.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(
            refusal([part("yard", 1), part("hall", 1)]),
            "point 1 is in \"yard\" and in \"hall\", expected in one part at most"
        );
        assert_eq!(
            refusal([part("hall", 0), part("hall", 1)]),
            "there are two parts \"hall\", expected a name of its own for each"
        );
    }

    #[test]
    fn removing_many_is_removing_one_after_the_other() {
        let mut at_once = square();
        at_once.remove_all(&BTreeSet::from([0, 2]));
        let mut in_turn = square();
        in_turn.apply(&PointEdit::Remove { at: 2 }).unwrap();
        in_turn.apply(&PointEdit::Remove { at: 0 }).unwrap();
        assert_eq!(at_once, in_turn);
    }

    /// Law: many edits at once are the same edits one after the other, and so is what takes them back.
    #[test]
    fn edits_at_once_are_the_edits_in_turn() {
        let mut rng = Rng::stream(21, "edits");
        for _ in 0..300 {
            let mut in_turn = square();
            let mut edits = Vec::new();
            let mut back = Vec::new();
            for _ in 0..40 {
                let count = in_turn.points().len() as u64;
                let mut some = |most: u64| rng.below(most.max(1)) as u32;
                let last = edits.last();
                let edit = match (some(8), last) {
                    // Runs in order are as likely as others.
                    (0..=2, Some(PointEdit::Remove { at })) => PointEdit::Remove { at: some(u64::from(*at)) },
                    (0..=2, Some(PointEdit::Add { at, .. })) | (3, Some(PointEdit::Move { at, .. })) => {
                        let at = (at + 1 + some(2)).min(count as u32);
                        let links =
                            (0..some(4)).map(|_| some(count + 1)).filter(|&other| other != at).collect();
                        PointEdit::Add { at, point: Vec3::X * at as f32, links, part: Some(some(2) as usize) }
                    }
                    (0..=3, _) => PointEdit::Remove { at: some(count) },
                    (4, _) => PointEdit::Link { ends: [some(count), some(count)] },
                    (5, _) => PointEdit::Unlink { ends: [some(count), some(count)] },
                    (6, _) => PointEdit::Move { at: some(count), point: Vec3::ONE },
                    _ => {
                        let at = some(count + 1);
                        let links =
                            (0..some(4)).map(|_| some(count + 1)).filter(|&other| other != at).collect();
                        PointEdit::Add { at, point: Vec3::Z, links, part: None }
                    }
                };
                if let Ok(undo) = in_turn.apply(&edit) {
                    back.push(undo);
                    edits.push(edit);
                }
            }
            let mut at_once = square();
            assert_eq!(at_once.apply_all(&edits).as_ref(), Ok(&back));
            assert_eq!(at_once, in_turn);
            back.reverse();
            let mut undone = in_turn.clone();
            let again: Vec<PointEdit> = back.iter().map(|edit| undone.apply(edit).unwrap()).collect();
            assert_eq!(at_once.apply_all(&back).as_ref(), Ok(&again));
            assert_eq!(at_once, undone);
        }
    }
}
