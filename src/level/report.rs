//! What `walkon check` says of a map that loads: its parts, areas cut off, marks nobody can walk to.
//!
//! In: a loaded level. Out: notes and warnings, in the order of the text. Holds: every door counts as open, since
//! what a key can open is not cut off; the cost is bounded by the parts looked at. Not here: what keeps a level
//! from loading (`read`, `resolve`, `bake`).

use super::bake::shown;
use super::diagnostic::{Diagnostic, Finding, Findings, Span, code};
use super::load::LoadedLevel;
use super::resolve::{Area, Mark};
use crate::base::geom::{Bounds, ground};
use crate::base::ids::AreaId;
use crate::base::words::counted;
use crate::nav::{AreaEdit, Island, NavEdit, NavMap, Reach, Traversal};
use glam::Vec3;

/// Parts of a map that are told apart; smaller ones are counted only.
const PARTS_MAX: usize = 32;
/// Cells of an area that are looked at for one that can be walked on.
const CELLS_LOOKED_AT: usize = 20_000;
/// Least radius that marks are tried for: a point.
const SLIM: Traversal = Traversal { radius_m: 0.0, through: None, areas: None, layer: 0, rules: None };

/// The map report of a level. Cost: a few passes over its cells.
#[must_use]
pub fn report(level: &LoadedLevel) -> Vec<Diagnostic> {
    let mut findings = Findings::with_files(level.files.clone());
    let map = with_doors_open(level);
    let mut parts = map.islands();
    summary(&mut findings, level, &map, &parts);
    parts.truncate(PARTS_MAX);
    cut_off_areas(&mut findings, level, &map, &parts);
    lost_marks(&mut findings, level, &map, &parts);
    findings.take()
}

fn with_doors_open(level: &LoadedLevel) -> NavMap {
    let mut map = level.map.clone();
    let open = |area: &AreaId| NavEdit::Area(AreaEdit { area: *area, available: Some(true), factor: None });
    let edits: Vec<NavEdit> = level.resolved.door_areas.iter().map(open).collect();
    map.apply(&edits);
    map
}

fn whole_map(level: &LoadedLevel) -> Span {
    Span::new(level.files.len().saturating_sub(1) as u16, 0, 0)
}

fn summary(findings: &mut Findings, level: &LoadedLevel, map: &NavMap, parts: &[Island]) {
    let walkable = parts.iter().map(|part| u64::from(part.cells)).sum::<u64>();
    let (size, node) = match (map.cells(), map.mesh()) {
        (Some(cells), _) => {
            let frame = cells.frame();
            let size = format!("{} x {} cells of {} m", frame.width, frame.depth, frame.cell_size_m);
            (format!("{size}, {walkable} of them walkable"), "cell")
        }
        (_, Some(_)) => (counted(walkable, "polygon"), "polygon"),
        _ => return,
    };
    findings.note(|| {
        let message = format!("the map has {size}, in {}", counted(parts.len() as u64, "part"));
        Finding::new(code::MAP, whole_map(level), message)
    });
    for part in parts.iter().skip(1).take(9) {
        findings.note(|| {
            let [x, z] = shown(ground(part.sample));
            let size = counted(u64::from(part.cells), node);
            let message =
                format!("{size} around [{x}, {z}] are joined to nothing else, even with every door open");
            Finding::new(code::ISLAND, whole_map(level), message)
        });
    }
}

/// The part that a point lies in, as its place in `parts`.
fn part_of(map: &NavMap, parts: &[Island], point: Vec3) -> Option<usize> {
    parts.iter().position(|part| matches!(map.reach(part.sample, point, &SLIM), Reach::Yes))
}

fn cut_off_areas(findings: &mut Findings, level: &LoadedLevel, map: &NavMap, parts: &[Island]) {
    let areas = level.resolved.areas.iter().enumerate().filter(|(_, area)| !area.obstacle);
    let parts_of: Vec<(&Area, usize)> = areas
        .filter_map(|(index, area)| {
            let point = walkable_point(map, AreaId::from(index), area.bounds)?;
            Some((area, part_of(map, parts, point)?))
        })
        .collect();
    if parts_of.len() < 2 {
        return;
    }
    let mut areas_in = vec![0usize; parts.len()];
    parts_of.iter().for_each(|(_, part)| areas_in[*part] += 1);
    for (area, _) in parts_of.iter().filter(|(_, part)| areas_in[*part] == 1) {
        findings.warn(|| {
            let message =
                format!("no way leads from area \"{}\" to any other, even with every door open", area.name);
            Finding::new(code::ISLAND, area.span, message)
                .at(area.pointer.as_str())
                .help("let it share an edge with its neighbour, or join them by an area between")
        });
    }
}

/// The middle of the first cell of an area that can be walked on.
fn walkable_point(map: &NavMap, area: AreaId, bounds: Bounds) -> Option<Vec3> {
    if let Some(mesh) = map.mesh() {
        return mesh.place_in(area, &SLIM);
    }
    let frame = map.cells()?.frame();
    let (low, high) = (frame.cell_at(bounds.min), frame.cell_at(bounds.max));
    let cell = |value: i64, size: u32| value.clamp(0, i64::from(size.saturating_sub(1))) as u32;
    let (first_x, last_x) = (cell(low.0, frame.width), cell(high.0, frame.width));
    let (first_z, last_z) = (cell(low.1, frame.depth), cell(high.1, frame.depth));
    let places = (first_z..=last_z).flat_map(|z| (first_x..=last_x).map(move |x| (x, z)));
    let mut here = Vec::new();
    places.take(CELLS_LOOKED_AT).map(|(x, z)| frame.on_floor(frame.centre(x, z))).find(|point| {
        here.clear();
        map.areas_at(*point, &mut here);
        here.contains(&area) && map.is_walkable(*point, &SLIM)
    })
}

fn lost_marks(findings: &mut Findings, level: &LoadedLevel, map: &NavMap, parts: &[Island]) {
    let floor = super::resolve::floor_y_m(&level.def);
    let starts =
        level.def.characters.iter().map(|character| super::resolve::world(character.position.value, floor));
    let mut from: Vec<usize> = starts
        .filter_map(|start| part_of(map, parts, map.nearest(start, super::bake::SNAP_M, &SLIM)?.point))
        .collect();
    from.sort_unstable();
    from.dedup();
    if from.is_empty() {
        from.push(0);
    }
    for mark in &level.resolved.marks {
        if let Some((message, help)) = lost(map, parts, &from, mark) {
            findings.warn(|| {
                let finding = Finding::new(code::UNREACHABLE, mark.span, message);
                let name = mark.name.as_deref().unwrap_or_default();
                let finding = finding.at(format!("/marks/{}", super::json::escaped(name)));
                match help {
                    Some(help) => finding.help(help),
                    None => finding,
                }
            });
        }
    }
}

/// Why nobody can walk to a mark, and where one could. None when somebody can.
fn lost(map: &NavMap, parts: &[Island], from: &[usize], mark: &Mark) -> Option<(String, Option<String>)> {
    let name = mark.name.as_deref().unwrap_or_default();
    if !map.is_walkable(mark.position, &SLIM) {
        let near = map.nearest(mark.position, f32::MAX, &SLIM).map(|near| shown(ground(near.point)));
        let help = near.map(|[x, z]| format!("the nearest place to stand is [{x}, {z}]"));
        return Some((format!("mark \"{name}\" lies where nobody can stand"), help));
    }
    let part = part_of(map, parts, mark.position);
    if part.is_some_and(|part| from.contains(&part)) {
        return None;
    }
    let who = "no way leads to it from where the characters begin, even with every door open";
    Some((format!("mark \"{name}\" is cut off: {who}"), None))
}
