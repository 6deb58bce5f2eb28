//! How often walks ask because of others.

use super::*;
use crate::world::World;

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
