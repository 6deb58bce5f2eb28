//! Joined or not, against labels.

use super::*;
use crate::base::rng::Rng;
use crate::nav::cells::Bits;
use crate::nav::{ConnectedComponents, NodeId};

fn ask(sides: &mut BidirectionalFlood, bits: &Bits, ends: Ends) -> bool {
    sides.begin(bits, ends);
    // Bounded by the runs of the map.
    while sides.state() == SearchStep::Running {
        sides.take_turn(bits);
    }
    sides.state() == SearchStep::Found
}

#[test]
fn cells_are_joined_exactly_when_their_labels_are_equal() {
    let mut rng = Rng::stream(3, "sides");
    let mut sides = BidirectionalFlood::default();
    let mut joined = 0;
    for _ in 0..600 {
        let mut bits = Bits::new(rng.int(1, 200) as u32, rng.int(1, 40) as u32);
        let share = rng.float(0.4, 1.0);
        for id in 0..bits.width() * bits.depth() {
            bits.set(id % bits.width(), id / bits.width(), rng.chance(share));
        }
        let labels = ConnectedComponents::of(&bits);
        let cells = u64::from(bits.width() * bits.depth());
        let (start, goal) = (NodeId(rng.below(cells) as u32), NodeId(rng.below(cells) as u32));
        let label = |node: NodeId| labels.label(node.0 % bits.width(), node.0 / bits.width());
        let expected = label(start).is_some() && label(start) == label(goal);
        assert_eq!(ask(&mut sides, &bits, Ends { start, goal }), expected);
        let closed = [0, 1].into_iter().find(|&side| sides.is_closed(side));
        if let (false, Some(side), Some(_)) = (expected, closed, label(start).and(label(goal))) {
            let own = label([start, goal][side]);
            for id in (0..bits.width() * bits.depth()).filter(|id| label(NodeId(*id)).is_some()) {
                let cell = Cell { x: id % bits.width(), z: id / bits.width() };
                assert_eq!(sides.has_met(&bits, cell, side), label(NodeId(id)) == own);
            }
        }
        joined += u32::from(expected);
    }
    assert!((100..500).contains(&joined), "{joined}");
}

#[test]
fn seed_n15_a_small_enclosure_at_either_end_costs_as_much_as_it_is_large() {
    let mut bits = Bits::from_rows(1024, 1024, &vec![!0; 1024 * 16]);
    for at in 500..=510 {
        [(at, 500), (at, 510), (500, at), (510, at)].into_iter().for_each(|(x, z)| bits.set(x, z, false));
    }
    let cell = |x: u32, z: u32| NodeId(z * 1024 + x);
    let mut sides = BidirectionalFlood::default();
    for (start, goal) in [(cell(505, 505), cell(3, 3)), (cell(3, 3), cell(505, 505))] {
        assert!(!ask(&mut sides, &bits, Ends { start, goal }));
        assert!(sides.spent() <= 24, "{}", sides.spent());
    }
}
