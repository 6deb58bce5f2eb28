//! Marks against a look at every change.

use super::*;
use crate::base::rng::Rng;
use crate::world::World;

fn place(rng: &mut Rng, reach: f64) -> Vec3 {
    Vec3::new(rng.float(-reach, reach) as f32, 0.0, rng.float(-reach, reach) as f32)
}

#[test]
fn marks_find_a_change_exactly_where_a_look_at_every_change_does() {
    let mut rng = Rng::stream(1, "marks");
    let (mut hits, mut misses) = (0, 0);
    for (count, reach) in [(1, 20.0), (3, 200.0), (60, 60.0), (900, 300.0)] {
        let changes: Vec<BystanderChange> = (0..count)
            .map(|_| BystanderChange {
                who: CharacterId::default(),
                place: place(&mut rng, reach),
                disc: None,
            })
            .collect();
        let marks = ChangeMarks::of(&changes, 1.8);
        for _ in 0..300 {
            let from = place(&mut rng, reach);
            let to = from + place(&mut rng, 20.0);
            let is_near = |change: &BystanderChange| {
                segment_distance_sq(ground(change.place), ground(from), ground(to))
                    <= f64::from(1.8f32).powi(2)
            };
            let expected = changes.iter().filter(|change| is_near(change)).count();
            let mut found = std::cell::RefCell::new(Vec::new());
            marks.any(from, to, |change| {
                found.borrow_mut().push((change.place.x.to_bits(), change.place.z.to_bits()));
                false
            });
            let found = found.get_mut();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), expected, "{count} changes, {from} to {to}");
            if expected > 0 { hits += 1 } else { misses += 1 }
        }
    }
    assert!(hits > 100 && misses > 100, "{hits}, {misses}");
}

#[test]
fn without_changes_nothing_is_marked() {
    let marks = ChangeMarks::of(&[], 1.8);
    assert!(!marks.any(Vec3::ZERO, Vec3::new(100.0, 0.0, 0.0), |_| true));
}

#[test]
fn a_body_led_off_its_way_asks_once_in_the_cooldown() {
    let mut scene = crate::world::fixture::sample();
    let cooldown = scene.world.settings.crowd.replan_cooldown_ticks(scene.world.clock.rate);
    assert!(cooldown > 10);
    let mut asked = Vec::new();
    for tick in (100..100 + 2 * cooldown).step_by(scene.world.clock.rate.ticks_per_step() as usize) {
        scene.world.clock.tick = crate::base::time::TickNumber(tick);
        scene.world.walks[scene.walk].ask = None;
        let World { clock, settings, characters, walks, .. } = &mut scene.world;
        let walker = characters.get_mut(scene.one).expect("it is there");
        ask_when_lost(clock, &settings.crowd, &mut walks[scene.walk], walker);
        if scene.world.walks[scene.walk].ask == Some(Ask::Crowd) {
            asked.push(tick);
        }
    }
    assert_eq!(asked, [100, 100 + cooldown]);
}
