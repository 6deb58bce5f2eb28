//! Numbers the actions of links, and puts the links of graphs and meshes on their maps.
//!
//! In: the map of a level. Out: the names of the actions in order, each once; links for the map. Holds: the
//! number of an action is its place among them, here and on the map. Not here: links of tile maps (`bake`),
//! which characters can do an action (`world::asker`).

use std::collections::BTreeSet;

use super::action_links::ActionLinkDef;
use super::def::{GridDef, NavigationDef, Position};
use super::diagnostic::{Findings, Located, PendingDiagnostic, code};
use super::resolve;
use crate::base::ordered::CollectOrdered;
use crate::nav::{LayerLink, LayerPoint, LinkAction, LinkActions, Links, NavMap, Traversal};
use crate::world::settings::Settings;

/// The links of a map that is no tile map.
fn own_links(map: &NavigationDef) -> &[ActionLinkDef] {
    match map {
        NavigationDef::Graph(graph) => &graph.action_links,
        NavigationDef::Grid(GridDef { mesh: Some(mesh), .. }) => &mesh.action_links,
        _ => &[],
    }
}

/// The actions of the links of a map, in order of their names.
pub(super) fn names(map: &NavigationDef) -> Vec<String> {
    let of_tiles = match map {
        NavigationDef::Tiles(tiles) => tiles.links.as_slice(),
        _ => &[],
    };
    let of_tiles = of_tiles.iter().filter_map(|link| link.action.as_deref());
    let own = own_links(map).iter().map(|link| link.action.as_str());
    let names: BTreeSet<&str> = of_tiles.chain(own).collect_set();
    names.into_iter().map(str::to_owned).collect()
}

/// The number of an action among those of a map.
pub(super) fn number(names: &[String], action: &str) -> Option<LinkAction> {
    let place = names.iter().position(|name| name == action)?;
    u8::try_from(place).ok().map(LinkAction)
}

/// The names of the actions of a map; None, and a finding, for more than there are numbers.
pub(super) fn checked_names(findings: &mut Findings, map: &NavigationDef) -> Option<Vec<String>> {
    let names = names(map);
    let (count, most) = (names.len(), LinkActions::COUNT_MAX);
    if count <= most {
        return Some(names);
    }
    let span = match map {
        NavigationDef::Tiles(tiles) => tiles.span,
        other => own_links(other).first().map(|link| link.span).unwrap_or_default(),
    };
    let message = format!("links need {count} actions, expected {most} at most");
    findings.error(|| PendingDiagnostic::new(code::LIMIT, span, message).at("/navigation"));
    None
}

/// Gives a graph or a mesh its links.
pub(super) fn join(findings: &mut Findings, def: &NavigationDef, floor_y_m: Option<f64>, map: &mut NavMap) {
    let links = own_links(def);
    let Some(names) = checked_names(findings, def).filter(|_| !links.is_empty()) else { return };
    let end = |at: &Located<Position>| LayerPoint { layer: 0, point: resolve::world(at.value, floor_y_m) };
    let link = |link: &ActionLinkDef| LayerLink {
        from: end(&link.from),
        to: end(&link.to),
        both_ways: link.both_ways,
        cost_m: link.cost_m as f32,
        action: number(&names, &link.action),
    };
    map.set_links(Links::new(links.iter().map(link).collect()));
    warn_of_far_ends(findings, links, &end, map);
}

/// Ends that no ground is near, or on a graph no link below: nobody can take such a link.
fn warn_of_far_ends(
    findings: &mut Findings,
    links: &[ActionLinkDef],
    end: &dyn Fn(&Located<Position>) -> LayerPoint,
    map: &NavMap,
) {
    for (index, link) in links.iter().enumerate() {
        for (name, place) in [("from", &link.from), ("to", &link.to)] {
            let point = end(place).point;
            let (why, help) = if map.graph().is_some_and(|graph| !graph.is_drawn_at(point)) {
                let help = "move it onto a link, or give the graph a point there and a link to it";
                ("lies on no link: no walk can take it".to_owned(), help)
            } else if map.nearest(point, Settings::SNAP_M, &Traversal::default()).is_none() {
                let snap_m = Settings::SNAP_M;
                let why = format!("is farther than {snap_m} m from any ground: no walk can take the link");
                (why, "move it onto the ground")
            } else {
                continue;
            };
            findings.warn(|| {
                let message = format!("the end \"{name}\" of actionLinks[{index}] {why}");
                PendingDiagnostic::new(code::UNREACHABLE, place.span, message)
                    .at(format!("/navigation/actionLinks/{index}/{name}"))
                    .help(help)
            });
        }
    }
}
