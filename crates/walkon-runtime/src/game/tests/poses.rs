//! Poses between two ticks: a character that stands is drawn where it stands, and ticks are met to the bit.

use proptest::prelude::*;

use crate::base::ids::CharacterId;
use crate::game::host::Pose;

fn poses() -> impl Strategy<Value = Pose> {
    let place = prop::array::uniform3(-1000.0_f32..1000.0);
    (place, -3.1_f32..3.1, 0.0_f32..5.0).prop_map(|(position, facing_rad, speed_mps)| Pose {
        character: CharacterId::default(),
        position,
        facing_rad,
        speed_mps,
    })
}

proptest! {
    #[test]
    fn whoever_stands_is_drawn_where_it_stands(pose in poses(), part in 0.0_f32..=1.0) {
        prop_assert_eq!(pose.towards(&pose, part), pose);
    }

    #[test]
    fn a_tick_is_drawn_as_it_was(pose in poses(), next in poses()) {
        prop_assert_eq!(pose.towards(&next, 0.0), pose);
        prop_assert_eq!(pose.towards(&next, 1.0), next);
    }
}
