//! Pictures as data, made from read-only state: shapes that know what they show, and text forms of them.
//!
//! In: a world, a navigation map, the record of a search. Out: a [`Picture`] in world metres; [`svg`] and
//! [`ascii`] turn it into text, the shell into pixels. Holds: nothing here changes what it shows, and one set
//! of colours ([`theme`]) serves every drawing. World x grows to the right and world z downwards, so a
//! picture reads like the rows of a text grid; height (y) is shown by a [`Slant`] alone. Not here: files,
//! pixels, windows.

pub mod ascii;
mod blocks;
mod clip;
mod draw_crowd;
mod draw_graph;
mod draw_nav;
mod draw_scenery;
mod draw_search;
mod draw_world;
mod hatch;
mod labels;
mod layers;
mod picture;
mod screen;
pub mod svg;
pub mod theme;

pub use draw_graph::{GraphScene, draw_graph, graph_picture};
pub use draw_nav::{Outlines, draw_nav};
pub use draw_scenery::{SceneTriangle, draw_scenery, scene_triangles};
pub use draw_search::{SearchScene, draw_search};
pub use draw_world::{character_colours, draw_world};
pub use labels::{letter_columns, text_columns};
pub use layers::{Parts, PicturePart, draw_ground, draw_scene};
pub use picture::{
    Colour, Figure, GroundProjection, KnownColours, Label, LabelPlaces, LabelSpread, Layer, LegendEntry,
    Picture, Shape, Slant, Stroke, Style, Swatch, Tag,
};
pub use screen::{
    Anchor, LayerGroup, PIXELS_MAX, Primitive, SIDE_PX_MAX, Screen, ScreenError, ScreenOutline,
};
