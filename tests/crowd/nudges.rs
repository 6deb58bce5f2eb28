//! Stepping aside: who is asked, how often, where to, and what comes of it (seed:C5 to C10, D6).
//!
//! Method: passages of one cell, in which no character gets past another, with and without a niche; steps
//! aside and ends of walks are read from the trace; the judge of `tests/invariants.rs` looks on.

use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::glam::Vec3;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::owner::Owner;

use crate::crowd::crowd_rows::{CORRIDOR, OPEN, Run};

/// Two rooms, aligned with the cells of the map as they come to lie (0.2 m off multiples of 0.4 m): a passage
/// of one cell between them, and one more strip of ground beside it.
fn passage(more: &str) -> String {
    format!(
        r#"{{ "navigation": {{ "agentRadius": 0.35, "areas": [
  {{ "name": "west", "polygon": [[0,0],[6,0],[6,6],[0,6]] }},
  {{ "name": "passage", "polygon": [[6,2.6],[18,2.6],[18,3.0],[6,3.0]] }},
  {{ "name": "niche", "polygon": {more} }},
  {{ "name": "east", "polygon": [[18,0],[24,0],[24,6],[18,6]] }} ] }} }}"#
    )
}

/// A character that stands at `post`, and a character that walks from `from` to `to`.
fn meeting(
    level: &str,
    post: (f32, f32),
    from: (f32, f32),
    to: (f32, f32),
) -> (Run, CharacterId, CharacterId) {
    let mut run = Run::of(level);
    let stands = run.spawn("post", post);
    let mover = run.spawn("mover", from);
    run.walk(mover, to);
    (run, stands, mover)
}

fn until_nudged(run: &mut Run, seconds: f64) {
    let most = run.world().rate().ticks(seconds);
    for _ in 0..most {
        if !run.nudges.is_empty() {
            return;
        }
        run.tick();
    }
    panic!("nobody was asked aside in {seconds} s: {:?}", run.ends);
}

fn distance_m(one: Vec3, (x, z): (f32, f32)) -> f32 {
    one.distance(Vec3::new(x, 0.0, z))
}

#[test]
fn seed_c5_who_stands_and_was_pushed_stays_where_it_came_to() {
    for is_player in [false, true] {
        let mut run = Run::of(OPEN);
        let mut first = Spawn::new("first", Vec3::new(50.0, 0.0, 50.0));
        first.is_player = is_player;
        let first = characters::spawn(run.game.world_mut(), first).unwrap().unwrap();
        let second = run.spawn("second", (50.2, 50.1));
        run.run(1.0);
        let rest = (run.at(first), run.at(second));
        assert!(rest.0.distance(rest.1) >= 0.68, "{rest:?}");
        run.run(2.0);
        assert_eq!((run.at(first), run.at(second)), rest, "nobody walks back");
        assert!(run.nudges.is_empty() && run.ends.is_empty());
        run.assert_clean("C5");
    }
}

#[test]
fn seed_c6_nobody_is_asked_aside_twice_within_the_cooldown() {
    let (mut run, ..) = meeting(CORRIDOR, (12.0, 3.0), (7.0, 3.0), (20.0, 3.0));
    run.until_ends(1, 20.0);
    let cooldown = run.world().rate().ticks(0.5);
    assert!(run.nudges.len() >= 2, "it is asked on along the corridor: {:?}", run.nudges);
    for two in run.nudges.windows(2) {
        assert!(two[1].tick - two[0].tick >= cooldown, "{two:?}");
    }
    run.assert_clean("C6");
}

#[test]
fn seed_c6_who_is_held_by_a_scene_is_never_asked_and_never_moved() {
    let (mut run, post, _) = meeting(CORRIDOR, (12.0, 3.0), (8.0, 3.0), (20.0, 3.0));
    characters::hold(run.game.world_mut(), post, "scene", Owner::HOST).unwrap();
    let began = run.at(post);
    run.until_ends(1, 15.0);
    assert_eq!(run.nudges, []);
    assert_eq!(run.at(post), began);
    let (who, end, by, _) = run.ends[0].clone();
    assert_eq!((who.as_str(), end.as_str(), by.as_deref()), ("mover", "blocked/stuck", Some("post")));
    run.assert_clean("C6");
}

#[test]
fn seed_c7_and_c8_a_niche_beside_the_way_is_stepped_into_and_stayed_in() {
    let niches = [
        ("[[11.8,3.0],[12.2,3.0],[12.2,4.6],[11.8,4.6]]", 4.0),
        ("[[11.8,1.0],[12.2,1.0],[12.2,2.6],[11.8,2.6]]", 1.6),
    ];
    for (niche, z) in niches {
        let (mut run, post, _) = meeting(&passage(niche), (12.0, 2.8), (8.0, 2.8), (20.0, 2.8));
        until_nudged(&mut run, 10.0);
        let (from, aside) = (run.at(post), run.nudges[0].clone());
        assert_eq!((aside.who.as_str(), aside.by.as_str()), ("post", "mover"));
        // Met a little askew, along the walls of the niche: 1.2 m less what leads into the wall.
        assert!((0.84..1.21).contains(&aside.to.distance(from)), "{aside:?} from {from}");
        assert!((aside.to.z - z).abs() < 0.3, "into the niche: {aside:?}");
        run.until_ends(1, 20.0);
        assert_eq!(run.ends[0].1, "arrived/reached", "{:?} {:?}", run.ends, run.nudges);
        assert_eq!(run.nudges.len(), 1, "{:?}", run.nudges);
        let there = run.at(post);
        assert!(there.distance(aside.to) < 0.3, "it stands at {there}");
        run.run(2.0);
        assert_eq!(run.at(post), there, "and stays");
        run.assert_clean("C7");
    }
}

#[test]
fn seed_c7_with_walls_on_three_sides_it_steps_past_who_asks() {
    // The passage ends behind a character that stands there; the way leads to its very end.
    let dead_end = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
      { "name": "west", "polygon": [[0,0],[6,0],[6,6],[0,6]] },
      { "name": "stub", "polygon": [[6,2.8],[12.4,2.8],[12.4,3.2],[6,3.2]] } ] } }"#;
    let (mut run, ..) = meeting(dead_end, (11.6, 3.0), (8.0, 3.0), (12.4, 3.0));
    until_nudged(&mut run, 10.0);
    assert!(distance_m(run.nudges[0].to, (10.4, 3.0)) < 0.25, "{:?}", run.nudges);
}

/// A lane with a bend before the middle and one behind it.
fn bends(crowd: &str) -> String {
    format!(
        r#"{{ "crowd": {crowd}, "navigation": {{ "agentRadius": 0.35, "areas": [
      {{ "name": "west", "polygon": [[0,0],[4,0],[4,6],[0,6]] }},
      {{ "name": "in", "polygon": [[4,2.6],[12.2,2.6],[12.2,3.0],[4,3.0]] }},
      {{ "name": "between", "polygon": [[11.8,3.0],[12.2,3.0],[12.2,3.4],[11.8,3.4]] }},
      {{ "name": "out", "polygon": [[11.8,3.4],[20,3.4],[20,3.8],[11.8,3.8]] }} ] }} }}"#
    )
}

#[test]
fn seed_c7_between_two_bends_it_steps_round_the_second_until_it_is_out_of_the_lane() {
    let (mut run, post, _) = meeting(&bends("{}"), (12.0, 3.2), (8.0, 2.8), (19.0, 3.6));
    until_nudged(&mut run, 10.0);
    let first = run.nudges[0].clone();
    // On along the lane, beyond the bend: a step is as long as the way is that it leads along.
    assert!(first.who == "post" && first.by == "mover", "{first:?}");
    assert!(first.to.x > 12.5 && (3.4..=3.8).contains(&first.to.z), "{first:?}");
    run.until_ends(1, 30.0);
    let (who, end, ..) = run.ends[0].clone();
    assert_eq!((who.as_str(), end.as_str()), ("mover", "arrived/reached"), "{:?}", run.nudges);
    assert!(run.at(post).x > run.at(run.world().find_character("mover").unwrap()).x);
    run.assert_clean("two bends");
}

#[test]
fn seed_c7_with_walls_on_four_sides_nobody_is_asked_and_the_mover_gives_up() {
    // Steps longer than the way is, and than the lane behind it: none leads anywhere.
    let level = bends(r#"{ "nudgeDist": 12 }"#);
    let (mut run, post, _) = meeting(&level, (12.0, 3.2), (8.0, 2.8), (19.0, 3.6));
    let began = run.at(post);
    run.until_ends(1, 20.0);
    let (who, end, by, at_s) = run.ends[0].clone();
    assert_eq!(
        (who.as_str(), end.as_str(), by.as_deref()),
        ("mover", "blocked/stuck", Some("post")),
        "{at_s} {:?} {}",
        run.nudges,
        run.at(post)
    );
    // It is there after three seconds, and patient for three.
    assert!((5.0..9.0).contains(&at_s), "{at_s}");
    assert_eq!(run.nudges, []);
    assert_eq!(run.at(post), began);
}

#[test]
fn seed_c10_a_walk_ordered_in_the_tick_after_replaces_the_step_aside_at_once() {
    let (mut run, post, _) = meeting(CORRIDOR, (12.0, 3.0), (8.0, 3.0), (20.0, 3.0));
    until_nudged(&mut run, 10.0);
    assert!(run.world().character(post).unwrap().nudge.is_some());
    run.walk(post, (21.0, 5.0));
    assert!(run.world().character(post).unwrap().nudge.is_none(), "replaced at once");
    run.tick();
    let who = run.world().character(post).unwrap();
    assert!(who.nudge.is_none() && who.walk.is_some());
    run.until_ends(2, 20.0);
    assert!(run.ends.iter().all(|(_, end, ..)| end == "arrived/reached"), "{:?}", run.ends);
    assert!(distance_m(run.at(post), (21.0, 5.0)) < 0.5, "{}", run.at(post));
    run.assert_clean("C10");
}

#[test]
fn seed_d6_who_stands_in_an_arch_of_one_cell_is_asked_aside_however_it_is_met() {
    // Asked along its axis and askew: an arch leaves no room for a step in any direction but through it.
    for askew_m in [-0.15_f32, -0.1, 0.0, 0.1, 0.15] {
        let stands = (12.0, 3.0 + askew_m);
        let (mut run, _, mover) = meeting(CORRIDOR, stands, (9.0, 3.0 - askew_m), (20.0, 3.0));
        until_nudged(&mut run, 6.0);
        run.until_ends(1, 20.0);
        let (_, end, by, at_s) = run.ends[0].clone();
        assert_eq!(
            end,
            "arrived/reached",
            "{askew_m} m: by {by:?} at {at_s:.1} s, {} {:?}",
            run.at(mover),
            run.nudges
        );
        assert!(at_s < 11.0 / 1.4 + 10.0, "{askew_m} m: {at_s:.1} s");
        run.assert_clean("D6");
    }
}
