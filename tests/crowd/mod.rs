//! Walks and crowds: who arrives, how, and beside whom.

pub mod beside_goals;
pub mod crowd_laws;
pub mod crowd_rows;
pub mod crowd_shown;
pub mod dead_ends;
pub mod door_rules;
pub mod flights;
pub mod following;
pub mod gatherings;
pub mod lanes;
pub mod layered_walks;
pub mod link_actions;
pub mod mesh_corners;
pub mod narrow_places;
pub mod nudges;
pub mod other_floors;
pub mod rates;
pub mod rounds;
pub mod same_ways;
pub mod soak;
pub mod standing_people;
pub mod steerbench;
pub mod streams;
pub mod threads;
pub mod waiting;
pub mod walks;
