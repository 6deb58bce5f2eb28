//! The plain A* on toy graphs.

use super::*;

/// Nodes in a ring, each also joined to the one three further at twice the cost; lower bound zero.
struct Ring(u32);

impl Graph for Ring {
    fn node_count(&self) -> u32 {
        self.0 + 1
    }

    fn for_each_edge(&self, from: NodeId, _by: &Traversal, visit: &mut impl FnMut(NodeId, Cost)) {
        if from.0 < self.0 {
            visit(NodeId((from.0 + 1) % self.0), Cost(10));
            visit(NodeId((from.0 + 3) % self.0), Cost(20));
        }
    }

    fn heuristic(&self, _from: NodeId, _to: NodeId, _by: &Traversal) -> Cost {
        Cost::ZERO
    }
}

fn ends(start: u32, goal: u32) -> Ends {
    Ends { start: NodeId(start), goal: NodeId(goal) }
}

#[test]
fn the_cheapest_way_round_a_ring_is_found() {
    let (mut search, by, mut nodes) = (Search::default(), Traversal::default(), Vec::new());
    search.begin_graph(&Ring(20), &by, ends(4, 12));
    assert_eq!(search.step_graph(&Ring(20), &by, u32::MAX), Step::Found);
    assert_eq!(search.cost(), Cost(60));
    search.nodes(&mut nodes);
    assert_eq!((nodes.len(), nodes[0], nodes[nodes.len() - 1]), (5, NodeId(4), NodeId(12)));
}

#[test]
fn inv_p8_slices_change_neither_the_answer_nor_what_was_spent() {
    let (mut whole, mut sliced, by) = (Search::default(), Search::default(), Traversal::default());
    whole.begin_graph(&Ring(50), &by, ends(0, 49));
    whole.step_graph(&Ring(50), &by, u32::MAX);
    sliced.begin_graph(&Ring(50), &by, ends(0, 49));
    assert_eq!(sliced.step_graph(&Ring(50), &by, 0), Step::Running);
    // Bounded by the expansions of the whole search.
    while sliced.step_graph(&Ring(50), &by, 1) == Step::Running {}
    assert_eq!((whole.spent(), whole.cost()), (sliced.spent(), sliced.cost()));
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    whole.nodes(&mut expected);
    sliced.nodes(&mut found);
    assert_eq!(expected, found);
}

#[test]
fn a_node_without_edges_is_not_reached_and_the_start_is_at_once() {
    let (mut search, by, mut nodes) = (Search::default(), Traversal::default(), Vec::new());
    search.begin_graph(&Ring(20), &by, ends(0, 20));
    assert_eq!(search.step_graph(&Ring(20), &by, u32::MAX), Step::Exhausted);
    search.nodes(&mut nodes);
    assert_eq!((search.cost(), nodes.len()), (Cost::BLOCKED, 0));
    search.begin_graph(&Ring(20), &by, ends(7, 7));
    assert_eq!((search.state(), search.cost()), (Step::Found, Cost::ZERO));
    search.nodes(&mut nodes);
    assert_eq!(nodes, [NodeId(7)]);
    search.begin_graph(&Ring(20), &by, ends(7, 700));
    assert_eq!(search.state(), Step::Exhausted);
}

#[test]
fn a_watched_search_lists_what_it_expanded_and_what_waits() {
    let (mut search, by, mut waiting) = (Search::default(), Traversal::default(), Vec::new());
    search.watch(Watch::On);
    search.begin_graph(&Ring(20), &by, ends(0, 10));
    search.step_graph(&Ring(20), &by, 3);
    search.frontier(&mut waiting);
    assert_eq!(search.expanded(), [NodeId(0), NodeId(1), NodeId(2)]);
    assert!(waiting.contains(&NodeId(3)));
}
