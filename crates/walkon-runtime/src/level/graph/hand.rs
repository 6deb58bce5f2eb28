//! Edits of a graph by hand, kept beside it: they can be undone, and repeated on a graph that was made again.
//!
//! In: edits of one call, or the bytes of the file. Out: the file; the edits on another draft, and those that
//! are impossible there. Holds: edits name places, not numbers, because numbers change when points are made
//! again; the last call can be taken back as long as nothing else has changed the graph. Not here: the graph
//! itself (`text`).

use std::collections::BTreeMap;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::base::hash::ContentHash;
use crate::nav::graph::editable_graph::{EditableGraph, PointEdit, PointEditError};

/// The version of the form.
const VERSION: u32 = 1;
/// How near to its old place a point must be to be the same one, metres.
pub(super) const SAME_M: f32 = 1e-3;

/// Why a file holds no edits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HandError {
    /// It is not JSON of the form.
    #[error("{0}")]
    Syntax(String),
    /// A form of another version.
    #[error("it is of version {0}, expected {VERSION}")]
    Version(u32),
}

/// Why the last call cannot be taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// There is none.
    #[error("there is nothing to take back")]
    Nothing,
    /// The graph is not as that call left it.
    #[error("the graph has been changed since by something else than `graph edit`")]
    Changed,
}

/// Everything that was changed by hand, call by call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandEdits {
    #[serde(rename = "walkonGraphEdits")]
    version: u32,
    calls: Vec<HandCall>,
}

impl Default for HandEdits {
    fn default() -> Self {
        Self { version: VERSION, calls: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandCall {
    edits: Vec<HandEdit>,
    /// What takes them back, in the order in which they were made.
    back: Vec<BackEdit>,
    /// The hash of the graph after them.
    after: String,
}

/// An edit by places, metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum HandEdit {
    Add([f32; 3]),
    Move([[f32; 3]; 2]),
    Link([[f32; 3]; 2]),
    Unlink([[f32; 3]; 2]),
    Remove([f32; 3]),
}

/// An edit by numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum BackEdit {
    Add { at: u32, point: [f32; 3], links: Vec<u32>, part: Option<usize> },
    Remove { at: u32 },
    Move { at: u32, point: [f32; 3] },
    Link { ends: [u32; 2] },
    Unlink { ends: [u32; 2] },
}

impl HandEdits {
    /// Reads the file.
    ///
    /// # Errors
    /// Why it holds no edits.
    pub fn read(bytes: &[u8]) -> Result<Self, HandError> {
        let found: Self =
            serde_json::from_slice(bytes).map_err(|error| HandError::Syntax(error.to_string()))?;
        if found.version == VERSION { Ok(found) } else { Err(HandError::Version(found.version)) }
    }

    /// The file, a call a line.
    #[must_use]
    pub fn text(&self) -> String {
        // Numbers and names always have a JSON form.
        let call = |call: &HandCall| format!("\n{}", serde_json::to_string(call).unwrap_or_default());
        let calls: Vec<String> = self.calls.iter().map(call).collect();
        format!("{{\n\"walkonGraphEdits\": {VERSION},\n\"calls\": [{}\n]\n}}\n", calls.join(","))
    }

    /// Whether nothing was changed by hand.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// How many edits there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.iter().map(|call| call.edits.len()).sum()
    }

    /// Carries out the edits of a call, and keeps them. Nothing changes when one of them is not possible.
    ///
    /// # Errors
    /// The first edit that is not possible.
    pub fn apply(&mut self, draft: &mut EditableGraph, edits: &[PointEdit]) -> Result<(), PointEditError> {
        let mut changed = draft.clone();
        let mut call = HandCall { edits: Vec::new(), back: Vec::new(), after: String::new() };
        for run in PointEdit::runs(edits) {
            let first = by_place(&changed, &run[0])?;
            let undo = changed.apply_all(run)?;
            call.edits.extend(run.iter().zip(&undo).map(|pair| match pair {
                (PointEdit::Add { point, .. }, _) => HandEdit::Add(point.to_array()),
                (PointEdit::Remove { .. }, PointEdit::Add { point, .. }) => {
                    HandEdit::Remove(point.to_array())
                }
                _ => first,
            }));
            call.back.extend(undo.iter().map(back));
        }
        *draft = changed;
        call.after = mark(draft);
        self.calls.push(call);
        Ok(())
    }

    /// Takes the last call back; how many edits it had.
    ///
    /// # Errors
    /// There is none, or the graph is not as it left it.
    pub fn undo(&mut self, draft: &mut EditableGraph) -> Result<usize, UndoError> {
        let call = self.calls.last().ok_or(UndoError::Nothing)?;
        if call.after != mark(draft) {
            return Err(UndoError::Changed);
        }
        let mut before = draft.clone();
        let edits: Vec<PointEdit> = call.back.iter().rev().map(forth).collect();
        before.apply_all(&edits).map_err(|_| UndoError::Changed)?;
        let count = call.edits.len();
        *draft = before;
        self.calls.pop();
        Ok(count)
    }

    /// The graph without what was changed by hand; None where something else has changed it since.
    #[must_use]
    pub fn base(&self, draft: &EditableGraph) -> Option<EditableGraph> {
        let (mut hand, mut base) = (self.clone(), draft.clone());
        // Bounded: each round takes a call back.
        while !hand.is_empty() {
            hand.undo(&mut base).ok()?;
        }
        Some(base)
    }

    /// Carries out the edits of links alone, on a graph whose points are as they were and whose links were
    /// made again. Impossible edits are left out and reported; none of them can be taken back.
    pub fn replay_links(&mut self, draft: &mut EditableGraph) -> Vec<String> {
        let all: Vec<HandEdit> = self.calls.iter().flat_map(|call| call.edits.iter().copied()).collect();
        for call in &mut self.calls {
            call.back.clear();
            call.after.clear();
        }
        let mut conflicts = Vec::new();
        let places = PlacedPoints::new(draft.points());
        for (at, &edit) in all.iter().enumerate() {
            let later = &all[at + 1..];
            let edit = match edit {
                HandEdit::Link(ends) => HandEdit::Link(ends.map(|end| moved(end, later))),
                HandEdit::Unlink(ends) => HandEdit::Unlink(ends.map(|end| moved(end, later))),
                HandEdit::Add(_) | HandEdit::Move(_) | HandEdit::Remove(_) => continue,
            };
            conflicts.extend(carry_out(draft, edit, SAME_M, Some(&places)).err());
        }
        conflicts
    }

    /// Carries out all edits on a graph that was made again: a place means the point nearest to it within a
    /// distance. Impossible edits are left out and reported; each call can be taken back as before.
    pub fn replay(&mut self, draft: &mut EditableGraph, within_m: f32) -> Vec<String> {
        let mut conflicts = Vec::new();
        for call in &mut self.calls {
            call.back.clear();
            for &by_hand in &call.edits {
                match carry_out(draft, by_hand, within_m, None) {
                    Ok(done) => call.back.extend(done.as_ref().map(back)),
                    Err(conflict) => conflicts.push(conflict),
                }
            }
            call.after = mark(draft);
        }
        conflicts
    }
}

/// The hash of the points and links of a draft, as digits. Parts are not edited here.
fn mark(draft: &EditableGraph) -> String {
    let mut hash = ContentHash::default();
    for point in draft.points() {
        point.to_array().iter().for_each(|value| _ = hash.word(u64::from(value.to_bits())));
    }
    draft.links().for_each(|[a, b]| _ = hash.word(u64::from(a) << 32 | u64::from(b)));
    format!("{:016x}", hash.finish())
}

/// Where a point that was at a place is after later edits.
fn moved(place: [f32; 3], later: &[HandEdit]) -> [f32; 3] {
    let is_same = |a: [f32; 3], b: [f32; 3]| Vec3::from(a).distance(Vec3::from(b)) <= SAME_M;
    later.iter().fold(place, |place, edit| match edit {
        HandEdit::Move([from, to]) if is_same(*from, place) => *to,
        _ => place,
    })
}

/// An edit by the places it means now.
fn by_place(draft: &EditableGraph, edit: &PointEdit) -> Result<HandEdit, PointEditError> {
    let place = |at: u32| draft.point(at).map(|point| point.to_array());
    let ends = |[a, b]: [u32; 2]| Ok::<_, PointEditError>([place(a)?, place(b)?]);
    Ok(match edit {
        PointEdit::Add { point, .. } => HandEdit::Add(point.to_array()),
        PointEdit::Move { at, point } => HandEdit::Move([place(*at)?, point.to_array()]),
        PointEdit::Link { ends: both } => HandEdit::Link(ends(*both)?),
        PointEdit::Unlink { ends: both } => HandEdit::Unlink(ends(*both)?),
        PointEdit::Remove { at } => HandEdit::Remove(place(*at)?),
    })
}

/// Points by place, while none of them comes, goes or moves: cubes of twice [`SAME_M`].
struct PlacedPoints(BTreeMap<[i64; 3], Vec<u32>>);

impl PlacedPoints {
    fn cube(place: Vec3) -> [i64; 3] {
        // The cast saturates.
        place.to_array().map(|value| (f64::from(value) / (2.0 * f64::from(SAME_M))).floor() as i64)
    }

    fn new(points: &[Vec3]) -> Self {
        let mut placed = Self(BTreeMap::new());
        for (at, &point) in (0..).zip(points) {
            placed.0.entry(Self::cube(point)).or_default().push(at);
        }
        placed
    }

    /// The points that may lie within [`SAME_M`] of a place.
    fn beside(&self, place: Vec3) -> Vec<u32> {
        let [x, y, z] = Self::cube(place);
        let columns =
            (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| [x.saturating_add(dx), y.saturating_add(dy)]));
        let cubes = columns.map(|[x, y]| [x, y, z.saturating_sub(1)]..=[x, y, z.saturating_add(1)]);
        cubes.flat_map(|cubes| self.0.range(cubes)).flat_map(|(_, points)| points).copied().collect()
    }
}

/// Carries out an edit by place. Gives the edit that takes it back, or None when there was nothing left to
/// do. Cost: a glance at all points where it is not given where they are.
fn carry_out(
    draft: &mut EditableGraph,
    edit: HandEdit,
    within_m: f32,
    placed: Option<&PlacedPoints>,
) -> Result<Option<PointEdit>, String> {
    let Some(changed) = on(draft, edit, within_m, placed)? else { return Ok(None) };
    draft.apply(&changed).map(Some).map_err(|error| format!("{}: {error}", words(edit)))
}

/// An edit by place on another draft. None when there is nothing left to do; else what it does not find.
fn on(
    draft: &EditableGraph,
    edit: HandEdit,
    within_m: f32,
    placed: Option<&PlacedPoints>,
) -> Result<Option<PointEdit>, String> {
    let near = |place: [f32; 3]| {
        let place = Vec3::from(place);
        let all = || (0..draft.points().len() as u32).collect();
        let beside: Vec<u32> = placed.map_or_else(all, |placed| placed.beside(place));
        let ranked = beside.into_iter().map(|at| (draft.points()[at as usize].distance(place), at));
        let nearest = ranked.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearest.filter(|(distance, _)| *distance <= within_m)
    };
    let found = |place: [f32; 3]| {
        near(place).map(|(_, at)| at).ok_or_else(|| {
            let [x, y, z] = place;
            format!("{}: there is no point within {within_m} m of [{x}, {y}, {z}] any more", words(edit))
        })
    };
    let linked = |ends: [u32; 2]| draft.is_linked(ends);
    Ok(match edit {
        HandEdit::Add(place) if near(place).is_some_and(|(distance, _)| distance <= SAME_M) => None,
        HandEdit::Add(place) => {
            let at = draft.points().len() as u32;
            Some(PointEdit::Add { at, point: Vec3::from(place), links: Vec::new(), part: None })
        }
        HandEdit::Move([from, to]) => Some(PointEdit::Move { at: found(from)?, point: Vec3::from(to) }),
        HandEdit::Link([a, b]) => {
            let ends = [found(a)?, found(b)?];
            if ends[0] == ends[1] {
                return Err(format!("{}: one point is nearest to both places", words(edit)));
            }
            (!linked(ends)).then_some(PointEdit::Link { ends })
        }
        HandEdit::Unlink([a, b]) => {
            let ends = [found(a)?, found(b)?];
            linked(ends).then_some(PointEdit::Unlink { ends })
        }
        HandEdit::Remove(place) => near(place).map(|(_, at)| PointEdit::Remove { at }),
    })
}

fn words(edit: HandEdit) -> String {
    let at = |[x, y, z]: [f32; 3]| format!("[{x}, {y}, {z}]");
    match edit {
        HandEdit::Add(place) => format!("added at {}", at(place)),
        HandEdit::Move([from, to]) => format!("moved from {} to {}", at(from), at(to)),
        HandEdit::Link([a, b]) => format!("linked {} and {}", at(a), at(b)),
        HandEdit::Unlink([a, b]) => format!("unlinked {} and {}", at(a), at(b)),
        HandEdit::Remove(place) => format!("removed at {}", at(place)),
    }
}

fn back(edit: &PointEdit) -> BackEdit {
    match edit {
        PointEdit::Add { at, point, links, part } => {
            BackEdit::Add { at: *at, point: point.to_array(), links: links.clone(), part: *part }
        }
        PointEdit::Remove { at } => BackEdit::Remove { at: *at },
        PointEdit::Move { at, point } => BackEdit::Move { at: *at, point: point.to_array() },
        PointEdit::Link { ends } => BackEdit::Link { ends: *ends },
        PointEdit::Unlink { ends } => BackEdit::Unlink { ends: *ends },
    }
}

fn forth(edit: &BackEdit) -> PointEdit {
    match edit {
        BackEdit::Add { at, point, links, part } => {
            PointEdit::Add { at: *at, point: Vec3::from(*point), links: links.clone(), part: *part }
        }
        BackEdit::Remove { at } => PointEdit::Remove { at: *at },
        BackEdit::Move { at, point } => PointEdit::Move { at: *at, point: Vec3::from(*point) },
        BackEdit::Link { ends } => PointEdit::Link { ends: *ends },
        BackEdit::Unlink { ends } => PointEdit::Unlink { ends: *ends },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn rows(count: u32) -> EditableGraph {
        let point = |at: u32| Vec3::new((at % 5) as f32, 0.0, (at / 5) as f32);
        let links: Vec<[u32; 2]> = (1..count).filter(|at| at % 5 > 0).map(|at| [at - 1, at]).collect();
        EditableGraph::new((0..count).map(point).collect(), &links, Vec::new()).unwrap()
    }

    fn some(draft: &EditableGraph, rng: &mut Rng) -> PointEdit {
        let count = draft.points().len() as f64;
        let mut number = || (rng.unit() * count) as u32;
        let (at, other) = (number(), number());
        let point = Vec3::new(rng.unit() as f32 * 9.0, 1.0, rng.unit() as f32 * 9.0);
        match (rng.unit() * 5.0) as u32 {
            0 => PointEdit::Add { at: draft.points().len() as u32, point, links: Vec::new(), part: None },
            1 => PointEdit::Move { at, point },
            2 => PointEdit::Link { ends: [at, other] },
            3 => PointEdit::Unlink { ends: [at, other] },
            _ => PointEdit::Remove { at },
        }
    }

    #[test]
    fn whatever_was_edited_is_taken_back_call_by_call_and_survives_its_file() {
        for seed in 0..40 {
            let mut rng = Rng::stream(seed, "hand");
            let mut draft = rows(20);
            let (mut hand, mut states) = (HandEdits::default(), vec![draft.clone()]);
            for _ in 0..12 {
                let edit = some(&draft, &mut rng);
                if hand.apply(&mut draft, &[edit]).is_ok() {
                    states.push(draft.clone());
                }
            }
            let mut hand = HandEdits::read(hand.text().as_bytes()).unwrap();
            states.pop();
            for state in states.iter().rev() {
                assert_eq!(hand.undo(&mut draft), Ok(1), "seed {seed}");
                assert_eq!(draft, *state, "seed {seed}");
            }
            assert_eq!(hand.undo(&mut draft), Err(UndoError::Nothing));
        }
    }

    #[test]
    fn edits_come_back_on_a_graph_made_again_and_what_is_lost_is_named() {
        let mut draft = rows(20);
        let mut hand = HandEdits::default();
        let far = Vec3::new(9.0, 0.0, 0.0);
        let add = PointEdit::Add { at: 20, point: far, links: Vec::new(), part: None };
        hand.apply(&mut draft, &[add, PointEdit::Link { ends: [4, 20] }]).unwrap();
        hand.apply(&mut draft, &[PointEdit::Unlink { ends: [0, 1] }, PointEdit::Link { ends: [0, 5] }])
            .unwrap();
        // Made again, with a point before all others: every number is another one.
        let mut points = vec![Vec3::new(-5.0, 0.0, 0.0)];
        points.extend(rows(20).points());
        let links: Vec<[u32; 2]> = rows(20).links().map(|ends| ends.map(|end| end + 1)).collect();
        let mut again = EditableGraph::new(points, &links, Vec::new()).unwrap();
        let before = again.clone();
        assert_eq!(hand.replay(&mut again, 0.25), Vec::<String>::new());
        let has = |draft: &EditableGraph, ends: [u32; 2]| draft.links().any(|link| link == ends);
        assert!(has(&again, [5, 21]) && has(&again, [1, 6]) && !has(&again, [1, 2]));
        assert_eq!((hand.undo(&mut again), hand.undo(&mut again)), (Ok(2), Ok(2)));
        assert_eq!(again, before);
        // When the point of a link is gone, that edit is named and the others are done.
        let mut hand = HandEdits::default();
        let mut draft = rows(20);
        hand.apply(&mut draft, &[PointEdit::Link { ends: [0, 19] }, PointEdit::Link { ends: [0, 5] }])
            .unwrap();
        let mut less = rows(15);
        let conflicts = hand.replay(&mut less, 0.25);
        assert_eq!(conflicts.len(), 1);
        assert!(
            conflicts[0].starts_with("linked [0, 0, 0] and [4, 0, 3]: there is no point within"),
            "{conflicts:?}"
        );
        assert!(has(&less, [0, 5]));
    }

    #[test]
    fn links_that_were_made_again_get_the_edits_of_links_however_the_points_were_moved_since() {
        let mut draft = rows(20);
        let mut hand = HandEdits::default();
        let place = Vec3::new(0.5, 0.0, 0.5);
        hand.apply(&mut draft, &[PointEdit::Link { ends: [0, 19] }, PointEdit::Unlink { ends: [1, 2] }])
            .unwrap();
        hand.apply(&mut draft, &[PointEdit::Move { at: 0, point: place }]).unwrap();
        let base = hand.base(&draft).unwrap();
        assert_eq!(base, rows(20));
        // Something else takes a point away, and all links are made again.
        draft.apply(&PointEdit::Remove { at: 12 }).unwrap();
        assert_eq!(hand.base(&draft), None);
        let links: Vec<[u32; 2]> = draft.links().chain([[1, 2]]).filter(|&ends| ends != [0, 18]).collect();
        let mut again = EditableGraph::new(draft.points().to_vec(), &links, Vec::new()).unwrap();
        assert_eq!(hand.replay_links(&mut again), Vec::<String>::new());
        assert_eq!(again, draft);
        assert_eq!((hand.undo(&mut again), hand.len()), (Err(UndoError::Changed), 3));
    }

    #[test]
    fn what_changed_otherwise_is_not_taken_back() {
        let mut draft = rows(20);
        let mut hand = HandEdits::default();
        hand.apply(&mut draft, &[PointEdit::Remove { at: 3 }]).unwrap();
        draft.apply(&PointEdit::Remove { at: 3 }).unwrap();
        let before = draft.clone();
        assert_eq!(hand.undo(&mut draft), Err(UndoError::Changed));
        assert_eq!((draft, hand.len()), (before, 1));
    }
}
