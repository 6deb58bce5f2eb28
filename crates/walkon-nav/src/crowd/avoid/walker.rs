//! Inputs of avoidance: walkers at the start of a step, the level's constants, the step itself.
//!
//! Not here: what follows from them (`orca_lines`, `right_of_way`).

use glam::Vec2;

use crate::base::threads::Threads;

/// A body that avoids others, or is avoided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Walker {
    /// Place on the ground, (x, z) in metres.
    pub place: Vec2,
    /// Velocity of the last step, metres a second.
    pub velocity: Vec2,
    /// The velocity it wants, metres a second; zero for a standing body.
    pub desired: Vec2,
    /// Radius, metres.
    pub radius_m: f32,
    /// Top speed, metres a second; zero for a body that does not move whatever happens.
    pub speed_max_mps: f32,
    /// Readiness to give way, 0 to 1, beside that of the other: 1 and 1 share evenly; 0 goes on as if alone
    /// unless the other is 0 too (both then do the whole). A body that stands or is held has 0, so that the
    /// mover does the whole.
    pub gives_way: f32,
    /// Metres of its way that are left. Of two walkers that meet and are both ready to give way the one
    /// nearer to its end goes first.
    pub left_m: f32,
    /// Seconds since it last got on along its way.
    pub held_s: f32,
    /// How far apart the outermost places beside it are where its centre can stand, seen across its way,
    /// metres; infinite for a walker that gets on, and where nobody measures it. Zero, the default, makes
    /// every place a narrow one.
    pub width_m: f32,
    /// The same there or just ahead, whichever is less; infinite where nobody measures it.
    pub room_m: f32,
    /// Height of the ground it stands on, metres.
    pub floor_m: f32,
}

/// The side on which a walker passes one that comes straight at it, as the walker sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassingSide {
    /// Keep right, as in most streets.
    #[default]
    Right,
    /// Keep left.
    Left,
}

/// Constants of avoidance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AvoidSettings {
    /// How far ahead neighbours are avoided, seconds, 0.2 to 10. 1: 0.7, 1 and 2 clear circles, streams and
    /// corridors about equally soon; a longer one needs a longer reach.
    pub horizon_s: f32,
    /// How far ahead standing bodies are avoided, seconds. 0.4: they do nothing unforeseen, and a walker that
    /// joins a queue or comes up to a standing body does not creep; the path leads round them.
    pub standing_horizon_s: f32,
    /// How far ahead walls are avoided, seconds. 0.1: one may walk along a wall of steps, as cells make it,
    /// and up to a corner.
    pub wall_horizon_s: f32,
    /// In what time overlapping walkers want to be apart, seconds; at least a step. 0.25: pushing (`resolve`)
    /// does most of it.
    pub part_s: f32,
    /// Neighbours considered, at most, the nearest first. 10: what the published examples use.
    pub neighbours_max: usize,
    /// How far away a neighbour may be, metres between centres. 3.5: where two walkers that meet at 1.4 m/s
    /// begin to part.
    pub reach_m: f32,
    /// Gap kept beside the radii, metres. 0.01: below what counts as an overlap (5 % of 0.35 m).
    pub gap_m: f32,
    /// Gap kept to walls, metres. 0: walls are the edges of the ground where a centre may be.
    pub wall_gap_m: f32,
    /// The side on which symmetric meetings are broken.
    pub side: PassingSide,
    /// How strongly, as a part of the velocity wanted, 0 to 1. 0.3: corridors clear sooner than with 0.1 (20
    /// s against 28 s for sixteen walkers that meet).
    pub side_share: f32,
    /// How fast a walker that is held up steps back when it is its turn, as a part of the velocity wanted, 0
    /// to 1. 0.3: a body's width in a turn at 1.4 m/s.
    pub step_back_share: f32,
    /// Walkers whose floors are further apart than this ignore one another, metres.
    pub storey_m: f32,
    /// Walkers looked at for each cell, at most. 16: packed bodies of one size are two to a cell.
    pub per_cell_max: u32,
}

impl Default for AvoidSettings {
    fn default() -> Self {
        Self {
            horizon_s: 1.0,
            standing_horizon_s: 0.4,
            wall_horizon_s: 0.1,
            part_s: 0.25,
            neighbours_max: 10,
            reach_m: 3.5,
            gap_m: 0.01,
            wall_gap_m: 0.0,
            side: PassingSide::Right,
            side_share: 0.3,
            step_back_share: 0.3,
            storey_m: 1.5,
            per_cell_max: 16,
        }
    }
}

/// What one step of avoidance goes by.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The level's constants.
    pub settings: &'a AvoidSettings,
    /// Length of the step, seconds.
    pub step_s: f32,
    /// Rises by one about once a second: whole seconds of game time. Which walker of a jam steps back changes
    /// with it.
    pub epoch: u32,
    /// The threads that choose: the same velocities for any number of them.
    pub threads: Threads,
}
