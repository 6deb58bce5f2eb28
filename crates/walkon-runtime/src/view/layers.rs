//! Layers of a picture: the parts of a level that it shows.
//!
//! In: words of `draw --layers`. Out: a set, and the drawing of a level with it. Holds: the order of the
//! parts is the order in which they lie on one another, whatever order they were named in. Not here: how a
//! part looks (`draw_nav`, `draw_world`, `draw_crowd`).

use super::draw_crowd::{draw_nudges, draw_obstacles, draw_replans, draw_requests, draw_steering};
use super::draw_graph::draw_nav_graph;
use super::draw_nav::{draw_areas, draw_cells, draw_doors, draw_links};
use super::draw_world::{draw_characters, draw_marks, draw_paths, draw_regions, draw_routes, draw_watches};
use super::picture::Picture;
use crate::world::World;

/// A part of a picture of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PicturePart {
    /// Cells by what they cost.
    Cells,
    /// Areas and obstacles as their author drew them.
    Areas,
    /// Links between the layers of the map.
    Links,
    /// Doors.
    Doors,
    /// Trigger volumes.
    Regions,
    /// Circles that scripts watch.
    Watches,
    /// Routes.
    Routes,
    /// Marks.
    Marks,
    /// The ways that walks have left.
    Paths,
    /// Lines from characters that wait for a path to where it is to lead.
    Requests,
    /// Bodies, and where they look.
    Characters,
    /// The characters that walks under way were planned around, as large as plans take them.
    Obstacles,
    /// Where every character wants to go, and where it really goes.
    Steering,
    /// Steps aside.
    Nudges,
    /// Characters that have just planned again because of others.
    Replans,
    /// Names of all that is shown.
    Names,
}

impl PicturePart {
    /// Every part, the lowest first.
    pub const ALL: [Self; 16] = [
        Self::Cells,
        Self::Areas,
        Self::Links,
        Self::Doors,
        Self::Regions,
        Self::Watches,
        Self::Routes,
        Self::Marks,
        Self::Paths,
        Self::Requests,
        Self::Characters,
        Self::Obstacles,
        Self::Steering,
        Self::Nudges,
        Self::Replans,
        Self::Names,
    ];

    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Areas => "areas",
            Self::Links => "links",
            Self::Doors => "doors",
            Self::Regions => "regions",
            Self::Watches => "watches",
            Self::Routes => "routes",
            Self::Marks => "marks",
            Self::Paths => "paths",
            Self::Requests => "requests",
            Self::Characters => "characters",
            Self::Obstacles => "obstacles",
            Self::Steering => "steering",
            Self::Nudges => "nudges",
            Self::Replans => "replans",
            Self::Names => "names",
        }
    }
}

/// Parts that a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// Everything there is.
    #[must_use]
    pub fn all() -> Self {
        PicturePart::ALL.into_iter().fold(Self::NONE, Self::with)
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, part: PicturePart) -> Self {
        Self(self.0 | 1 << part as u32)
    }

    /// These without one.
    #[must_use]
    pub fn without(self, part: PicturePart) -> Self {
        Self(self.0 & !(1 << part as u32))
    }

    /// Whether it is shown.
    #[must_use]
    pub fn has(self, part: PicturePart) -> bool {
        self.0 & 1 << part as u32 != 0
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::all()
    }
}

/// The drawing of a part.
type DrawPart = fn(&mut Picture, &World);

/// Draws what does not change while the map stays as it is: cells, areas, obstacles. Cost: one look at every
/// cell.
pub fn draw_ground(picture: &mut Picture, world: &World, parts: Parts) {
    if parts.has(PicturePart::Cells) {
        draw_cells(picture, world.nav());
        draw_nav_graph(picture, world.nav());
    }
    if parts.has(PicturePart::Areas) {
        draw_areas(picture, world);
    }
}

/// Draws everything else on top of it. `picture` holds the ground already.
pub fn draw_scene(picture: &mut Picture, world: &World, parts: Parts) {
    let layers: [(PicturePart, DrawPart); 13] = [
        (PicturePart::Links, draw_links),
        (PicturePart::Doors, draw_doors),
        (PicturePart::Regions, draw_regions),
        (PicturePart::Watches, draw_watches),
        (PicturePart::Routes, draw_routes),
        (PicturePart::Marks, draw_marks),
        (PicturePart::Paths, draw_paths),
        (PicturePart::Requests, draw_requests),
        (PicturePart::Characters, draw_characters),
        (PicturePart::Obstacles, draw_obstacles),
        (PicturePart::Steering, draw_steering),
        (PicturePart::Nudges, draw_nudges),
        (PicturePart::Replans, draw_replans),
    ];
    for (_, draw) in layers.into_iter().filter(|(part, _)| parts.has(*part)) {
        draw(picture, world);
    }
    if !parts.has(PicturePart::Names) {
        picture.labels.clear();
    }
}
