//! Work on the graph of a level: making and linking it, joining its islands, dividing it, working out its
//! ways.
//!
//! In: a [`GraphDef`], a draft, the edits by hand, the scene. Out: another draft and a report, also as JSON.
//! Holds: edits by hand survive when points and links are made again, or are named; nothing is written. Not
//! here: files that are written, sentences for people (the command `graph`, the page).

use std::collections::BTreeSet;

use glam::Vec3;
use serde_json::{Value, json};

use super::hand::SAME_M;
use super::{GraphDef, GraphPaths, HandEdits, compact_bytes};
use crate::base::ordered::CollectOrdered;
use crate::level::json::FILE_BYTES_MAX;
use crate::level::scene::{SceneError, scene_triangles};
use crate::level::source::{FileSource, SourceError, beside};
use crate::level::tile_layout::Hierarchy;
use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::islands::stitch;
use crate::nav::graph::link::{can_stand, can_walk};
use crate::nav::graph::{
    EditableGraph, Generated, LinkReport, LinkedGroup, Measured, PointEdit, PointEditError,
    PrecomputedRoutes, carry_parts, generate, groups, link,
};
use crate::nav::solids::Solids;
use crate::world::ops::graph::POINT_WITHIN_M;

/// Hears how far work has come: how much is done, of how much.
pub type GraphProgress<'p> = &'p mut dyn FnMut(u64, u64);

/// Who hears how far the two parts of making a graph have come.
pub struct MakingProgress<'p> {
    /// Hears of the rays that find points.
    pub rays: GraphProgress<'p>,
    /// Hears of the pairs of points that may be linked.
    pub pairs: GraphProgress<'p>,
}

/// Why there are no triangles of a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SceneFileError {
    /// The file cannot be read.
    #[error("{error}")]
    Unreadable {
        /// The file, from the root of the project.
        path: String,
        /// Why.
        error: SourceError,
    },
    /// The file is no scene.
    #[error("{error}")]
    Wrong {
        /// The file, from the root of the project.
        path: String,
        /// Why.
        error: SceneError,
    },
}

/// The triangles of the scene that the graph of a level names; None where it names none.
///
/// # Errors
/// Why they cannot be read.
pub fn scene_of(
    level: &str,
    def: &GraphDef,
    source: &dyn FileSource,
) -> Result<Option<Vec<[Vec3; 3]>>, SceneFileError> {
    let Some(scene) = &def.scene else { return Ok(None) };
    let path = beside(level, &scene.value);
    let bytes = match source.read(&path, FILE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) => return Err(SceneFileError::Unreadable { path, error }),
    };
    let mut read = |name: &str| {
        source.read(&beside(&path, name), FILE_BYTES_MAX).map_err(|error| format!("\"{name}\": {error}"))
    };
    match scene_triangles(&path, &bytes, &mut read) {
        Ok(triangles) => Ok(Some(triangles)),
        Err(error) => Err(SceneFileError::Wrong { path, error }),
    }
}

/// A graph that was made from its scene.
#[derive(Clone, Debug)]
pub struct MadeGraph {
    /// Points and links, with the edits by hand.
    pub draft: EditableGraph,
    /// What became of the rays.
    pub made: Generated,
    /// What became of the pairs.
    pub linked: LinkReport,
    /// Edits by hand that find nothing any more.
    pub conflicts: Vec<String>,
    /// Parts that have no points any more.
    pub lost: Vec<String>,
}

/// Makes points on the floors of a scene, links them, and carries out the edits by hand again; parts come
/// from the graph before, where there is one.
///
/// # Errors
/// More points or links than a graph may have.
pub fn make_graph(
    def: &GraphDef,
    solids: &Solids,
    before: Option<&EditableGraph>,
    hand: &mut HandEdits,
    progress: MakingProgress<'_>,
) -> Result<MadeGraph, PointEditError> {
    let mut made = generate(solids, &def.boxes, &def.generate_options(), progress.rays);
    let mut draft = EditableGraph::new(std::mem::take(&mut made.points), &[], Vec::new())?;
    let linked = link(&mut draft, Some(solids), &def.link_options(), progress.pairs)?;
    let within_m = 0.5 * def.spacing_m as f32;
    let conflicts = hand.replay(&mut draft, within_m);
    let lost = match before {
        Some(before) => carry_parts(before, &mut draft, within_m)?,
        None => Vec::new(),
    };
    Ok(MadeGraph { draft, made, linked, conflicts, lost })
}

impl MadeGraph {
    /// As JSON.
    #[must_use]
    pub fn json(&self, edits: usize) -> Value {
        let boxes: Vec<Value> = self
            .made
            .boxes
            .iter()
            .map(|report| {
                json!({ "rays": report.rays, "points": report.points, "holes": report.holes, "steep": report.steep,
                    "narrow": report.narrow, "doubled": report.doubled, "covered": report.covered })
            })
            .collect();
        json!({ "points": self.draft.points().len(), "links": self.draft.links().len(),
            "blocked": self.linked.blocked, "hollow": self.linked.hollow, "groups": groups(&self.draft).len(),
            "boxes": boxes, "edits": edits, "conflicts": self.conflicts, "lostParts": self.lost })
    }
}

/// A graph whose links were made again.
#[derive(Clone, Debug)]
pub struct LinkedGraph {
    /// Points and links, with the edits by hand.
    pub draft: EditableGraph,
    /// What became of the pairs.
    pub linked: LinkReport,
    /// Edits by hand that find nothing any more.
    pub conflicts: Vec<String>,
}

/// Links the points of a graph again, and carries out the edits by hand.
///
/// # Errors
/// More links than a graph may have.
pub fn link_graph(
    def: &GraphDef,
    solids: Option<&Solids>,
    before: &EditableGraph,
    hand: &mut HandEdits,
    progress: GraphProgress<'_>,
) -> Result<LinkedGraph, PointEditError> {
    // Edits by hand are taken out first, and carried out again afterwards.
    let base = hand.base(before);
    let mut draft = base.clone().unwrap_or_else(|| before.clone());
    let linked = link(&mut draft, solids, &def.link_options(), progress)?;
    let conflicts = match base {
        Some(_) => hand.replay(&mut draft, SAME_M),
        None => hand.replay_links(&mut draft),
    };
    if draft.points() == before.points() {
        draft.set_parts(before.parts().to_vec())?;
    }
    Ok(LinkedGraph { draft, linked, conflicts })
}

impl LinkedGraph {
    /// As JSON.
    #[must_use]
    pub fn json(&self, edits: usize) -> Value {
        json!({ "links": self.draft.links().len(), "pairs": self.linked.pairs, "blocked": self.linked.blocked,
            "hollow": self.linked.hollow, "groups": groups(&self.draft).len(), "edits": edits,
            "conflicts": self.conflicts })
    }
}

/// What is to be changed on a graph by hand, in one call: points by their numbers before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandWork {
    /// New points.
    pub add: Vec<Vec3>,
    /// Points that move, and where to.
    pub moves: Vec<(u32, Vec3)>,
    /// New links; the first new point has the number after the last.
    pub link: Vec<[u32; 2]>,
    /// Links that go.
    pub unlink: Vec<[u32; 2]>,
    /// Points that go.
    pub remove: Vec<u32>,
}

impl HandWork {
    /// The edits, in an order in which no number changes under another one.
    #[must_use]
    pub fn edits(&self, draft: &EditableGraph) -> Vec<PointEdit> {
        let mut edits = Vec::new();
        let first = draft.points().len() as u32;
        for (at, &point) in (first..).zip(&self.add) {
            edits.push(PointEdit::Add { at, point, links: Vec::new(), part: None });
        }
        edits.extend(self.moves.iter().map(|&(at, point)| PointEdit::Move { at, point }));
        edits.extend(self.link.iter().map(|&ends| PointEdit::Link { ends }));
        edits.extend(self.unlink.iter().map(|&ends| PointEdit::Unlink { ends }));
        let removed: BTreeSet<u32> = self.remove.iter().copied().collect_set();
        edits.extend(removed.iter().rev().map(|&at| PointEdit::Remove { at }));
        edits
    }

    /// The links that the edits have laid, and those of points that they have moved: what is there after all
    /// edits, by the numbers of then.
    #[must_use]
    pub fn touched_links(&self, after: &EditableGraph) -> Vec<[u32; 2]> {
        let kept = self.numbers_after();
        let laid = self.link.iter().filter_map(|&[a, b]| Some([kept(a)?, kept(b)?]));
        let mut links: Vec<[u32; 2]> = laid.filter(|&ends| after.is_linked(ends)).collect();
        let moved: BTreeSet<u32> = self.moves.iter().filter_map(|&(at, _)| kept(at)).collect_set();
        let is_laid =
            |links: &[[u32; 2]], [a, b]: [u32; 2]| links.contains(&[a, b]) || links.contains(&[b, a]);
        for ends in after.links().filter(|ends| ends.iter().any(|end| moved.contains(end))) {
            if !is_laid(&links, ends) {
                links.push(ends);
            }
        }
        links
    }

    /// The points that the edits have added or moved: those that are there after all edits, by the numbers of
    /// then.
    #[must_use]
    pub fn placed_points(&self, after: &EditableGraph) -> Vec<u32> {
        let kept = self.numbers_after();
        let removed: BTreeSet<u32> = self.remove.iter().copied().collect_set();
        let end = (after.points().len() + removed.len()) as u32;
        let added = end - self.add.len() as u32..end;
        let placed: BTreeSet<u32> = added.chain(self.moves.iter().map(|(at, _)| *at)).collect_set();
        placed.into_iter().filter_map(kept).collect()
    }

    /// What a point has for its number after all edits: what is removed shifts those above it. None for what
    /// is removed itself.
    fn numbers_after(&self) -> impl Fn(u32) -> Option<u32> + use<> {
        let removed: BTreeSet<u32> = self.remove.iter().copied().collect_set();
        move |at| (!removed.contains(&at)).then(|| at - removed.range(..at).count() as u32)
    }
}

/// The links that join each island to the main group.
///
/// # Errors
/// More links than a graph may have.
pub fn stitches(
    draft: &EditableGraph,
    progress: GraphProgress<'_>,
) -> Result<Vec<PointEdit>, PointEditError> {
    let mut joined = draft.clone();
    let (mut edits, mut islands) = (Vec::new(), 0);
    // Bounded: each round leaves one group less.
    loop {
        let groups = groups(&joined);
        islands = islands.max(groups.len() as u64);
        progress(islands - groups.len() as u64, islands);
        let Some(edit) = groups.get(1).and_then(|island| stitch(&joined, island, &groups[0])) else {
            return Ok(edits);
        };
        joined.apply(&edit)?;
        edits.push(edit);
    }
}

/// Those of some links that nobody can walk.
#[must_use]
pub fn unwalkable(
    def: &GraphDef,
    solids: Option<&Solids>,
    draft: &EditableGraph,
    links: &[[u32; 2]],
) -> Vec<[u32; 2]> {
    let (points, options) = (draft.points(), def.link_options());
    let place = |end: u32| points.get(end as usize).copied();
    let is_wrong = |ends: &[u32; 2]| match ends.map(place) {
        [Some(a), Some(b)] => !can_walk(solids, [a, b], &options),
        _ => false,
    };
    links.iter().copied().filter(is_wrong).collect()
}

/// Those of some points at which a body cannot stand.
#[must_use]
pub fn unstandable(
    def: &GraphDef,
    solids: Option<&Solids>,
    draft: &EditableGraph,
    points: &[u32],
) -> Vec<u32> {
    let options = def.link_options();
    let stands =
        |at: u32| draft.points().get(at as usize).is_none_or(|&place| can_stand(solids, place, &options));
    points.iter().copied().filter(|&at| !stands(at)).collect()
}

/// The groups of a graph as JSON.
#[must_use]
pub fn groups_json(draft: &EditableGraph, groups: &[LinkedGroup]) -> Vec<Value> {
    groups
        .iter()
        .map(|group| {
            json!({ "points": group.points.len(), "min": group.min.to_array(), "max": group.max.to_array(),
                "sample": group.points[0], "at": draft.points()[group.points[0] as usize].to_array() })
        })
        .collect()
}

/// The parts of a graph as JSON.
#[must_use]
pub fn parts_json(draft: &EditableGraph) -> Vec<Value> {
    let part = |name: &str, points: usize| json!({ "name": name, "points": points });
    draft.parts().iter().map(|found| part(&found.name, found.points.len())).collect()
}

/// The point of a graph nearest to a place, as near as scripts name points by places.
///
/// # Errors
/// There is none, or it is too far away for that.
pub fn nearest_point(draft: &EditableGraph, place: Vec3) -> Result<u32, NearestPointError> {
    let ranked = (0u32..).zip(draft.points()).map(|(at, point)| (point.distance(place), at));
    let nearest = ranked.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    match nearest {
        None => Err(NearestPointError::Empty),
        Some((away_m, at)) if away_m > POINT_WITHIN_M => Err(NearestPointError::Far { at, away_m }),
        Some((_, at)) => Ok(at),
    }
}

/// Why there is no point near a place.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NearestPointError {
    /// No point at all.
    #[error("the graph has no points")]
    Empty,
    /// The nearest one is too far away.
    #[error("the nearest point, {at}, is {away_m:.1} m away, expected one within {POINT_WITHIN_M} m")]
    Far {
        /// Its number.
        at: u32,
        /// How far, metres.
        away_m: f32,
    },
}

/// The ways between the parts of a graph, worked out and measured.
#[derive(Clone, Debug)]
pub struct BakedGraph {
    /// The ways.
    pub routes: PrecomputedRoutes,
    /// What searches cost with them and without.
    pub measured: Measured,
    /// Whether they are used.
    pub is_used: bool,
    /// Pairs of parts without a way.
    pub missing: Vec<[String; 2]>,
    /// How many ways there are.
    pub ways: usize,
    /// The compact form of the graph.
    pub bytes: Vec<u8>,
}

/// Works out the ways between the parts of a graph, whose editing form has that text.
#[must_use]
pub fn bake_graph(
    def: &GraphDef,
    paths: &GraphPaths,
    draft: &EditableGraph,
    text: &[u8],
    progress: GraphProgress<'_>,
) -> BakedGraph {
    let mut net = Adjacency::new(draft);
    net.prepare();
    let routes = PrecomputedRoutes::new(&net, draft.parts(), progress);
    let measured = routes.measure(&net);
    let is_used = match def.hierarchy {
        Hierarchy::On => true,
        Hierarchy::Auto => measured.pays(),
        Hierarchy::Off => false,
    };
    // What nobody walks need not be kept.
    let kept = if is_used { routes.all_ways() } else { Vec::new() };
    let bytes = compact_bytes(&paths.stem, text, draft, &kept);
    let missing: Vec<[String; 2]> =
        routes.missing().into_iter().map(|pair| pair.map(str::to_owned)).collect();
    let count = draft.parts().len();
    let ways = count * count.saturating_sub(1) - 2 * missing.len();
    BakedGraph { routes, measured, is_used, missing, ways, bytes }
}

impl BakedGraph {
    /// As JSON, for a graph and the text of its editing form.
    #[must_use]
    pub fn json(&self, draft: &EditableGraph, text: &[u8]) -> Value {
        let measured = self.measured;
        json!({ "bytes": self.bytes.len(), "textBytes": text.len(), "points": draft.points().len(),
            "parts": draft.parts().len(), "ways": self.ways, "missing": self.missing,
            "measured": { "pairs": measured.pairs, "direct": measured.direct, "withParts": measured.with_parts } })
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use crate::level::graph::work::{HandWork, NearestPointError, nearest_point, stitches};
    use crate::nav::graph::{EditableGraph, groups};

    fn rows() -> EditableGraph {
        let points = (0..6).map(|at| Vec3::new((at % 3) as f32, 0.0, 4.0 * (at / 3) as f32)).collect();
        EditableGraph::new(points, &[[0, 1], [1, 2], [3, 4]], Vec::new()).unwrap()
    }

    #[test]
    fn new_links_are_found_again_by_the_numbers_after_all_edits() {
        let mut draft = rows();
        let work = HandWork {
            add: vec![Vec3::new(3.0, 0.0, 0.0)],
            link: vec![[2, 6], [0, 3]],
            remove: vec![1, 0],
            ..HandWork::default()
        };
        for edit in work.edits(&draft) {
            draft.apply(&edit).unwrap();
        }
        assert_eq!(work.touched_links(&draft), [[0, 4]]);
        assert_eq!(work.placed_points(&draft), [4]);
        let [a, b] = [0, 4].map(|at| draft.points()[at]);
        assert_eq!((a.x, b.x), (2.0, 3.0));
        assert!(draft.links().any(|ends| ends == [0, 4]));
    }

    /// The links and points that are told of are those whose ends, in places, the edits have changed.
    #[test]
    fn touched_links_and_placed_points_are_found_again_by_the_numbers_after_all_edits() {
        let places = |draft: &EditableGraph, ends: [u32; 2]| {
            let mut places = ends.map(|end| draft.points()[end as usize].to_array());
            places.sort_by(|a, b| a.partial_cmp(b).unwrap());
            places
        };
        let far = Vec3::new(9.0, 0.0, 9.0);
        for remove in [vec![], vec![0], vec![1], vec![4], vec![5, 0], vec![6], vec![3, 1]] {
            let mut draft = rows();
            let work = HandWork {
                add: vec![Vec3::new(3.0, 0.0, 0.0)],
                moves: vec![(1, far)],
                link: vec![[2, 6], [1, 5]],
                unlink: vec![[2, 6]],
                remove,
            };
            for edit in work.edits(&draft) {
                draft.apply(&edit).unwrap();
            }
            let mut touched: Vec<_> =
                work.touched_links(&draft).into_iter().map(|ends| places(&draft, ends)).collect();
            touched.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let is_moved = |ends: &[[f32; 3]; 2]| ends.contains(&far.to_array());
            let mut expected: Vec<_> =
                draft.links().map(|ends| places(&draft, ends)).filter(is_moved).collect();
            expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
            assert_eq!(touched, expected, "{:?}", work.remove);
            let is_new = |at: &u32| [far, Vec3::new(3.0, 0.0, 0.0)].contains(&draft.points()[*at as usize]);
            let expected: Vec<u32> = (0..draft.points().len() as u32).filter(is_new).collect();
            assert_eq!(work.placed_points(&draft), expected, "{:?}", work.remove);
        }
    }

    #[test]
    fn islands_are_stitched_until_there_is_one_piece() {
        let mut draft = rows();
        let edits = stitches(&draft, &mut |_, _| {}).unwrap();
        edits.iter().for_each(|edit| _ = draft.apply(edit).unwrap());
        assert_eq!((edits.len(), groups(&draft).len()), (2, 1));
        assert_eq!(nearest_point(&draft, Vec3::new(1.9, 0.0, 4.4)), Ok(5));
        assert_eq!(nearest_point(&draft, Vec3::new(2.0, 0.0, 12.0)), Ok(5));
        let far = nearest_point(&draft, Vec3::new(2.0, 0.0, 12.5)).unwrap_err();
        assert_eq!(far.to_string(), "the nearest point, 5, is 8.5 m away, expected one within 8 m");
        let none = nearest_point(&EditableGraph::default(), Vec3::ZERO);
        assert_eq!(none, Err(NearestPointError::Empty));
    }
}
