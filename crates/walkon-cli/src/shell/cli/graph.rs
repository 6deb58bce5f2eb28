//! `walkon graph`: points and links for a level whose map is a graph, made, checked and divided.
//!
//! In: a level whose `navigation.kind` is `graph`, its scene, the editing form of its graph beside it. Out: that form again, the
//! compact form, pictures, a way. Holds: a file is written whole or not at all, and only when something changed.

use std::collections::BTreeSet;

use glam::Vec3;
use serde_json::{Value, json};

use super::args::{
    Format, GraphAction, GraphDrawArgs, GraphEditArgs, GraphIslandsArgs, GraphLevelArgs, GraphPartitionArgs,
    GraphPathArgs, Place, View,
};
use super::exit::{Exit, Failure};
use super::{Shell, draw, refusal, shown_path};
use crate::base::words::{self, counted};
use crate::level::graph::{GraphDef, GraphPaths, compact_bytes, graph_text, read_graph_text};
use crate::level::scene::scene_triangles;
use crate::level::{FILE_BYTES_MAX, Source, SourceError};
use crate::nav::graph::islands::{remove_islands, stitch};
use crate::nav::graph::net::Net;
use crate::nav::graph::{
    Draft, DraftEdit, GraphSource, Group, PointGraph, Routes, divide, generate, groups, grow, link,
};
use crate::nav::solids::Solids;
use crate::nav::{Accept, NavMap, PathAnswer, PathQuery, PathStatus, Search, Traversal};
use crate::shell::output::{Results, Target};
use crate::shell::progress::{Progress, Work as Shown};
use crate::shell::project::{FoundLevel, find_level};
use crate::view::ascii::COLUMNS;
use crate::view::{GraphScene, graph_picture};

/// Islands that are listed one by one.
const LISTED_MAX: usize = 40;

pub(super) fn run(shell: &Shell, action: &GraphAction, results: &mut Results) -> Result<Exit, Failure> {
    match action {
        GraphAction::Generate(args) => Work::open(shell, &args.level)?.generate(args, results),
        GraphAction::Link(args) => Work::open(shell, &args.level)?.link(args, results),
        GraphAction::Edit(args) => Work::open(shell, &args.level)?.edit(args, results),
        GraphAction::Islands(args) => Work::open(shell, &args.level)?.islands(args, results),
        GraphAction::Partition(args) => Work::open(shell, &args.level)?.partition(args, results),
        GraphAction::Bake(args) => Work::open(shell, &args.level)?.bake(args, results),
        GraphAction::Path(args) => Work::open(shell, &args.level)?.path(args, results),
        GraphAction::Draw(args) => Work::open(shell, &args.level)?.draw(args, results),
    }
}

/// A level whose graph is worked on.
struct Work<'s> {
    shell: &'s Shell,
    found: FoundLevel,
    def: GraphDef,
    paths: GraphPaths,
}

impl<'s> Work<'s> {
    fn open(shell: &'s Shell, level: &std::path::Path) -> Result<Self, Failure> {
        let found = find_level(level)?;
        match crate::level::graph_level(&found.path, &found.project.folder) {
            Ok(def) => {
                let file = def.file.as_ref().map_or("", |file| file.value.as_str());
                let paths = GraphPaths::of(&found.path, file);
                Ok(Self { shell, found, def, paths })
            }
            Err(error) => {
                shell.show(&found, &error.diagnostics, &error.files);
                Err(Failure::Told(refusal(&error)))
            }
        }
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Failure> {
        self.found.project.folder.read(path, FILE_BYTES_MAX).map_err(|error| {
            let code = if matches!(error, SourceError::Failed(_)) { Exit::Io } else { Exit::Level };
            Failure::new(code, format!("{}: {error}", shown_path(&self.found, path)))
        })
    }

    /// The graph as it stands in its file, or in the level.
    fn draft(&self) -> Result<Draft, Failure> {
        if self.def.file.is_none() {
            return Ok((*self.def.draft).clone());
        }
        let bytes = self.bytes(&self.paths.text);
        let bytes = bytes.map_err(|failure| failure.help("make it with `walkon graph generate`"))?;
        read_graph_text(&bytes).map_err(|error| {
            let message = format!("{}: no graph: {error}", shown_path(&self.found, &self.paths.text));
            Failure::new(Exit::Level, message)
        })
    }

    fn solids(&self) -> Result<Option<Solids>, Failure> {
        let Some(scene) = &self.def.scene else { return Ok(None) };
        let beside = |name: &str, of: &str| match of.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{name}"),
            None => name.to_owned(),
        };
        let path = beside(&scene.value, &self.found.path);
        let bytes = self.bytes(&path)?;
        let mut read = |name: &str| {
            let folder = &self.found.project.folder;
            folder.read(&beside(name, &path), FILE_BYTES_MAX).map_err(|error| format!("\"{name}\": {error}"))
        };
        let wrong =
            |why: String| Failure::new(Exit::Level, format!("{}: {why}", shown_path(&self.found, &path)));
        let triangles =
            scene_triangles(&path, &bytes, &mut read).map_err(|error| wrong(error.to_string()))?;
        Solids::new(&triangles).map(Some).map_err(|error| wrong(error.to_string()))
    }

    /// Writes the editing form; the folder is made where there is none.
    fn save(&self, draft: &Draft) -> Result<String, Failure> {
        if self.def.file.is_none() {
            let message =
                "its points stand in the level itself: move them to a file, or change the level by hand";
            return Err(Failure::new(Exit::Level, format!("{}: {message}", self.found.path)));
        }
        self.write(&self.paths.text, graph_text(draft).as_bytes())
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<String, Failure> {
        let whole = self.found.project.folder.root().join(path);
        if let Some(folder) = whole.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::io(format!("{}: {error}", folder.display())))?;
        }
        let level = self.found.project.folder.root().join(&self.found.path);
        Target::claim(&whole, &[level])?.write(bytes)?;
        Ok(shown_path(&self.found, path))
    }

    /// Shows how far long work has come, whenever that is a hundredth more.
    fn progress(&self, name: &'static str, unit: &'static str) -> impl FnMut(u64, u64) + use<'s> {
        let (shell, mut told, mut bar) = (self.shell, None, None);
        move |done, all| {
            let part = done * 100 / all.max(1);
            if told.replace(part) != Some(part) {
                let bar: &mut Progress = bar.get_or_insert_with(|| shell.progress(Shown { name, unit, all }));
                bar.reach(done);
            }
        }
    }

    fn generate(&self, args: &GraphLevelArgs, results: &mut Results) -> Result<Exit, Failure> {
        let Some(solids) = self.solids()? else {
            let message =
                format!("{}: navigation.scene is missing, expected the file of a scene", self.found.path);
            return Err(Failure::new(Exit::Level, message));
        };
        if self.def.boxes.is_empty() {
            let message =
                format!("{}: navigation.boxes is empty, expected a box around each floor", self.found.path);
            return Err(Failure::new(Exit::Level, message));
        }
        let made = generate(
            &solids,
            &self.def.boxes,
            &self.def.generate_options(),
            &mut self.progress("generating", "rays"),
        );
        let mut draft = Draft::new(made.points, &[], Vec::new()).map_err(wrong_graph)?;
        let linked =
            link(&mut draft, Some(&solids), &self.def.link_options(), &mut self.progress("linking", "pairs"));
        let linked = linked.map_err(wrong_graph)?;
        let file = self.save(&draft)?;
        let groups = groups(&draft);
        let mut human = format!(
            "{file}: {} points, {} links ({} blocked, {} without a floor), {}",
            draft.points().len(),
            draft.links().len(),
            linked.blocked,
            linked.hollow,
            island_words(&groups)
        );
        for (number, report) in made.boxes.iter().enumerate() {
            human.push_str(&format!(
                "\n  box {number}: {} rays, {} points, {} over holes, {} too steep, {} without room, {} found before",
                report.rays, report.points, report.holes, report.steep, report.narrow, report.doubled
            ));
            if report.covered > 0 {
                human.push_str(&format!(
                    "\n    {} rays met a floor below the first: give it a box whose top is under the ceiling, or `\"floors\": \"all\"`",
                    report.covered
                ));
            }
        }
        if made.is_full {
            human.push_str("\n  ended early: the graph is full; make the spacing larger");
        }
        let boxes: Vec<Value> = made
            .boxes
            .iter()
            .map(|report| {
                json!({ "rays": report.rays, "points": report.points, "holes": report.holes, "steep": report.steep,
                    "narrow": report.narrow, "doubled": report.doubled, "covered": report.covered })
            })
            .collect();
        let json = json!({ "file": file, "points": draft.points().len(), "links": draft.links().len(),
            "blocked": linked.blocked, "hollow": linked.hollow, "groups": groups.len(), "boxes": boxes });
        say(results, args.format, &human, &json)
    }

    fn link(&self, args: &GraphLevelArgs, results: &mut Results) -> Result<Exit, Failure> {
        let mut draft = self.draft()?;
        let solids = self.solids()?;
        let linked = link(
            &mut draft,
            solids.as_ref(),
            &self.def.link_options(),
            &mut self.progress("linking", "pairs"),
        );
        let linked = linked.map_err(wrong_graph)?;
        let file = self.save(&draft)?;
        let groups = groups(&draft);
        let human = format!(
            "{file}: {} links of {} pairs ({} blocked, {} without a floor), {}",
            draft.links().len(),
            linked.pairs,
            linked.blocked,
            linked.hollow,
            island_words(&groups)
        );
        let json = json!({ "file": file, "links": draft.links().len(), "pairs": linked.pairs,
            "blocked": linked.blocked, "hollow": linked.hollow, "groups": groups.len() });
        say(results, args.format, &human, &json)
    }

    fn edit(&self, args: &GraphEditArgs, results: &mut Results) -> Result<Exit, Failure> {
        let mut draft = match self.draft() {
            // The first points may be laid by hand.
            Err(_) if !args.add.is_empty() && self.bytes(&self.paths.text).is_err() => Draft::default(),
            draft => draft?,
        };
        let mut edits = Vec::new();
        let first = draft.points().len() as u32;
        for (at, &place) in (first..).zip(&args.add) {
            edits.push(DraftEdit::Add { at, point: in_space(place), links: Vec::new(), part: None });
        }
        edits.extend(args.moves.iter().map(|&(at, place)| DraftEdit::Move { at, point: in_space(place) }));
        edits.extend(args.link.iter().map(|&ends| DraftEdit::Link { ends }));
        edits.extend(args.unlink.iter().map(|&ends| DraftEdit::Unlink { ends }));
        let gone: BTreeSet<u32> = args.remove.iter().copied().collect();
        edits.extend(gone.into_iter().rev().map(|at| DraftEdit::Remove { at }));
        for edit in &edits {
            draft.apply(edit).map_err(|error| Failure::usage(error.to_string()))?;
        }
        let file = self.save(&draft)?;
        let (points, links) = (draft.points().len(), draft.links().len());
        let human = format!("{file}: {} edits, {points} points, {links} links", edits.len());
        let json = json!({ "file": file, "edits": edits.len(), "points": points, "links": links });
        say(results, args.format, &human, &json)
    }

    fn islands(&self, args: &GraphIslandsArgs, results: &mut Results) -> Result<Exit, Failure> {
        let mut draft = self.draft()?;
        let mut done = String::new();
        if let Some(points_max) = args.remove {
            let gone = remove_islands(&mut draft, points_max);
            done = format!("removed {gone} points; ");
        } else if args.stitch {
            let (mut joined, mut islands) = (0, 0);
            let mut progress = self.progress("stitching", "islands");
            // Bounded: each round leaves one group less.
            loop {
                let groups = groups(&draft);
                islands = islands.max(groups.len() as u64);
                progress(islands - groups.len() as u64, islands);
                let Some(edit) = groups.get(1).and_then(|island| stitch(&draft, island, &groups[0])) else {
                    break;
                };
                draft.apply(&edit).map_err(wrong_graph)?;
                joined += 1;
            }
            done = format!("made {joined} links; ");
        }
        if !done.is_empty() {
            self.save(&draft)?;
        }
        let groups = groups(&draft);
        let mut human = format!("{done}{} points, {}", draft.points().len(), island_words(&groups));
        let shown = |at: Vec3| format!("[{}]", words::decimals_of(&at.to_array(), 2));
        for group in groups.iter().skip(1).take(LISTED_MAX) {
            let sample = group.points[0];
            human.push_str(&format!(
                "\n  {} points from {} to {}, one of them {sample} at {}",
                group.points.len(),
                shown(group.min),
                shown(group.max),
                shown(draft.points()[sample as usize])
            ));
        }
        if groups.len() > LISTED_MAX + 1 {
            human.push_str(&format!("\n  and {} more", groups.len() - LISTED_MAX - 1));
        }
        let list: Vec<Value> = groups
            .iter()
            .map(|group| {
                json!({ "points": group.points.len(), "min": group.min.to_array(), "max": group.max.to_array(),
                    "sample": group.points[0], "at": draft.points()[group.points[0] as usize].to_array() })
            })
            .collect();
        say(results, args.format, &human, &json!({ "points": draft.points().len(), "groups": list }))
    }

    fn partition(&self, args: &GraphPartitionArgs, results: &mut Results) -> Result<Exit, Failure> {
        let mut draft = self.draft()?;
        let mut words = String::new();
        if args.clear {
            draft.set_parts(Vec::new()).map_err(wrong_graph)?;
        } else if let Some(points) = args.auto {
            let made = divide(&mut draft, points, &mut self.progress("dividing", "points"));
            let made = made.map_err(wrong_graph)?;
            words = format!("{} made; ", counted(made as u64, "part"));
        } else if let (Some(name), Some(from), Some(within)) = (&args.name, args.from, args.within) {
            let from = nearest_point(&draft, in_space(from))?;
            let grown = grow(&mut draft, name, from, within as f32).map_err(wrong_graph)?;
            words = format!(
                "\"{name}\" took {} points from point {from} on, {} belong to other parts; ",
                grown.taken, grown.others
            );
        } else {
            return Err(Failure::usage(
                "graph partition: expected --name with --from and --within, --auto or --clear",
            ));
        }
        let file = self.save(&draft)?;
        let parts: Vec<String> = draft
            .parts()
            .iter()
            .map(|part| format!("\n  {}: {} points", part.name, part.points.len()))
            .collect();
        let human =
            format!("{file}: {words}{}{}", counted(draft.parts().len() as u64, "part"), parts.concat());
        let list: Vec<Value> = draft
            .parts()
            .iter()
            .map(|part| json!({ "name": part.name, "points": part.points.len() }))
            .collect();
        say(results, args.format, &human, &json!({ "file": file, "parts": list }))
    }

    fn bake(&self, args: &GraphLevelArgs, results: &mut Results) -> Result<Exit, Failure> {
        let draft = self.draft()?;
        let text = self.bytes(&self.paths.text)?;
        let routes = Routes::new(&Net::new(&draft), draft.parts(), &mut self.progress("baking", "parts"));
        let bytes = compact_bytes(&self.paths.stem, &text, &draft, &routes.all_ways());
        let file = self.write(&self.paths.compact, &bytes)?;
        let missing = routes.missing();
        let count = draft.parts().len();
        let ways = count * count.saturating_sub(1) - 2 * missing.len();
        let mut human = format!(
            "{file}: {} bytes ({} as text), {} points, {count} parts, {ways} ways between them",
            bytes.len(),
            text.len(),
            draft.points().len()
        );
        for [one, two] in missing.iter().take(LISTED_MAX) {
            human.push_str(&format!("\n  no way between \"{one}\" and \"{two}\": they do not hang together"));
        }
        let json = json!({ "file": file, "bytes": bytes.len(), "textBytes": text.len(), "points": draft.points().len(),
            "parts": count, "ways": ways, "missing": missing });
        say(results, args.format, &human, &json)
    }

    fn path(&self, args: &GraphPathArgs, results: &mut Results) -> Result<Exit, Failure> {
        let draft = self.draft()?;
        let map = self.map(&draft);
        let answer = NavMap::from(map).plan(
            &PathQuery {
                start: in_space(args.from),
                goal: in_space(args.to),
                by: Traversal::default(),
                goal_layer: None,
                accept: Accept::Nearest,
                expansions_max: u32::MAX,
                others: None,
            },
            &mut Search::default(),
        );
        let (human, json) = path_words(&answer);
        if let Some(out) = &args.out {
            let title = format!("{}  {}", self.paths.stem, human.lines().next().unwrap_or_default());
            let shot = Shot { title, way: &answer.path.points, view: args.view, out: Some(out), scale: None };
            self.picture(&draft, shot, results)?;
        }
        say(results, args.format, &human, &json)
    }

    fn draw(&self, args: &GraphDrawArgs, results: &mut Results) -> Result<Exit, Failure> {
        let draft = self.draft()?;
        let (points, links) = (draft.points().len(), draft.links().len());
        let title = format!("{}  {points} points, {links} links", self.paths.stem);
        let shot = Shot { title, way: &[], view: args.view, out: args.out.as_deref(), scale: args.scale };
        self.picture(&draft, shot, results)?;
        Ok(Exit::Ok)
    }

    fn picture(&self, draft: &Draft, shot: Shot<'_>, results: &mut Results) -> Result<(), Failure> {
        let form = shot.out.map(draw::form_of).transpose()?;
        let inputs = self.found.project.folder.files_read();
        let target = shot.out.map(|out| Target::claim(out, &inputs)).transpose()?;
        let slant = shot.view.into();
        let groups = groups(draft);
        let picture = graph_picture(shot.title, &GraphScene { draft, groups: &groups, way: shot.way, slant });
        // In text a row of points is a line, as long as that fits.
        let wide = f64::from(COLUMNS) / picture.size_m()[0];
        let scale = shot.scale.unwrap_or((2.0 / self.def.spacing_m).min(wide));
        match (target, form) {
            (Some(target), Some(form)) => {
                let scale = if form == draw::Form::Text { Some(scale) } else { shot.scale };
                draw::write(&[picture], form, scale, &target)
            }
            _ => results.text(&draw::text(&[picture], Some(scale))),
        }
    }

    fn map(&self, draft: &Draft) -> PointGraph {
        PointGraph::new(GraphSource {
            draft: draft.clone(),
            width_m: self.def.width_m as f32,
            agent_radius_m: self.def.agent_radius_m as f32,
            areas: Vec::new(),
            uses_parts: !draft.parts().is_empty(),
        })
    }
}

/// A picture that was asked for.
struct Shot<'a> {
    title: String,
    way: &'a [Vec3],
    view: View,
    out: Option<&'a std::path::Path>,
    scale: Option<f64>,
}

fn say(results: &mut Results, format: Format, human: &str, json: &Value) -> Result<Exit, Failure> {
    match format {
        Format::Human => results.report(human)?,
        Format::Json => results.line(&json.to_string())?,
    }
    Ok(Exit::Ok)
}

fn wrong_graph(error: crate::nav::graph::DraftError) -> Failure {
    Failure::new(Exit::Level, error.to_string())
}

fn in_space(place: Place) -> Vec3 {
    Vec3::new(place.x as f32, place.y.unwrap_or(0.0) as f32, place.z as f32)
}

fn nearest_point(draft: &Draft, place: Vec3) -> Result<u32, Failure> {
    let ranked = (0u32..).zip(draft.points()).map(|(at, point)| (point.distance_squared(place), at));
    let nearest = ranked.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    nearest.map(|(_, at)| at).ok_or_else(|| Failure::new(Exit::Level, "the graph has no points"))
}

fn island_words(groups: &[Group]) -> String {
    let stray: usize = groups.iter().skip(1).map(|group| group.points.len()).sum();
    match groups.len() {
        0 => "no points".to_owned(),
        1 => "in one piece".to_owned(),
        count => format!(
            "{} islands of {stray} points beside the main group of {}",
            count - 1,
            groups[0].points.len()
        ),
    }
}

fn path_words(answer: &PathAnswer) -> (String, Value) {
    let status = match answer.status {
        PathStatus::Complete => "complete",
        PathStatus::Partial => "partial",
        PathStatus::None => "none",
    };
    let path = &answer.path;
    let mut human = format!("{status}: {:.2} m, {} expansions", path.cost_m, answer.expansions);
    for point in &path.points {
        human.push_str(&format!("\n  {}", words::decimals_of(&point.to_array(), 2)));
    }
    let points: Vec<[f32; 3]> = path.points.iter().map(|point| point.to_array()).collect();
    let json = json!({ "status": status, "cost": path.cost_m, "length": path.length_m, "waypoints": points,
        "expansions": answer.expansions });
    (human, json)
}
