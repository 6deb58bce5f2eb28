//! The program as people run it: its commands, output, pictures, project files and documents.

pub mod batch;
pub mod commands;
pub mod docs;
pub mod graph_tool;
pub mod layers_seen;
pub mod lint;
pub mod path_limits;
pub mod pictures;
pub mod readme;
pub mod replay;
pub mod scaffold;
pub mod strict_xml;
pub mod terminal;
pub mod tiles_shown;
