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
    assert_eq!(search.step_graph(&Ring(20), &by, u32::MAX), SearchStep::Found);
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
    assert_eq!(sliced.step_graph(&Ring(50), &by, 0), SearchStep::Running);
    // Bounded by the expansions of the whole search.
    while sliced.step_graph(&Ring(50), &by, 1) == SearchStep::Running {}
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
    assert_eq!(search.step_graph(&Ring(20), &by, u32::MAX), SearchStep::Exhausted);
    search.nodes(&mut nodes);
    assert_eq!((search.cost(), nodes.len()), (Cost::BLOCKED, 0));
    search.begin_graph(&Ring(20), &by, ends(7, 7));
    assert_eq!((search.state(), search.cost()), (SearchStep::Found, Cost::ZERO));
    search.nodes(&mut nodes);
    assert_eq!(nodes, [NodeId(7)]);
    search.begin_graph(&Ring(20), &by, ends(7, 700));
    assert_eq!(search.state(), SearchStep::Exhausted);
}

#[test]
fn a_watched_search_lists_what_it_expanded_and_what_waits() {
    let (mut search, by, mut waiting) = (Search::default(), Traversal::default(), Vec::new());
    search.watch(SearchLog::On);
    search.begin_graph(&Ring(20), &by, ends(0, 10));
    search.step_graph(&Ring(20), &by, 3);
    search.frontier(&mut waiting);
    assert_eq!(search.expanded(), [NodeId(0), NodeId(1), NodeId(2)]);
    assert!(waiting.contains(&NodeId(3)));
}

/// A graph from a list of edges, with or without knowing them from behind.
struct Listed {
    nodes: u32,
    edges: Vec<(u32, u32, u32)>,
    knows_sources: bool,
}

impl Graph for Listed {
    fn node_count(&self) -> u32 {
        self.nodes
    }

    fn for_each_edge(&self, from: NodeId, _by: &Traversal, visit: &mut impl FnMut(NodeId, Cost)) {
        let edges = self.edges.iter().filter(|edge| edge.0 == from.0);
        edges.for_each(|&(_, to, cost)| visit(NodeId(to), Cost(cost)));
    }

    fn for_each_source(&self, to: NodeId, _by: &Traversal, visit: &mut impl FnMut(NodeId)) -> bool {
        let edges = self.edges.iter().filter(|edge| self.knows_sources && edge.1 == to.0);
        edges.for_each(|&(from, _, _)| visit(NodeId(from)));
        self.knows_sources
    }

    fn heuristic(&self, _from: NodeId, _to: NodeId, _by: &Traversal) -> Cost {
        Cost::ZERO
    }
}

/// Costs of the cheapest ways from a node, by going over all edges until nothing changes.
fn bellman(graph: &Listed, start: u32) -> Vec<Option<u32>> {
    let mut cost = vec![None; graph.nodes as usize];
    cost[start as usize] = Some(0);
    for _ in 0..graph.nodes {
        for &(from, to, step) in &graph.edges {
            let offer = cost[from as usize].map(|cost: u32| cost + step);
            let known = cost[to as usize];
            cost[to as usize] = offer.into_iter().chain(known).min();
        }
    }
    cost
}

#[test]
fn seed_n15_searching_from_both_ends_changes_no_cost_also_where_edges_lead_one_way() {
    let mut rng = crate::base::rng::Rng::stream(5, "both ends");
    let (mut whole, mut sliced, by) = (Search::default(), Search::default(), Traversal::default());
    let (mut found, mut none) = (0, 0);
    for _ in 0..400 {
        let nodes = rng.int(2, 30) as u32;
        let mut node = |below: u32| rng.below(u64::from(below)) as u32;
        let edges = (0..node(nodes * 3)).map(|_| (node(nodes), node(nodes), 1 + node(9))).collect();
        let ends = ends(node(nodes), node(nodes));
        let mut graph = Listed { nodes, edges, knows_sources: true };
        let expected = bellman(&graph, ends.start.0)[ends.goal.index()];
        whole.begin_graph(&graph, &by, ends);
        whole.step_graph(&graph, &by, u32::MAX);
        assert_eq!(whole.cost(), expected.map_or(Cost::BLOCKED, Cost));
        sliced.begin_graph(&graph, &by, ends);
        // Bounded by the nodes, once from either end.
        while sliced.step_graph(&graph, &by, 1) == SearchStep::Running {}
        assert_eq!(
            (sliced.state(), sliced.cost(), sliced.spent()),
            (whole.state(), whole.cost(), whole.spent())
        );
        let (mut way, mut nodes) = (Vec::new(), Vec::new());
        sliced.nodes(&mut way);
        graph.knows_sources = false;
        whole.begin_graph(&graph, &by, ends);
        whole.step_graph(&graph, &by, u32::MAX);
        whole.nodes(&mut nodes);
        assert_eq!(
            (sliced.cost(), way),
            (whole.cost(), nodes),
            "the way is that of the search from the start"
        );
        *(if expected.is_some() { &mut found } else { &mut none }) += 1;
    }
    assert!(found > 100 && none > 100, "{found} {none}");
}

/// A field without obstacles but for a wall around some cells, made up as it is asked for.
struct Field {
    side: u32,
    walled: std::ops::Range<u32>,
}

impl Field {
    fn steps(&self, from: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let (x, z) = (from.0 % self.side, from.0 / self.side);
        let is_in = move |x: u32, z: u32| self.walled.contains(&x) && self.walled.contains(&z);
        let beside = [(x.wrapping_sub(1), z), (x + 1, z), (x, z.wrapping_sub(1)), (x, z + 1)];
        let legal = move |&(to_x, to_z): &(u32, u32)| {
            to_x < self.side && to_z < self.side && is_in(to_x, to_z) == is_in(x, z)
        };
        beside.into_iter().filter(legal).map(|(x, z)| NodeId(z * self.side + x))
    }
}

impl Graph for Field {
    fn node_count(&self) -> u32 {
        self.side * self.side
    }

    fn for_each_edge(&self, from: NodeId, _by: &Traversal, visit: &mut impl FnMut(NodeId, Cost)) {
        self.steps(from).for_each(|to| visit(to, Cost(10)));
    }

    fn for_each_source(&self, to: NodeId, _by: &Traversal, visit: &mut impl FnMut(NodeId)) -> bool {
        self.steps(to).for_each(visit);
        true
    }

    fn heuristic(&self, from: NodeId, to: NodeId, _by: &Traversal) -> Cost {
        let (dx, dz) = (
            (from.0 % self.side).abs_diff(to.0 % self.side),
            (from.0 / self.side).abs_diff(to.0 / self.side),
        );
        Cost(10 * (dx + dz))
    }
}

#[test]
fn seed_n14_n15_a_goal_walled_in_in_a_huge_open_field_costs_as_much_as_its_enclosure() {
    let (mut search, by) = (Search::default(), Traversal::default());
    let cell = |x: u32, z: u32| z * 1500 + x;
    for inside in [1_u32, 5, 12] {
        let field = Field { side: 1500, walled: 900..900 + inside };
        for ends in [ends(cell(30, 30), cell(900, 900)), ends(cell(900, 900), cell(30, 30))] {
            search.begin_graph(&field, &by, ends);
            assert_eq!(search.step_graph(&field, &by, u32::MAX), SearchStep::Exhausted);
            assert!(search.spent() <= 2 * inside * inside + 2, "{inside}: {}", search.spent());
        }
    }
    let open = Field { side: 1500, walled: 0..0 };
    search.begin_graph(&open, &by, ends(cell(30, 30), cell(900, 900)));
    assert_eq!(search.step_graph(&open, &by, u32::MAX), SearchStep::Found);
    assert_eq!(search.cost(), Cost(10 * 2 * 870));
}
