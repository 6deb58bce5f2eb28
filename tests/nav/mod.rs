//! Maps and searches, against oracles: Dijkstra, flood fill, brute force.

pub mod changing_ground;
pub mod graph_climbs;
pub mod graph_doors;
pub mod graph_edits;
pub mod graph_floor;
pub mod graph_ground;
pub mod large_maps;
pub mod layers;
pub mod map_laws;
pub mod mesh_laws;
pub mod meshes;
pub mod nav_laws;
pub mod nav_others;
pub mod nav_published;
pub mod nav_sight;
pub mod one_way;
pub mod one_way_layouts;
pub mod own_areas;
pub mod path_tokens;
pub mod reach_and_paths;
pub mod replanning;
pub mod shortest_lines;
pub mod sight_beside_polygons;
pub mod tile_edits;
pub mod tile_rows;
pub mod tiles;
