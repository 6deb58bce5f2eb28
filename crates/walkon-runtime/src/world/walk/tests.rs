//! The reasons for which a walk asks for a path.

use super::*;
use crate::world::fixture::sample;

#[test]
fn a_look_for_a_better_way_gives_way_to_any_other_reason() {
    let all = [Ask::First, Ask::Door, Ask::Map, Ask::Target, Ask::Crowd, Ask::Leg, Ask::Better];
    for (before, why) in all.into_iter().flat_map(|before| all.map(|why| (before, why))) {
        let mut scene = sample();
        let walk = scene.world.walks.get_mut(scene.walk).expect("it is there");
        walk.ask = Some(before);
        walk.ask_for(why);
        let gives_way = before == Ask::Crowd || before == Ask::Better && !why.is_look();
        let expected = if gives_way { why } else { before };
        assert_eq!(walk.ask, Some(expected), "{before:?}, then {why:?}");
    }
}
