//! Part of step 5: selects the walks that plan again because tiles have changed, or links have come.
//!
//! In: edits of tiles and links, the map before and after. Out: whether they concern a walk. Holds: a walk
//! whose way leads over a tile that got more expensive asks, and one whose way leads past a tile that opened
//! or got cheaper, at most a tile away, or is longer than the straight line by way of that tile, or of the
//! middle of that link (seed:O19, O20); every segment of the way counts, not its corners alone. Nobody else
//! is disturbed. Not here: ways that are cut and walks that end short of their goal, for which `edits` asks
//! the map.

use crate::base::geom::{Bounds, Point, ground};
use crate::nav::{GraphEdit, NavMap, TileEdit};
use crate::world::character::Character;
use crate::world::walk::{Following, Walk};

/// A way that is shorter by less is no reason to plan again, metres.
const SHORTER_M: f64 = 0.1;

/// Where more tiles than this change in a tick, every walk asks: that costs less than to compare each way
/// with each tile.
const TURNED_MAX: usize = 512;

/// A tile that changed, or a link that came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turned {
    layer: u8,
    /// A way that meets this is concerned: the tile, with those around it when it got better. Nothing of a
    /// link.
    bounds: Option<Bounds>,
    /// The middle of a tile that got better, or of a link: a way may lead over it now.
    better: Option<Point>,
}

/// What edits are about to make of tiles; to be asked before they are carried out.
pub(crate) fn turned<'a>(nav: &NavMap, edits: impl Iterator<Item = &'a TileEdit>) -> Vec<Turned> {
    let of = |edit: &TileEdit| {
        let cells = nav.layer(edit.layer)?;
        let [x, z] = edit.cell;
        let was = cells.tile(x, z)?;
        let walkable = edit.walkable.unwrap_or(was.walkable);
        let factor = edit.factor.unwrap_or(was.factor);
        let is_better = walkable && (!was.walkable || factor < was.factor);
        let is_worse = was.walkable && walkable && factor > was.factor;
        if !is_better && !is_worse {
            return None;
        }
        let mut corners = Vec::new();
        cells.frame().outline(x, z, &mut corners);
        let tile = Bounds::of(&corners);
        let around = if is_better { tile.max[0] - tile.min[0] } else { 0.0 };
        let better = is_better.then(|| tile.centre());
        Some(Turned { layer: edit.layer, bounds: Some(tile.grown(around)), better })
    };
    edits.filter_map(of).collect()
}

/// The links that edits of a graph have made; to be asked once they are carried out.
pub(crate) fn linked(nav: &NavMap, edits: &[GraphEdit]) -> Vec<Turned> {
    let Some(graph) = nav.graph() else { return Vec::new() };
    let of = |edit: &GraphEdit| {
        let GraphEdit::Link([a, b]) = *edit else { return None };
        graph.net().step(a, b)?;
        let [a, b] = [a, b].map(|end| graph.net().points()[end as usize]);
        Some(Turned { layer: 0, bounds: None, better: Some(ground(a.midpoint(b))) })
    };
    edits.iter().filter_map(of).collect()
}

/// Whether what is left of a way meets tiles that changed.
pub(crate) fn concern(walk: &Walk, character: &Character, following: &Following, turned: &[Turned]) -> bool {
    if turned.len() > TURNED_MAX {
        return true;
    }
    let layers = &following.path.layers;
    let leads_over =
        |layer: u8| character.layer == layer || layers.iter().any(|change| change.layer == layer);
    let mut from = ground(character.body.position);
    if let (Some(left_m), Some(&goal)) =
        (walk.remaining_m(character.body.position), following.path.points.last())
    {
        let apart = |a: Point, b: Point| libm::hypot(a[0] - b[0], a[1] - b[1]);
        let shorter =
            |middle: Point| apart(from, middle) + apart(middle, ground(goal)) + SHORTER_M < f64::from(left_m);
        let through = turned.iter().filter(|tile| leads_over(tile.layer)).filter_map(|tile| tile.better);
        if through.into_iter().any(shorter) {
            return true;
        }
    }
    // Bounded by the corners of one path.
    for &to in following.cursor.ahead(&following.path) {
        let to = ground(to);
        if turned
            .iter()
            .any(|tile| leads_over(tile.layer) && tile.bounds.is_some_and(|bounds| bounds.meets(from, to)))
        {
            return true;
        }
        from = to;
    }
    false
}
