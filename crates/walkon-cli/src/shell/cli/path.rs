//! `walkon path`: answers one path query, with its measures and, on request, a picture of the search.

use glam::Vec3;
use walkon_shell::project::find_level;
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, PathArgs};
use super::path_question::{Answered, PathQuestion, floor_of, goal_layer_of, layer_of, on_floor};
use super::shell::Shell;
use super::{canvas, movingai};
use crate::base::geom::flat_distance;
use crate::base::suggestions;
use crate::game::line::{JsonLine, float, place, place_in_space, quoted};
use crate::nav::{LayerChange, PathAnswer, PathStatus, Traversal};
use crate::shell::output::{OutputFile, Results};
use crate::view::{Parts, SearchScene, Slant};
use crate::world::World;

pub(super) fn run(shell: &Shell, args: &PathArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    if let (Some(map), Some(scen)) = (&args.map, &args.scen) {
        return movingai::run(args, map, scen, results);
    }
    let (Some(level), Some(from), Some(to)) = (&args.level, args.from, args.to) else {
        return Err(CommandFailure::usage("path: expected LEVEL with --from and --to, or --map with --scen"));
    };
    let found = find_level(level)?;
    let loaded = shell.load(&found)?;
    let floor_y_m = floor_of(&loaded.map);
    let (from, to) = (on_floor(from, floor_y_m)?, on_floor(to, floor_y_m)?);
    let target = args
        .out
        .as_deref()
        .map(|out| OutputFile::claim(out, &found.project.folder.files_read()))
        .transpose()?;
    let format = target.as_ref().map(|target| canvas::form_of(target.path())).transpose()?;
    let mut world = crate::level::spawn::build(loaded, None).world;
    let layer = layer_of(&world, args.layer.as_deref())?;
    let goal_layer = goal_layer_of(&world, args.to_layer.as_deref())?;
    let by = world.traversal_of_nobody(layer, args.radius);
    let asked = PathQuestion { from, to, by, goal_layer, others: None };
    let answered = asked.answer(&mut world);
    let points = if args.raw { PathPoints::Raw } else { PathPoints::Smooth };
    if target.as_ref().is_some_and(OutputFile::is_stdout) {
        *results = Results::stderr(&shell.general);
    }
    results.line(&match args.format {
        Format::Human => human(&world, &answered, &asked.by, points),
        Format::Json => json_form(&world, &answered, &asked.by, points),
    })?;
    if let (Some(target), Some(format)) = (target, format) {
        let (record, answer) = (&answered.record, &answered.answer);
        let scene = SearchScene {
            world: &world,
            from,
            to,
            by: &asked.by,
            record,
            answer,
            others: &[],
            parts: Parts::all(),
        };
        canvas::write(&[canvas::search_picture(&scene, layer, Slant::Top)], format, None, &target)?;
    }
    Ok(Exit::Ok)
}

/// The points of a path that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathPoints {
    /// Its corners.
    Smooth,
    /// The middles of its cells, where it has some.
    Raw,
}

/// The points to show.
fn points(world: &World, answered: &Answered, shown: PathPoints) -> Vec<Vec3> {
    let nodes = &answered.record.raw;
    match world.nav().cells() {
        Some(cells) if shown == PathPoints::Raw && !nodes.is_empty() => {
            let frame = cells.frame();
            let centre = |id: u32| frame.on_floor(frame.centre(id % frame.width, id / frame.width));
            nodes.iter().map(|node| centre(node.0)).collect()
        }
        _ => answered.answer.path.points.clone(),
    }
}

fn status(answer: &PathAnswer) -> &'static str {
    match answer.status {
        PathStatus::Complete => "complete",
        PathStatus::Partial => "partial",
        PathStatus::None => "none",
    }
}

/// Length and cost of what is shown, metres: of the path, or of the line through the middles of its cells.
fn measures(world: &World, answered: &Answered, by: &Traversal, points: PathPoints) -> (f32, f32) {
    let path = &answered.answer.path;
    let points = self::points(world, answered, points);
    if points == path.points {
        return (world.nav().length_in_space_m(path), path.cost_m);
    }
    let nav = world.nav();
    let (mut length_m, mut cost_m) = (0.0, 0.0);
    for pair in points.windows(2) {
        let step_m = f64::from(flat_distance(pair[0], pair[1]));
        length_m += step_m;
        cost_m += nav.straight(pair[0], pair[1], by).map_or(step_m, |cost| nav.metres(cost));
    }
    (length_m as f32, cost_m as f32)
}

/// The reason as in `PathResult`, with the door that is in the way.
fn reason(world: &World, answer: &PathAnswer) -> (Option<&'static str>, Option<String>) {
    match answer.trouble {
        Some(trouble) => {
            let (reason, by) = world.reason_of(trouble);
            (Some(reason.name()), by.map(|by| world.blocker(by)))
        }
        None => (None, None),
    }
}

/// Why it does not lead to the goal, as a clause; None when it does.
fn why(world: &World, answered: &Answered, by: &Traversal) -> Option<String> {
    answered.answer.trouble.map(|trouble| world.why_unreached(answered.goal, by, trouble))
}

pub(super) fn json_form(world: &World, answered: &Answered, by: &Traversal, points: PathPoints) -> String {
    let answer = &answered.answer;
    let (length_m, cost_m) = measures(world, answered, by, points);
    let found = answer.status != PathStatus::None;
    let measure = |value: f32| if found { float(value) } else { "null".to_owned() };
    // Heights are said where there are several.
    let place = if floor_of(world.nav()).is_none() { place_in_space } else { place };
    let points: Vec<String> = self::points(world, answered, points).into_iter().map(place).collect();
    JsonLine::default()
        .text("status", status(answer))
        .raw("reason", &reason(world, answer).0.map_or_else(|| "null".to_owned(), quoted))
        .raw("cost", &measure(cost_m))
        .raw("length", &measure(length_m))
        .raw("waypoints", &format!("[{}]", points.join(",")))
        .raw("nearest", &answer.nearest.map_or_else(|| "null".to_owned(), place))
        .count("expansions", u64::from(answer.expansions))
        .raw("micros", &format!("{:.1}", answered.micros))
        .maybe_text("because", why(world, answered, by).as_deref())
        .finish()
}

pub(super) fn human(world: &World, answered: &Answered, by: &Traversal, points: PathPoints) -> String {
    let answer = &answered.answer;
    let is_flat = floor_of(world.nav()).is_some();
    let shown = |at: Vec3| match is_flat {
        true => suggestions::decimals_of(&[at.x, at.z], 2),
        false => suggestions::decimals_of(&at.to_array(), 2),
    };
    let (length_m, cost_m) = measures(world, answered, by, points);
    let (reason, blocker) = reason(world, answer);
    let mut text = status(answer).to_owned();
    if let Some(reason) = reason {
        text.push_str(&format!(" ({reason}{})", blocker.map_or_else(String::new, |by| format!(" by {by}"))));
    }
    if answer.status != PathStatus::None {
        let [length, cost] = [length_m, cost_m].map(|value| suggestions::decimals(value, 2));
        text.push_str(&format!(": {length} m, cost {cost}"));
    }
    text.push_str(&format!(", {} expansions, {:.1} us", answer.expansions, answered.micros));
    if let Some(nearest) = answer.nearest {
        text.push_str(&format!("\nnearest reachable point: {}", shown(nearest)));
    }
    if let Some(why) = why(world, answered, by) {
        text.push_str(&format!("\nbecause {why}"));
    }
    let mut links = answer.path.layers.iter().peekable();
    let mut layer = by.layer;
    for point in self::points(world, answered, points) {
        text.push_str(&format!("\n  {}", shown(point)));
        // Two links in a row have one point between them at least.
        let Some(link) = links.next_if(|link| link.from == point) else { continue };
        text.push_str(&link_words(world, link, layer));
        layer = link.layer;
    }
    text
}

/// Where a link leads to from a layer, and what has to be done for it.
fn link_words(world: &World, link: &LayerChange, layer: u8) -> String {
    let length = suggestions::decimals(link.length_m, 2);
    if link.is_climb() {
        let way = if link.to.y > link.from.y { "up" } else { "down" };
        return format!(" {way} a climb of {length} m");
    }
    let names = world.tiles().filter(|_| link.layer != layer);
    let to = names.and_then(|tiles| tiles.layer_names().nth(usize::from(link.layer)));
    let action = link.action.and_then(|action| world.link_action(action));
    match (to, action) {
        (Some(to), Some(action)) => format!(" to layer {to} by the action \"{action}\""),
        (Some(to), None) => format!(" to layer {to}"),
        (None, Some(action)) => format!(" over a link by the action \"{action}\""),
        (None, None) => format!(" over a link of {length} m"),
    }
}
