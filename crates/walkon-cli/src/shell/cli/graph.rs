//! `walkon graph`: makes, checks and divides the points and links of a level whose map is a graph.
//!
//! In: a level whose `navigation.kind` is `graph`, its scene, the editing form of its graph beside it. Out:
//! that form again, the compact form, pictures, a way. Holds: a file is written whole or not at all, and only
//! when something changed.

use glam::Vec3;
use serde_json::{Value, json};
use walkon_runtime::nav::Backend;
use walkon_shell::project::{FoundLevel, find_level};
use walkon_shell::{CommandFailure, Exit};

use super::args::{
    Format, GraphCommand, GraphDrawArgs, GraphEditArgs, GraphIslandsArgs, GraphLevelArgs, GraphPartitionArgs,
    GraphPathArgs, PlaceArg, ViewArg,
};
use super::path::{self, PathPoints};
use super::path_question::PathQuestion;
use super::shell::{Shell, refusal, shown_path};
use super::{canvas, scenery};
use crate::base::suggestions::{self, counted};
use crate::level::graph::work::{
    BakedGraph, HandWork, MadeGraph, MakingProgress, NearestPointError, bake_graph, groups_json, link_graph,
    make_graph, nearest_point, parts_json, stitches, unstandable, unwalkable,
};
use crate::level::graph::{GraphDef, GraphPaths, HandEdits, graph_text, read_graph_text};
use crate::level::{DoorJoin, FILE_BYTES_MAX, FileSource, Hierarchy, RADIUS, SourceError, door_joins, load};
use crate::nav::graph::islands::{GraphIsland, remove_island, remove_islands};
use crate::nav::graph::link::floor_height_m;
use crate::nav::graph::{EditableGraph, LinkedGroup, PointEdit, PointEditError, divide, groups, grow};
use crate::nav::solids::Solids;
use crate::shell::output::{OutputFile, Results, is_stream};
use crate::shell::progress::{ProgressLine, ProgressWork as Shown};
use crate::view::ascii::COLUMNS;
use crate::view::{GraphScene, graph_picture};

/// Islands that are listed one by one.
const LISTED_MAX: usize = 40;

pub(super) fn run(
    shell: &Shell,
    action: &GraphCommand,
    results: &mut Results,
) -> Result<Exit, CommandFailure> {
    match action {
        GraphCommand::Generate(args) => GraphWork::open(shell, &args.level)?.generate(args, results),
        GraphCommand::Link(args) => GraphWork::open(shell, &args.level)?.link(args, results),
        GraphCommand::Edit(args) => GraphWork::open(shell, &args.level)?.edit(args, results),
        GraphCommand::Islands(args) => GraphWork::open(shell, &args.level)?.islands(args, results),
        GraphCommand::Partition(args) => GraphWork::open(shell, &args.level)?.partition(args, results),
        GraphCommand::Bake(args) => GraphWork::open(shell, &args.level)?.bake(args, results),
        GraphCommand::Path(args) => GraphWork::open(shell, &args.level)?.path(args, results),
        GraphCommand::Draw(args) => GraphWork::open(shell, &args.level)?.draw(args, results),
    }
}

/// A level whose graph is worked on.
struct GraphWork<'s> {
    shell: &'s Shell,
    found: FoundLevel,
    def: GraphDef,
    paths: GraphPaths,
}

impl<'s> GraphWork<'s> {
    fn open(shell: &'s Shell, level: &std::path::Path) -> Result<Self, CommandFailure> {
        let found = find_level(level)?;
        match crate::level::graph_level(&found.path, &found.project.folder) {
            Ok(def) => {
                let file = def.file.as_ref().map_or("", |file| file.value.as_str());
                let paths = GraphPaths::of(&found.path, file);
                Ok(Self { shell, found, def, paths })
            }
            Err(error) => {
                shell.show(&found, &error.diagnostics, &error.files);
                Err(CommandFailure::Told(refusal(&error)))
            }
        }
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, CommandFailure> {
        scenery::bytes(&self.found, path)
    }

    /// The graph as it stands in its file, or in the level.
    fn draft(&self) -> Result<EditableGraph, CommandFailure> {
        if self.def.file.is_none() {
            return Ok((*self.def.draft).clone());
        }
        let bytes = self.bytes(&self.paths.text);
        let bytes = bytes.map_err(|failure| failure.help("make it with `walkon graph generate`"))?;
        read_graph_text(&bytes).map_err(|error| {
            let message = format!("{}: no graph: {error}", shown_path(&self.found, &self.paths.text));
            CommandFailure::new(Exit::Level, message)
        })
    }

    fn solids(&self) -> Result<Option<Solids>, CommandFailure> {
        let Some(triangles) = scenery::triangles(&self.found, &self.def)? else { return Ok(None) };
        let name = self.def.scene.as_ref().map_or("", |scene| scene.value.as_str());
        let wrong = |why| CommandFailure::new(Exit::Level, format!("{}: {name}: {why}", self.found.path));
        Solids::new(&triangles).map(Some).map_err(wrong)
    }

    /// Writes the editing form; the folder is made where there is none.
    fn save(&self, draft: &EditableGraph) -> Result<String, CommandFailure> {
        self.expect_own_file()?;
        self.write(&self.paths.text, graph_text(draft).as_bytes())
    }

    /// Fails where the points stand in the level itself.
    fn expect_own_file(&self) -> Result<(), CommandFailure> {
        if self.def.file.is_some() {
            return Ok(());
        }
        let message =
            "its points stand in the level itself: move them to a file, or change the level by hand";
        Err(CommandFailure::new(Exit::Level, format!("{}: {message}", self.found.path)))
    }

    /// What was changed by hand so far.
    fn hand(&self) -> Result<HandEdits, CommandFailure> {
        match self.found.project.folder.read(&self.paths.edits, FILE_BYTES_MAX) {
            Err(SourceError::NotFound) => Ok(HandEdits::default()),
            Err(_) => self.bytes(&self.paths.edits).map(|_| HandEdits::default()),
            Ok(bytes) => HandEdits::read(&bytes).map_err(|error| {
                let file = shown_path(&self.found, &self.paths.edits);
                CommandFailure::new(Exit::Level, format!("{file}: no edits of a graph: {error}"))
            }),
        }
    }

    /// Writes the graph, and what was changed by hand.
    fn save_edited(&self, draft: &EditableGraph, hand: &HandEdits) -> Result<String, CommandFailure> {
        let file = self.save(draft)?;
        self.write(&self.paths.edits, hand.text().as_bytes())?;
        Ok(file)
    }

    /// Writes what was changed by hand, and tells what has become of it on a graph that was made again.
    fn kept(&self, hand: &HandEdits, conflicts: Vec<String>) -> Result<KeptEdits, CommandFailure> {
        if hand.is_empty() {
            return Ok(KeptEdits::default());
        }
        let file = self.write(&self.paths.edits, hand.text().as_bytes())?;
        let edits = hand.len() - conflicts.len();
        let mut lines = vec![format!("{} by hand kept, from {file}", counted(edits as u64, "edit"))];
        lines.extend(conflicts.iter().map(|conflict| format!("not kept: {conflict}")));
        Ok(KeptEdits { edits, conflicts, lines })
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<String, CommandFailure> {
        let whole = self.found.project.folder.root().join(path);
        if let Some(folder) = whole.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| CommandFailure::io(format!("{}: {error}", folder.display())))?;
        }
        let level = self.found.project.folder.root().join(&self.found.path);
        OutputFile::claim(&whole, &[level])?.write(bytes)?;
        Ok(shown_path(&self.found, path))
    }

    /// Shows how far long work has come, whenever that is a hundredth more.
    fn progress(&self, name: &'static str, unit: &'static str) -> impl FnMut(u64, u64) + use<'s> {
        let (shell, mut told, mut bar) = (self.shell, None, None);
        move |done, all| {
            let part = done * 100 / all.max(1);
            if told.replace(part) != Some(part) {
                let bar: &mut ProgressLine =
                    bar.get_or_insert_with(|| shell.progress(Shown { name, unit, all }));
                bar.reach(done);
            }
        }
    }

    fn generate(&self, args: &GraphLevelArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        let Some(solids) = self.solids()? else {
            let message =
                format!("{}: navigation.scene is missing, expected the file of a scene", self.found.path);
            return Err(CommandFailure::new(Exit::Level, message));
        };
        if self.def.boxes.is_empty() {
            let message =
                format!("{}: navigation.boxes is empty, expected a box around each floor", self.found.path);
            return Err(CommandFailure::new(Exit::Level, message));
        }
        let mut hand = self.hand()?;
        // The first time there is no graph to take parts from.
        let before = self.draft().ok();
        let progress = MakingProgress {
            rays: &mut self.progress("generating", "rays"),
            pairs: &mut self.progress("linking", "pairs"),
        };
        let work = make_graph(&self.def, &solids, before.as_ref(), &mut hand, progress);
        let mut work = work.map_err(wrong_graph)?;
        let file = self.save(&work.draft)?;
        let kept = self.kept(&hand, work.conflicts.clone())?;
        let MadeGraph { draft, made, linked, lost, .. } = &work;
        let groups = groups(draft);
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
        kept.lines.iter().for_each(|line| human.push_str(&format!("\n  {line}")));
        lost.iter().for_each(|name| human.push_str(&format!("\n  part \"{name}\" has no points any more")));
        work.conflicts = kept.conflicts;
        let json = in_file(work.json(kept.edits), &file);
        say(results, args.format, &human, &json)
    }

    fn link(&self, args: &GraphLevelArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        let before = self.draft()?;
        let (solids, mut hand) = (self.solids()?, self.hand()?);
        let mut progress = self.progress("linking", "pairs");
        let work = link_graph(&self.def, solids.as_ref(), &before, &mut hand, &mut progress);
        let mut work = work.map_err(wrong_graph)?;
        let file = self.save(&work.draft)?;
        let kept = self.kept(&hand, work.conflicts.clone())?;
        let mut human = format!(
            "{file}: {} links of {} pairs ({} blocked, {} without a floor), {}",
            work.draft.links().len(),
            work.linked.pairs,
            work.linked.blocked,
            work.linked.hollow,
            island_words(&groups(&work.draft))
        );
        kept.lines.iter().for_each(|line| human.push_str(&format!("\n  {line}")));
        work.conflicts = kept.conflicts;
        let json = in_file(work.json(kept.edits), &file);
        say(results, args.format, &human, &json)
    }

    fn edit(&self, args: &GraphEditArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        let mut draft = match self.draft() {
            // The first points may be laid by hand.
            Err(_) if !args.add.is_empty() && self.bytes(&self.paths.text).is_err() => {
                EditableGraph::default()
            }
            draft => draft?,
        };
        let mut hand = self.hand()?;
        if args.undo {
            let undone = hand.undo(&mut draft);
            let count =
                undone.map_err(|error| CommandFailure::usage(format!("graph edit --undo: {error}")))?;
            let file = self.save_edited(&draft, &hand)?;
            let (points, links) = (draft.points().len(), draft.links().len());
            let taken = counted(count as u64, "edit");
            let human = format!("{file}: {taken} taken back, {points} points, {links} links");
            let json = json!({ "file": file, "undone": count, "points": points, "links": links });
            return say(results, args.format, &human, &json);
        }
        let solids = self.solids()?;
        let work = hand_work(args, &draft, solids.as_ref());
        let edits = work.edits(&draft);
        if edits.is_empty() {
            return Err(CommandFailure::usage(
                "graph edit: expected --add, --move, --link, --unlink, --remove or --undo",
            ));
        }
        hand.apply(&mut draft, &edits).map_err(|error| CommandFailure::usage(error.to_string()))?;
        let placed = work.placed_points(&draft);
        let mut warnings = self.unwalkable(solids.as_ref(), &draft, &work.touched_links(&draft));
        warnings.extend(self.unstandable(solids.as_ref(), &draft, &placed));
        let file = self.save_edited(&draft, &hand)?;
        let (points, links) = (draft.points().len(), draft.links().len());
        let edits = edits.len();
        let mut human = format!("{file}: {}, {points} points, {links} links", counted(edits as u64, "edit"));
        if has_no_height(args) {
            let place =
                |&at: &u32| format!("\n  point {at} lies at {}", in_words(draft.points()[at as usize]));
            human.extend(placed.iter().map(place));
        }
        warnings.iter().for_each(|line| human.push_str(&format!("\n{line}")));
        let json =
            json!({ "file": file, "edits": edits, "points": points, "links": links, "warnings": warnings });
        say(results, args.format, &human, &json)
    }

    fn islands(&self, args: &GraphIslandsArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        let mut draft = self.draft()?;
        let (mut done, mut unwalkable) = (String::new(), Vec::new());
        if let Some(points_max) = args.remove {
            let gone = remove_islands(&mut draft, points_max);
            done = format!("removed {}; ", counted(gone as u64, "point"));
        } else if let Some(number) = args.remove_island {
            let count = groups(&draft).len().saturating_sub(1);
            let Some(gone) = remove_island(&mut draft, number) else {
                let islands = counted(count as u64, "island");
                return Err(CommandFailure::usage(format!(
                    "--remove-island {number}: the graph has {islands}"
                )));
            };
            done = format!("removed {}; ", counted(gone as u64, "point"));
        } else if args.stitch {
            let edits = stitches(&draft, &mut self.progress("stitching", "islands")).map_err(wrong_graph)?;
            let mut hand = self.hand()?;
            hand.apply(&mut draft, &edits).map_err(wrong_graph)?;
            let ends = edits.iter().filter_map(|edit| match edit {
                PointEdit::Link { ends } => Some(*ends),
                _ => None,
            });
            let solids = self.solids()?;
            unwalkable = self.unwalkable(solids.as_ref(), &draft, &ends.collect::<Vec<_>>());
            done = format!("made {}; ", counted(edits.len() as u64, "link"));
            // What joins islands is kept like any other link that is laid by hand.
            if !edits.is_empty() {
                self.write(&self.paths.edits, hand.text().as_bytes())?;
            }
        }
        if !done.is_empty() {
            self.save(&draft)?;
        }
        let groups = groups(&draft);
        let points = counted(draft.points().len() as u64, "point");
        let mut human = format!("{done}{points}, {}", island_words(&groups));
        let shown = in_words;
        for (number, group) in groups.iter().enumerate().skip(1).take(LISTED_MAX) {
            let sample = group.points[0];
            human.push_str(&format!(
                "\n  {number}: {} from {} to {}, one of them {sample} at {}",
                counted(group.points.len() as u64, "point"),
                shown(group.min),
                shown(group.max),
                shown(draft.points()[sample as usize])
            ));
        }
        if groups.len() > LISTED_MAX + 1 {
            human.push_str(&format!("\n  and {} more", groups.len() - LISTED_MAX - 1));
        }
        let list = groups_json(&draft, &groups);
        let doors = self.doors();
        doors.lines.iter().for_each(|line| human.push_str(&format!("\n  {line}")));
        unwalkable.iter().for_each(|line| human.push_str(&format!("\n{line}")));
        let json = json!({ "points": draft.points().len(), "groups": list, "groupsAsDoorsAre": doors.groups,
            "doors": doors.json, "warnings": unwalkable });
        say(results, args.format, &human, &json)
    }

    /// A warning for each of these links that nobody can walk.
    fn unwalkable(&self, solids: Option<&Solids>, draft: &EditableGraph, links: &[[u32; 2]]) -> Vec<String> {
        let warning = |[a, b]: [u32; 2]| {
            let ends = [a, b].map(|end| draft.points()[end as usize]);
            let [from, to] = ends.map(in_words);
            let length = suggestions::decimals(ends[0].distance(ends[1]), 2);
            format!(
                "warning: nobody can walk the link {a},{b} from {from} to {to}, {length} m long: \
                 `walkon graph edit --unlink {a},{b}` takes it away"
            )
        };
        unwalkable(&self.def, solids, draft, links).into_iter().map(warning).collect()
    }

    /// A warning for each of these points at which a body cannot stand.
    fn unstandable(&self, solids: Option<&Solids>, draft: &EditableGraph, points: &[u32]) -> Vec<String> {
        let warning = |at: u32| {
            let place = in_words(draft.points()[at as usize]);
            format!(
                "warning: no body can stand at the point {at} at {place}: \
                 `walkon graph edit --move {at}=X,Y,Z` puts it elsewhere"
            )
        };
        unstandable(&self.def, solids, draft, points).into_iter().map(warning).collect()
    }

    /// What the doors of the level keep apart as it begins.
    fn doors(&self) -> DoorReport {
        // It loads without its scene; one that does not load has said why in `check`.
        let Ok(level) = load(&self.found.path, &self.found.project.folder) else {
            let line = "what its doors keep apart is not known: the level does not load (see `walkon check`)";
            return DoorReport { lines: vec![line.to_owned()], ..DoorReport::default() };
        };
        let joins = door_joins(&level);
        let groups = level.map.graph().map_or(0, |graph| graph.islands().len());
        let mut lines = Vec::new();
        if !joins.is_empty() {
            lines.push(format!("with its doors as they are: {}", counted(groups as u64, "group")));
        }
        lines.extend(joins.iter().map(|join| format!("  {}", join.in_words())));
        let piece = |piece: &GraphIsland| json!({ "points": piece.points, "at": piece.at.to_array() });
        let join = |join: &DoorJoin| json!({ "door": join.door, "joins": join.pieces.iter().map(piece).collect::<Vec<_>>() });
        DoorReport { groups: Some(groups), lines, json: joins.iter().map(join).collect() }
    }

    fn partition(&self, args: &GraphPartitionArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        let mut draft = self.draft()?;
        let mut words = String::new();
        if args.clear {
            draft.set_parts(Vec::new()).map_err(wrong_graph)?;
        } else if let Some(points) = args.auto {
            let made = divide(&mut draft, points, &mut self.progress("dividing", "points"));
            let made = made.map_err(wrong_graph)?;
            words = format!("{} made; ", counted(made as u64, "part"));
        } else if let (Some(name), Some(from), Some(within)) = (&args.name, args.from, args.within) {
            let from = nearest_point(&draft, in_space(from)).map_err(|error| match error {
                NearestPointError::Empty => CommandFailure::new(Exit::Level, error.to_string()),
                NearestPointError::Far { .. } => CommandFailure::usage(format!("--from: {error}")),
            })?;
            let grown = grow(&mut draft, name, from, within as f32).map_err(wrong_part)?;
            words = format!(
                "\"{name}\" took {} points from point {from} on, {} belong to other parts; ",
                grown.taken, grown.others
            );
        } else {
            return Err(CommandFailure::usage(
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
        let list = parts_json(&draft);
        say(results, args.format, &human, &json!({ "file": file, "parts": list }))
    }

    fn bake(&self, args: &GraphLevelArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        self.expect_own_file()?;
        let draft = self.draft()?;
        let text = self.bytes(&self.paths.text)?;
        let mut progress = self.progress("baking", "parts");
        let baked = bake_graph(&self.def, &self.paths, &draft, &text, &mut progress);
        let file = self.write(&self.paths.compact, &baked.bytes)?;
        let BakedGraph { measured, is_used, missing, ways, bytes, .. } = &baked;
        let count = draft.parts().len();
        let mut human = format!(
            "{file}: {} bytes ({} as text), {} points, {count} parts, {ways} ways between them",
            bytes.len(),
            text.len(),
            draft.points().len()
        );
        if count > 1 {
            let verdict = if *is_used { "parts are used" } else { "parts are not used" };
            let word = if self.def.hierarchy == Hierarchy::Auto { "" } else { ", as the level says" };
            human.push_str(&format!(
                "\n  measured on {}: {} points looked at directly, {} with parts; {verdict}{word}",
                counted(u64::from(measured.pairs), "pair"),
                measured.direct,
                measured.with_parts
            ));
        }
        for [one, two] in missing.iter().take(LISTED_MAX) {
            human.push_str(&format!("\n  no way between \"{one}\" and \"{two}\": they do not hang together"));
        }
        let json = in_file(baked.json(&draft, &text), &file);
        say(results, args.format, &human, &json)
    }

    /// The way that a character of the level as it begins would take: with its doors, areas and parts.
    fn path(&self, args: &GraphPathArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        let draft = self.draft()?;
        let loaded = self.shell.load(&self.found)?;
        let mut world = crate::level::spawn::build(loaded, None).world;
        let standard = RADIUS.default.min(self.def.agent_radius_m) as f32;
        let by = world.traversal_of_nobody(0, args.radius.unwrap_or(standard));
        let asked = PathQuestion {
            from: in_space(args.from),
            to: in_space(args.to),
            by,
            goal_layer: None,
            others: None,
        };
        let answered = asked.answer(&mut world);
        let human = path::human(&world, &answered, &asked.by, PathPoints::Smooth);
        if let Some(out) = &args.out {
            let answer = human.lines().next().unwrap_or_default();
            // The same way gives the same picture, however long it took.
            let answer = answer.rsplit_once(", ").map_or(answer, |(measures, _)| measures);
            let title = format!("{}  {answer}", self.paths.stem);
            let way = &answered.answer.path.points;
            let shot = Shot { title, way, view: args.view, out: Some(out), scale: None };
            self.picture(&draft, shot, results)?;
        }
        if args.out.as_deref().is_some_and(is_stream) {
            *results = Results::stderr(&self.shell.general);
        }
        match args.format {
            Format::Human => results.line(&human)?,
            Format::Json => {
                results.line(&path::json_form(&world, &answered, &asked.by, PathPoints::Smooth))?
            }
        }
        Ok(Exit::Ok)
    }

    fn draw(&self, args: &GraphDrawArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
        let draft = self.draft()?;
        let (points, links) = (draft.points().len(), draft.links().len());
        let title = format!("{}  {points} points, {links} links", self.paths.stem);
        let shot = Shot { title, way: &[], view: args.view, out: args.out.as_deref(), scale: args.scale };
        self.picture(&draft, shot, results)?;
        Ok(Exit::Ok)
    }

    fn picture(
        &self,
        draft: &EditableGraph,
        shot: Shot<'_>,
        results: &mut Results,
    ) -> Result<(), CommandFailure> {
        let form = shot.out.map(canvas::form_of).transpose()?;
        let inputs = self.found.project.folder.files_read();
        let target = shot.out.map(|out| OutputFile::claim(out, &inputs)).transpose()?;
        let slant = canvas::slant_over(shot.view, draft.points().iter().copied());
        let groups = groups(draft);
        let triangles = scenery::triangles(&self.found, &self.def).ok().flatten().unwrap_or_default();
        // A level that does not load has its graph all the same.
        let loaded = load(&self.found.path, &self.found.project.folder).ok();
        let world = loaded.map(|level| crate::level::spawn::build(level, None).world);
        let (way, triangles, world) = (shot.way, triangles.as_slice(), world.as_ref());
        let scene = GraphScene { draft, groups: &groups, way, triangles, world, slant };
        let picture = graph_picture(shot.title, &scene);
        // In text a row of points is a line, as long as that fits.
        let wide = f64::from(COLUMNS) / picture.size_m()[0];
        let scale = shot.scale.unwrap_or((2.0 / self.def.spacing_m).min(wide));
        match (target, form) {
            (Some(target), Some(form)) => {
                let scale = if form == canvas::PictureFormat::Text { Some(scale) } else { shot.scale };
                canvas::write(&[picture], form, scale, &target)
            }
            _ => results.text(&canvas::text(&[picture], Some(scale))),
        }
    }
}

/// What became of the edits by hand on a graph that was made again.
#[derive(Default)]
struct KeptEdits {
    edits: usize,
    conflicts: Vec<String>,
    /// The same for people.
    lines: Vec<String>,
}

/// What the doors of a level keep apart.
#[derive(Default)]
struct DoorReport {
    /// How many groups there are with the doors as they are.
    groups: Option<usize>,
    lines: Vec<String>,
    json: Vec<Value>,
}

/// A picture that was asked for.
struct Shot<'a> {
    title: String,
    way: &'a [Vec3],
    view: ViewArg,
    out: Option<&'a std::path::Path>,
    scale: Option<f64>,
}

fn say(results: &mut Results, format: Format, human: &str, json: &Value) -> Result<Exit, CommandFailure> {
    match format {
        Format::Human => results.report(human)?,
        Format::Json => results.line(&json.to_string())?,
    }
    Ok(Exit::Ok)
}

fn wrong_graph(error: PointEditError) -> CommandFailure {
    CommandFailure::new(Exit::Level, error.to_string())
}

/// Why a part cannot grow: what was asked for is told as a wrong use, with the option.
fn wrong_part(error: PointEditError) -> CommandFailure {
    match error {
        PointEditError::Name { .. } => CommandFailure::usage(format!("--name: {error}")),
        PointEditError::NoPoints { .. } => CommandFailure::usage(format!("--from: {error}"))
            .help("begin at another place, or make --within larger"),
        _ => wrong_graph(error),
    }
}

fn in_space(place: PlaceArg) -> Vec3 {
    Vec3::new(place.x as f32, place.y.unwrap_or(0.0) as f32, place.z as f32)
}

/// What is to be changed by hand. A place without a height lies on the floor there: of several on the one
/// nearest to height 0, where ways begin as well, or to where the point was.
fn hand_work(args: &GraphEditArgs, draft: &EditableGraph, solids: Option<&Solids>) -> HandWork {
    let on_floor = |place: PlaceArg, near_m: f32| {
        let near = Vec3 { y: near_m, ..in_space(place) };
        let floor_m = || solids.and_then(|solids| floor_height_m(solids, near)).unwrap_or(near_m);
        Vec3 { y: place.y.map_or_else(floor_m, |y_m| y_m as f32), ..near }
    };
    let height_m = |at: u32| draft.points().get(at as usize).map_or(0.0, |point| point.y);
    HandWork {
        add: args.add.iter().map(|&place| on_floor(place, 0.0)).collect(),
        moves: args.moves.iter().map(|&(at, place)| (at, on_floor(place, height_m(at)))).collect(),
        link: args.link.clone(),
        unlink: args.unlink.clone(),
        remove: args.remove.clone(),
    }
}

/// Whether a place of a point was given without its height.
fn has_no_height(args: &GraphEditArgs) -> bool {
    args.add.iter().chain(args.moves.iter().map(|(_, place)| place)).any(|place| place.y.is_none())
}

/// A report, with the file that it is about.
fn in_file(mut report: Value, file: &str) -> Value {
    report["file"] = Value::from(file);
    report
}

fn in_words(at: Vec3) -> String {
    format!("[{}]", suggestions::decimals_of(&at.to_array(), 2))
}

fn island_words(groups: &[LinkedGroup]) -> String {
    let stray: usize = groups.iter().skip(1).map(|group| group.points.len()).sum();
    match groups.len() {
        0 => "no points".to_owned(),
        1 => "in one piece".to_owned(),
        count => format!(
            "{} of {} beside the main group of {}",
            counted(count as u64 - 1, "island"),
            counted(stray as u64, "point"),
            groups[0].points.len()
        ),
    }
}
