//! Which characters follow which, compared with a walk from one to the next.

use slotmap::SlotMap;

use super::*;
use crate::base::rng::Rng;

#[test]
fn files_of_any_length_and_circles_are_known_whole() {
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, "leaders");
        let mut slots: SlotMap<CharacterId, ()> = SlotMap::with_key();
        let people: Vec<CharacterId> = (0..rng.int(2, 80)).map(|_| slots.insert(())).collect();
        // Nearly all follow the one before them, so that files are long.
        let last = people.len() as i64 - 1;
        let targets: Vec<Option<usize>> = (0..=last)
            .map(|at| match rng.int(0, 19) {
                0 => None,
                1 => Some(rng.int(0, last) as usize),
                _ => usize::try_from(at - 1).ok(),
            })
            .collect();
        let place = |who| people.iter().position(|&other| other == who);
        let forest = Forest::grown(people.iter().copied(), |who| Some(people[targets[place(who)?]?]));
        for who in 0..people.len() {
            let mut led = vec![false; people.len()];
            let mut next = targets[who];
            while let Some(at) = next.filter(|&at| !led[at]) {
                led[at] = true;
                next = targets[at];
            }
            for leader in 0..people.len() {
                let found = forest.follows(people[who], people[leader]);
                assert_eq!(found, led[leader], "seed {seed}: {who} after {leader} in {targets:?}");
            }
        }
    }
}

#[test]
fn a_climb_through_a_long_file_takes_few_steps() {
    let mut forest = Forest::default();
    let mut above = None;
    for _ in 0..100_000 {
        above = Some(forest.push(above));
    }
    for depth in [0, 1, 2, 3, 1000, 65_535, 99_998] {
        let (mut at, mut steps) = (99_999_u32, 0);
        while forest.members[at as usize].depth > depth {
            let member = forest.members[at as usize];
            at = if forest.members[member.jump as usize].depth >= depth { member.jump } else { member.above };
            steps += 1;
        }
        assert!(steps <= 3 * 17, "{steps} to {depth}");
    }
}

/// While a scene is skipped only some walks are looked at; the others go on following.
#[test]
fn walks_that_are_not_looked_at_follow_all_the_same() {
    let crate::world::fixture::Fixture { mut world, one, other, walk } = crate::world::fixture::sample();
    let follow = crate::world::walk_mode::Follow {
        distance_m: 1.0,
        keep: true,
        lose_beyond_m: None,
        lose_after_ticks: 0,
        far_since: None,
        stranded_since: None,
    };
    let following = world.walks.get_mut(walk).expect("it is there");
    (following.mode, following.goal) = (WalkMode::Follow(follow), Goal::Character(other));
    world.walks.look_at_only(Vec::new());
    let leaders = Leaders::default();
    assert!(leaders.has(&world.characters, &world.walks, one, other));
    assert!(!leaders.has(&world.characters, &world.walks, other, one));
}
