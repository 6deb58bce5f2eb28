//! Edits the points and links of a level whose map is a graph, from the page.
//!
//! In: a document, the files beside its level, an action. Out: the document with the new graph as one step,
//! and an answer in the words of `walkon graph --format json`. Holds: it calls the same functions as `walkon
//! graph`; every action that changes something is one step that the document takes back. Not here: that work
//! itself (`walkon_runtime::level::graph::work`), pictures.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use serde::Deserialize;
use serde_json::{Value, json};
use walkon_runtime::level::graph::work::{
    HandWork, MakingProgress, SceneFileError, bake_graph, groups_json, link_graph, make_graph, nearest_point,
    parts_json, scene_of, stitches, unstandable, unwalkable,
};
use walkon_runtime::level::graph::{
    GraphDef, GraphPaths, GraphTextError, HandEdits, HandError, UndoError, graph_text, read_graph_text,
};
use walkon_runtime::level::{FILE_BYTES_MAX, FileSource, LevelError, SourceError, door_joins, graph_level};
use walkon_runtime::nav::graph::generate::{ray_count, rays as cast_rays};
use walkon_runtime::nav::graph::islands::{remove_island, remove_islands, stitch};
use walkon_runtime::nav::graph::{
    EditableGraph, PointEdit, PointEditError, SceneBox, blocked_links, divide, generate, groups, grow,
};
use walkon_runtime::nav::solids::Solids;

use super::document::{Applied, Document, EditError, Overlaid, StepLabel, Surroundings, Texts};
use super::json::Json;
use super::patch::{Change, patch};

/// Most rays of a preview, which is computed again at each move of a dragged face.
const PREVIEW_RAYS_MAX: u64 = 200_000;
/// Most rays of a preview whose ends are told, about.
const PREVIEW_RAYS_TOLD: u64 = 2_000;
/// Most links and pairs of parts that are listed.
const LISTED_MAX: usize = 10_000;
/// What hits a link is looked for so far above what a body steps over, metres.
const OVER_STEP_M: f32 = 0.05;

/// What is to be done with the graph of a level; as JSON `{"action": "remove", "points": 20}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum GraphAction {
    /// Points on the floors of the scene, and links between them.
    Generate,
    /// The links alone.
    Link,
    /// What a box would find, without keeping it.
    Preview {
        /// Least corner, metres.
        min: [f32; 3],
        /// Greatest corner.
        max: [f32; 3],
    },
    /// What hangs together, and what the doors keep apart.
    Island,
    /// Islands go: one by its number in the list, or all of at most so many points.
    Remove {
        /// Its number, from 1.
        island: Option<usize>,
        /// Most points.
        points: Option<usize>,
    },
    /// Each island is joined to the main group, or one of them.
    Stitch {
        /// The number of that one, from 1.
        island: Option<usize>,
    },
    /// Links that nobody can walk, and what is in the way.
    Blocked {
        /// Whether they go.
        #[serde(default)]
        remove: bool,
    },
    /// Points and links by hand.
    Edit {
        /// New points, metres.
        #[serde(default)]
        add: Vec<[f32; 3]>,
        /// Points that move.
        #[serde(default, rename = "move")]
        moves: Vec<PointMove>,
        /// New links.
        #[serde(default)]
        link: Vec<[u32; 2]>,
        /// Links that go.
        #[serde(default)]
        unlink: Vec<[u32; 2]>,
        /// Points that go.
        #[serde(default)]
        remove: Vec<u32>,
    },
    /// The last edit by hand is taken back, even that of another client.
    Undo,
    /// A part of the graph: grown from a point, or all of it divided, or none any more.
    Space {
        /// Its name, to grow one.
        name: Option<String>,
        /// Where it grows from, metres.
        from: Option<[f32; 3]>,
        /// How far, metres to walk.
        within: Option<f32>,
        /// Whether what it has already stays in it.
        #[serde(default)]
        adds: bool,
        /// Points of a part, to divide everything that is in none.
        auto: Option<usize>,
        /// Whether all parts go.
        #[serde(default)]
        clear: bool,
    },
    /// The ways between parts.
    Table {
        /// Whether they are kept in the compact form.
        #[serde(default)]
        keep: bool,
    },
}

/// A point that moves.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct PointMove {
    /// Its number.
    pub point: u32,
    /// Where to, metres.
    pub to: [f32; 3],
}

/// What came of an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphDone {
    /// The answer.
    pub answer: Value,
    /// What became of the document, where something was changed.
    pub applied: Option<Applied>,
    /// A file to be written whole, beside the document: the compact form.
    pub compact: Option<CompactFile>,
}

/// A file that is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactFile {
    /// From the root of the project.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Why an action is not possible.
#[derive(Debug, thiserror::Error)]
pub enum GraphActionError {
    /// The level is no graph, or cannot be read.
    #[error("{0}")]
    Level(#[from] Box<LevelError>),
    /// A file that cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// The file, from the root of the project.
        path: String,
        /// Why.
        error: SourceError,
    },
    /// The file of the graph is none.
    #[error("{path}: no graph: {error}")]
    Graph {
        /// The file, from the root of the project.
        path: String,
        /// Why.
        error: GraphTextError,
    },
    /// The file of the edits by hand is none.
    #[error("{path}: no edits of a graph: {error}")]
    Hand {
        /// The file, from the root of the project.
        path: String,
        /// Why.
        error: HandError,
    },
    /// The scene cannot be read.
    #[error("{0}")]
    Scene(String),
    /// The graph does not take it.
    #[error("{0}")]
    Points(#[from] PointEditError),
    /// There is nothing by hand to take back.
    #[error("{0}")]
    Undo(#[from] UndoError),
    /// The document does not take it.
    #[error("{0}")]
    Edit(#[from] EditError),
    /// Something is missing for it.
    #[error("{0}")]
    Missing(String),
}

impl From<SceneFileError> for GraphActionError {
    fn from(error: SceneFileError) -> Self {
        match error {
            SceneFileError::Unreadable { path, error } => Self::Unreadable { path, error },
            SceneFileError::Wrong { path, error } => Self::Scene(format!("{path}: {error}")),
        }
    }
}

/// Hears how far work has come: done, of how many.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64);

/// Carries out an action on the graph of a document's level. `below` is the project on disk. What is written
/// goes through the document, but for the compact form.
///
/// # Errors
/// Why nothing was changed.
pub fn act(
    document: &mut Document,
    action: &GraphAction,
    below: &dyn FileSource,
    around: &mut dyn Surroundings,
    progress: Progress<'_>,
) -> Result<GraphDone, GraphActionError> {
    let texts = known(document, below)?;
    let desk = GraphDesk::open(document.level(), &texts, below)?;
    let made = desk.act(action, progress)?;
    let mut done = GraphDone { answer: made.answer, applied: None, compact: made.compact };
    if let Some(turn) = made.turn {
        let files = desk.files(&turn)?;
        done.answer["file"] = Value::from(desk.file());
        done.applied = Some(document.replace(files, turn.label, around)?);
    }
    Ok(done)
}

/// Adds the files of the graph to a document, and gives all its texts.
fn known(document: &mut Document, below: &dyn FileSource) -> Result<Texts, GraphActionError> {
    let texts = document.texts().clone();
    let level = document.level().to_owned();
    let def = graph_level(&level, &Overlaid { below, texts: &texts }).map_err(Box::new)?;
    if let Some(file) = &def.file {
        let paths = GraphPaths::of(&level, &file.value);
        for path in [paths.text, paths.edits] {
            if texts.contains_key(&path) {
                continue;
            }
            match below.read(&path, FILE_BYTES_MAX) {
                Ok(bytes) => {
                    let text = String::from_utf8(bytes);
                    let text =
                        text.map_err(|_| GraphActionError::Missing(format!("{path}: it is not UTF-8 text")))?;
                    document.add(&path, &text);
                }
                Err(SourceError::NotFound) => {}
                Err(error) => return Err(GraphActionError::Unreadable { path, error }),
            }
        }
    }
    Ok(document.texts().clone())
}

/// A level whose graph is worked on.
struct GraphDesk<'d> {
    level: &'d str,
    texts: &'d Texts,
    source: Overlaid<'d>,
    def: GraphDef,
    paths: GraphPaths,
}

/// What an action makes.
struct ActionEdit {
    answer: Value,
    turn: Option<GraphChange>,
    compact: Option<CompactFile>,
}

/// A graph that takes the place of another.
struct GraphChange {
    label: StepLabel,
    draft: EditableGraph,
    /// What was changed by hand; None where that stays as it is.
    hand: Option<HandEdits>,
}

impl ActionEdit {
    fn answer(answer: Value) -> Self {
        Self { answer, turn: None, compact: None }
    }

    fn turn(answer: Value, label: &str, draft: EditableGraph, hand: Option<HandEdits>) -> Self {
        let label = StepLabel { text: label.to_owned(), joins: String::new() };
        Self { answer, turn: Some(GraphChange { label, draft, hand }), compact: None }
    }
}

impl<'d> GraphDesk<'d> {
    fn open(level: &'d str, texts: &'d Texts, below: &'d dyn FileSource) -> Result<Self, GraphActionError> {
        let source = Overlaid { below, texts };
        let def = graph_level(level, &source).map_err(Box::new)?;
        let paths = GraphPaths::of(level, def.file.as_ref().map_or("", |file| file.value.as_str()));
        Ok(Self { level, texts, source, def, paths })
    }

    /// The file that the points stand in.
    fn file(&self) -> &str {
        if self.def.file.is_some() { &self.paths.text } else { self.level }
    }

    fn draft(&self) -> Result<EditableGraph, GraphActionError> {
        self.draft_or_none()?.ok_or_else(|| {
            let message = format!("{}: there is no such file: generate points first", self.paths.text);
            GraphActionError::Missing(message)
        })
    }

    /// The graph; None where there is none yet.
    fn draft_or_none(&self) -> Result<Option<EditableGraph>, GraphActionError> {
        if self.def.file.is_none() {
            return Ok(Some((*self.def.draft).clone()));
        }
        let Some(text) = self.texts.get(&self.paths.text) else { return Ok(None) };
        let read = read_graph_text(text.as_bytes());
        read.map(Some).map_err(|error| GraphActionError::Graph { path: self.paths.text.clone(), error })
    }

    fn hand(&self) -> Result<HandEdits, GraphActionError> {
        let Some(text) = self.texts.get(&self.paths.edits).filter(|_| self.def.file.is_some()) else {
            return Ok(HandEdits::default());
        };
        HandEdits::read(text.as_bytes())
            .map_err(|error| GraphActionError::Hand { path: self.paths.edits.clone(), error })
    }

    fn solids(&self) -> Result<Option<Solids>, GraphActionError> {
        let Some(triangles) = scene_of(self.level, &self.def, &self.source)? else { return Ok(None) };
        Solids::new(&triangles).map(Some).map_err(|error| GraphActionError::Scene(error.to_string()))
    }

    fn scene(&self) -> Result<Solids, GraphActionError> {
        let missing =
            || GraphActionError::Missing("navigation.scene is missing, expected the file of a scene".into());
        self.solids()?.ok_or_else(missing)
    }

    /// The texts that a new graph makes.
    fn files(&self, turn: &GraphChange) -> Result<BTreeMap<String, Option<String>>, GraphActionError> {
        if self.def.file.is_some() {
            let mut files = BTreeMap::from([(self.paths.text.clone(), Some(graph_text(&turn.draft)))]);
            // Without edits by hand there is no file of them.
            let hand = turn.hand.as_ref().filter(|hand| !hand.is_empty());
            if hand.is_some() || (turn.hand.is_some() && self.texts.contains_key(&self.paths.edits)) {
                files.insert(self.paths.edits.clone(), Some(turn.hand.clone().unwrap_or_default().text()));
            }
            return Ok(files);
        }
        if !turn.draft.parts().is_empty() {
            let message =
                "the points stand in the level itself, which has no place for parts: give it a file";
            return Err(GraphActionError::Missing(message.to_owned()));
        }
        let Some(text) = self.texts.get(self.level) else { return Ok(BTreeMap::new()) };
        let points: Vec<[f32; 3]> = turn.draft.points().iter().map(|point| point.to_array()).collect();
        let links: Vec<[u32; 2]> = turn.draft.links().collect();
        let changes = [
            Change::set("/navigation/points", Json::from(shortest(&points))),
            Change::set("/navigation/links", Json::from(json!(links))),
        ];
        let text = patch(text, &changes).map_err(EditError::from)?;
        Ok(BTreeMap::from([(self.level.to_owned(), Some(text))]))
    }

    fn act(&self, action: &GraphAction, progress: Progress<'_>) -> Result<ActionEdit, GraphActionError> {
        match action {
            GraphAction::Generate => self.generate(progress),
            GraphAction::Link => self.link(progress),
            GraphAction::Preview { min, max } => self.preview(Vec3::from(*min), Vec3::from(*max)),
            GraphAction::Island => self.report(&self.draft()?, Vec::new()).map(ActionEdit::answer),
            GraphAction::Remove { island, points } => self.remove(*island, *points),
            GraphAction::Stitch { island } => self.stitch(*island, progress),
            GraphAction::Blocked { remove: false } => self.blocked(BlockedLinks::Listed),
            GraphAction::Blocked { remove: true } => self.blocked(BlockedLinks::Removed),
            GraphAction::Edit { add, moves, link, unlink, remove } => self.edit(&HandWork {
                add: add.iter().copied().map(Vec3::from).collect(),
                moves: moves.iter().map(|moved| (moved.point, Vec3::from(moved.to))).collect(),
                link: link.clone(),
                unlink: unlink.clone(),
                remove: remove.clone(),
            }),
            GraphAction::Undo => self.undo(),
            GraphAction::Space { name, from, within, adds, auto, clear } => {
                let mut draft = self.draft()?;
                match (name, from, within, auto) {
                    _ if *clear => {
                        draft.set_parts(Vec::new())?;
                        Ok(self.parted(draft, "remove all parts", json!({})))
                    }
                    (.., Some(0)) => Err(missing("expected parts of 1 point or more")),
                    (.., Some(points)) => {
                        let made = divide(&mut draft, *points, progress)?;
                        Ok(self.parted(draft, "divide into parts", json!({ "made": made })))
                    }
                    (Some(name), Some(from), Some(within), None) => {
                        let space = Space { name, from: Vec3::from(*from), within_m: *within, adds: *adds };
                        self.space(draft, &space)
                    }
                    _ => Err(missing("a space needs name, from and within, or auto, or clear")),
                }
            }
            GraphAction::Table { keep: false } => self.table(PartWays::Measured, progress),
            GraphAction::Table { keep: true } => self.table(PartWays::Kept, progress),
        }
    }

    fn generate(&self, progress: Progress<'_>) -> Result<ActionEdit, GraphActionError> {
        let solids = self.scene()?;
        if self.def.boxes.is_empty() {
            return Err(missing("navigation.boxes is empty, expected a box around each floor"));
        }
        let mut hand = self.hand()?;
        // The graph that is replaced may be no valid one.
        let before = self.draft_or_none().ok().flatten();
        let progress = MakingProgress { rays: progress, pairs: &mut |_, _| {} };
        let made = make_graph(&self.def, &solids, before.as_ref(), &mut hand, progress)?;
        let mut answer = made.json(hand.len() - made.conflicts.len());
        answer["isFull"] = Value::from(made.made.is_full);
        Ok(ActionEdit::turn(answer, "generate points", made.draft, Some(hand)))
    }

    fn link(&self, progress: Progress<'_>) -> Result<ActionEdit, GraphActionError> {
        let (before, solids, mut hand) = (self.draft()?, self.solids()?, self.hand()?);
        let linked = link_graph(&self.def, solids.as_ref(), &before, &mut hand, progress)?;
        let answer = linked.json(hand.len() - linked.conflicts.len());
        Ok(ActionEdit::turn(answer, "link points", linked.draft, Some(hand)))
    }

    fn preview(&self, min: Vec3, max: Vec3) -> Result<ActionEdit, GraphActionError> {
        let (solids, options) = (self.scene()?, self.def.generate_options());
        if !(min.cmple(max).all() && min.is_finite() && max.is_finite()) {
            return Err(missing("expected min below max on every axis"));
        }
        let part = SceneBox { min, max };
        let rays = ray_count(&part, options.spacing_m);
        if rays > PREVIEW_RAYS_MAX {
            return Err(GraphActionError::Missing(format!(
                "the box takes {rays} rays, the limit of a preview is {PREVIEW_RAYS_MAX}"
            )));
        }
        let found = generate(&solids, &[part], &options, &mut |_, _| {});
        let report = found.boxes.first().copied().unwrap_or_default();
        // A few rays say as much as all of them: what they hit first, and where they end without having hit
        // anything.
        let every = (rays / PREVIEW_RAYS_TOLD + 1) as usize;
        let cast = cast_rays(&part, options.spacing_m).step_by(every);
        let (mut hits, mut misses) = (Vec::new(), Vec::new());
        for [top, bottom] in cast {
            match solids.first_hit(top, bottom) {
                Some(hit) => hits.push(hit.point),
                None => misses.push(bottom),
            }
        }
        Ok(ActionEdit::answer(json!({ "rays": report.rays, "holes": report.holes, "steep": report.steep,
            "narrow": report.narrow, "covered": report.covered, "points": shortest_of(&found.points),
            "hits": shortest_of(&hits), "misses": shortest_of(&misses) })))
    }

    /// What hangs together, largest first, and what the doors keep apart.
    fn report(&self, draft: &EditableGraph, warnings: Vec<Value>) -> Result<Value, GraphActionError> {
        let mut answer = json!({ "points": draft.points().len(), "links": draft.links().len(),
            "groups": groups_json(draft, &groups(draft)), "warnings": warnings });
        // A level that does not load says so elsewhere.
        if let Ok(level) = walkon_runtime::level::load(self.level, &self.source) {
            let joins = door_joins(&level);
            let doors: Vec<Value> = joins
                .iter()
                .map(|join| {
                    let pieces = join.pieces.iter();
                    let joins: Vec<Value> = pieces
                        .map(|piece| json!({ "points": piece.points, "at": piece.at.to_array() }))
                        .collect();
                    json!({ "door": join.door, "joins": joins, "text": join.in_words() })
                })
                .collect();
            answer["doors"] = Value::from(doors);
        }
        Ok(answer)
    }

    fn remove(&self, island: Option<usize>, points: Option<usize>) -> Result<ActionEdit, GraphActionError> {
        let mut draft = self.draft()?;
        let gone = match (island, points) {
            (Some(number), None) => {
                remove_island(&mut draft, number).ok_or_else(|| no_island(number, groups(&draft).len()))?
            }
            (None, Some(points_max)) => remove_islands(&mut draft, points_max),
            _ => {
                return Err(missing("expected the number of an island, or the most points of those that go"));
            }
        };
        let mut answer = self.report(&draft, Vec::new())?;
        answer["removed"] = Value::from(gone);
        Ok(ActionEdit::turn(answer, "remove islands", draft, None))
    }

    fn stitch(&self, island: Option<usize>, progress: Progress<'_>) -> Result<ActionEdit, GraphActionError> {
        let (mut draft, mut hand, solids) = (self.draft()?, self.hand()?, self.solids()?);
        let edits = match island {
            None => stitches(&draft, progress)?,
            Some(number) => {
                let groups = groups(&draft);
                let found = groups.get(number).filter(|_| number > 0);
                let found = found.ok_or_else(|| no_island(number, groups.len()))?;
                Vec::from_iter(stitch(&draft, found, &groups[0]))
            }
        };
        if edits.is_empty() {
            return self.report(&draft, Vec::new()).map(ActionEdit::answer);
        }
        // What joins islands is kept like any other link that is laid by hand.
        hand.apply(&mut draft, &edits)?;
        let links: Vec<[u32; 2]> = edits
            .iter()
            .filter_map(|edit| match edit {
                PointEdit::Link { ends } => Some(*ends),
                _ => None,
            })
            .collect();
        let warnings = self.warnings(solids.as_ref(), &draft, &links);
        let mut answer = self.report(&draft, warnings)?;
        answer["made"] = Value::from(links.len());
        Ok(ActionEdit::turn(answer, "stitch islands", draft, Some(hand)))
    }

    /// Those of some links that nobody can walk.
    fn warnings(&self, solids: Option<&Solids>, draft: &EditableGraph, links: &[[u32; 2]]) -> Vec<Value> {
        let wrong = unwalkable(&self.def, solids, draft, links);
        wrong.iter().map(|&ends| self.blocked_link(solids, draft, ends)).collect()
    }

    /// Those of some points at which a body cannot stand.
    fn misplaced(&self, solids: Option<&Solids>, draft: &EditableGraph, points: &[u32]) -> Vec<Value> {
        let told = |at: u32| {
            json!({ "point": at, "at": draft.points()[at as usize].to_array(),
                "text": format!("no body can stand at the point {at}") })
        };
        unstandable(&self.def, solids, draft, points).into_iter().map(told).collect()
    }

    /// A link that nobody can walk, and what is in the way over the step of a body, if that is one thing.
    fn blocked_link(&self, solids: Option<&Solids>, draft: &EditableGraph, ends: [u32; 2]) -> Value {
        let [from, to] = ends.map(|end| draft.points()[end as usize]);
        let over = Vec3::Y * (self.def.step_height_m as f32 + OVER_STEP_M);
        let hit = solids.and_then(|solids| solids.first_hit(from + over, to + over));
        let hit = hit.map(|hit| hit.point.to_array());
        json!({ "ends": ends, "from": from.to_array(), "to": to.to_array(), "hit": hit,
            "text": format!("nobody can walk the link {},{}", ends[0], ends[1]) })
    }

    fn blocked(&self, links_then: BlockedLinks) -> Result<ActionEdit, GraphActionError> {
        let (mut draft, solids) = (self.draft()?, self.scene()?);
        let links = blocked_links(&draft, &solids, &self.def.link_options());
        let list = links.iter().take(LISTED_MAX);
        let list: Vec<Value> = list.map(|&ends| self.blocked_link(Some(&solids), &draft, ends)).collect();
        let answer = json!({ "count": links.len(), "links": list });
        if links_then == BlockedLinks::Listed || links.is_empty() {
            return Ok(ActionEdit::answer(answer));
        }
        let mut hand = self.hand()?;
        let edits: Vec<PointEdit> = links.iter().map(|&ends| PointEdit::Unlink { ends }).collect();
        hand.apply(&mut draft, &edits)?;
        Ok(ActionEdit::turn(answer, "remove blocked links", draft, Some(hand)))
    }

    fn edit(&self, work: &HandWork) -> Result<ActionEdit, GraphActionError> {
        // The first points may be laid by hand.
        let mut draft = match self.draft_or_none()? {
            None if !work.add.is_empty() => EditableGraph::default(),
            None => self.draft()?,
            Some(draft) => draft,
        };
        let finite =
            work.add.iter().chain(work.moves.iter().map(|(_, place)| place)).all(|at| at.is_finite());
        let (mut hand, solids, edits) = (self.hand()?, self.solids()?, work.edits(&draft));
        if edits.is_empty() || !finite {
            return Err(missing("expected points to add, move or remove, or links to add or remove"));
        }
        hand.apply(&mut draft, &edits)?;
        let mut warnings = self.warnings(solids.as_ref(), &draft, &work.touched_links(&draft));
        warnings.extend(self.misplaced(solids.as_ref(), &draft, &work.placed_points(&draft)));
        let answer = json!({ "edits": edits.len(), "points": draft.points().len(),
            "links": draft.links().len(), "warnings": warnings });
        Ok(ActionEdit::turn(answer, "edit points", draft, Some(hand)))
    }

    fn undo(&self) -> Result<ActionEdit, GraphActionError> {
        let (mut draft, mut hand) = (self.draft()?, self.hand()?);
        let undone = hand.undo(&mut draft)?;
        let answer =
            json!({ "undone": undone, "points": draft.points().len(), "links": draft.links().len() });
        Ok(ActionEdit::turn(answer, "take back an edit by hand", draft, Some(hand)))
    }

    fn space(&self, mut draft: EditableGraph, space: &Space<'_>) -> Result<ActionEdit, GraphActionError> {
        let from = nearest_point(&draft, space.from).map_err(|error| missing(&error.to_string()))?;
        if !space.within_m.is_finite() || space.within_m < 0.0 {
            return Err(missing("expected a distance of 0 m or more"));
        }
        if !space.adds {
            let others = draft.parts().iter().filter(|part| part.name != space.name).cloned().collect();
            draft.set_parts(others)?;
        }
        let grown = grow(&mut draft, space.name, from, space.within_m)?;
        let answer = json!({ "from": from, "taken": grown.taken, "others": grown.others });
        let mut made = self.parted(draft, "grow a space", answer);
        if let Some(turn) = &mut made.turn {
            // A slider that is dragged is one step.
            turn.label.joins = format!("space {}", space.name);
        }
        Ok(made)
    }

    fn parted(&self, draft: EditableGraph, label: &str, mut answer: Value) -> ActionEdit {
        answer["parts"] = Value::from(parts_json(&draft));
        let free = draft.owners().iter().filter(|owner| owner.is_none()).count();
        answer["free"] = Value::from(free);
        ActionEdit::turn(answer, label, draft, None)
    }

    fn table(&self, ways: PartWays, progress: Progress<'_>) -> Result<ActionEdit, GraphActionError> {
        let draft = self.draft()?;
        let text = graph_text(&draft);
        let text = self.texts.get(&self.paths.text).map_or(text.as_str(), |text| text);
        let baked = bake_graph(&self.def, &self.paths, &draft, text.as_bytes(), progress);
        let mut answer = baked.json(&draft, text.as_bytes());
        answer["isUsed"] = Value::from(baked.is_used);
        let names: Vec<&str> = draft.parts().iter().map(|part| part.name.as_str()).collect();
        let pairs = (0..names.len()).flat_map(|from| (from + 1..names.len()).map(move |to| [from, to]));
        let pairs = pairs.take(LISTED_MAX).map(|[from, to]| {
            let way = baked.routes.way(from, to);
            let metres = way.map(|way| {
                way.windows(2)
                    .map(|pair| {
                        let [a, b] = [pair[0], pair[1]].map(|at| draft.points()[at as usize]);
                        f64::from(a.distance(b))
                    })
                    .sum::<f64>()
            });
            json!({ "from": names[from], "to": names[to], "length": metres, "points": way.map(<[u32]>::len) })
        });
        answer["pairs"] = Value::from(pairs.collect::<Vec<_>>());
        let mut made = ActionEdit::answer(answer);
        if ways == PartWays::Kept {
            if self.def.file.is_none() {
                return Err(missing(
                    "the points stand in the level itself: give it a file to keep ways beside",
                ));
            }
            made.compact = Some(CompactFile { path: self.paths.compact.clone(), bytes: baked.bytes });
        }
        Ok(made)
    }
}

/// What becomes of links that nobody can walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockedLinks {
    Listed,
    Removed,
}

/// What becomes of the ways between parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartWays {
    Measured,
    Kept,
}

/// A part of a graph that is grown.
struct Space<'s> {
    name: &'s str,
    from: Vec3,
    within_m: f32,
    adds: bool,
}

fn no_island(number: usize, groups: usize) -> GraphActionError {
    let count = groups.saturating_sub(1);
    GraphActionError::Missing(format!("there is no island {number}: the graph has {count}"))
}

fn missing(what: &str) -> GraphActionError {
    GraphActionError::Missing(what.to_owned())
}

fn shortest_of(points: &[Vec3]) -> Value {
    let points: Vec<[f32; 3]> = points.iter().map(|point| point.to_array()).collect();
    shortest(&points)
}

/// Places with the digits of the narrow numbers that they are.
fn shortest(points: &[[f32; 3]]) -> Value {
    let number = |value: &f32| Value::from(value.to_string().parse::<f64>().unwrap_or_default());
    Value::from(points.iter().map(|point| point.iter().map(number).collect()).collect::<Vec<Value>>())
}

/// The files that the graph of a level is kept in, apart from the level itself; none where the map is no
/// graph or its points stand in the level. Those that look at the disk watch them too.
#[must_use]
pub fn graph_files(level: &str, texts: &Texts, below: &dyn FileSource) -> BTreeSet<String> {
    let Ok(def) = graph_level(level, &Overlaid { below, texts }) else { return BTreeSet::new() };
    let paths = def.file.map(|file| GraphPaths::of(level, &file.value));
    paths.map_or_else(BTreeSet::new, |paths| BTreeSet::from([paths.text, paths.edits]))
}

#[cfg(test)]
mod tests;
