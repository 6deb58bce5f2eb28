//! Both forms of a graph, and the messages for bad ones.

use glam::Vec3;

use super::*;
use crate::base::rng::Rng;
use crate::nav::graph::PrecomputedRoutes;
use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::editable_graph::GraphPart;
use crate::nav::graph::{divide, link};

/// Rows of points with links and parts.
fn floor() -> EditableGraph {
    let points = (0..900u16)
        .map(|at| Vec3::new(f32::from(at % 30) * 0.5 - 3.1, 0.25, f32::from(at / 30) * 0.5))
        .collect();
    let mut draft =
        EditableGraph::new(points, &[], vec![GraphPart { name: "the \"hall\"".into(), points: vec![3, 4] }])
            .unwrap();
    link(&mut draft, None, &LinkOptions::default(), &mut |_, _| {}).unwrap();
    divide(&mut draft, 100, &mut |_, _| {}).unwrap();
    draft
}

fn ways(draft: &EditableGraph) -> Vec<Vec<u32>> {
    let routes = PrecomputedRoutes::new(&Adjacency::new(draft), draft.parts(), &mut |_, _| {});
    routes.all_ways()
}

#[test]
fn seed_v23_both_forms_read_back_what_was_written() {
    let draft = floor();
    let text = graph_text(&draft);
    let read = read_graph_text(text.as_bytes()).unwrap();
    assert_eq!(read, draft);
    assert_eq!(graph_text(&read), text);
    let ways = ways(&draft);
    let bytes = compact_bytes("house", text.as_bytes(), &draft, &ways);
    let compact = read_compact("house", &bytes).unwrap();
    assert_eq!((compact.draft, compact.ways), (draft, Some(ways)));
}

#[test]
fn seed_v22_the_compact_form_is_a_third_at_most_of_the_text() {
    let draft = floor();
    let text = graph_text(&draft);
    let bytes = compact_bytes("house", text.as_bytes(), &draft, &[]);
    assert!(bytes.len() * 3 <= text.len(), "{} of {}", bytes.len(), text.len());
}

#[test]
fn the_compact_form_is_smaller_than_the_text_with_any_number_of_parts() {
    let mut kept_count = 0;
    for points in [10, 20, 50, 100, 400] {
        let mut draft = floor();
        draft.set_parts(Vec::new()).unwrap();
        divide(&mut draft, points, &mut |_, _| {}).unwrap();
        let text = graph_text(&draft);
        let ways = ways(&draft);
        let bytes = compact_bytes("house", text.as_bytes(), &draft, &ways);
        assert!(bytes.len() < text.len(), "{} parts: {} of {}", draft.parts().len(), bytes.len(), text.len());
        let kept = read_compact("house", &bytes).unwrap().ways;
        kept_count += u32::from(kept.is_some());
        assert!(kept.is_none_or(|kept| kept == ways), "{} parts", draft.parts().len());
    }
    assert!((1..5).contains(&kept_count), "few ways are kept, many are worked out again: {kept_count}");
}

#[test]
fn ways_that_were_kept_find_what_ways_worked_out_anew_find() {
    let draft = floor();
    let net = Adjacency::new(&draft);
    let fresh = PrecomputedRoutes::new(&net, draft.parts(), &mut |_, _| {});
    assert_eq!(PrecomputedRoutes::restore(&net, draft.parts(), fresh.all_ways()), fresh);
    // Ways that lead nowhere are dropped, never followed.
    let mut wrong = fresh.all_ways();
    wrong[1] = vec![0, 899, 12_345_678];
    let restored = PrecomputedRoutes::restore(&net, draft.parts(), wrong);
    assert!(restored.way(0, 1).is_none());
}

#[test]
fn seed_v21_fault_f39_a_compact_graph_of_another_level_or_a_damaged_one_is_refused() {
    let draft = floor();
    let bytes = compact_bytes("house", b"text", &draft, &ways(&draft));
    assert_eq!(read_compact("barn", &bytes).unwrap_err(), "belongs to another level");
    let mut rng = Rng::stream(1, "damage");
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        let at = rng.below(damaged.len() as u64) as usize;
        damaged[at] ^= 1 << rng.below(8);
        assert!(read_compact("house", &damaged).is_err());
        assert!(read_compact("house", &bytes[..at]).is_err());
    }
    for length in 0..40 {
        // Whatever is in it, with a right sum.
        let mut body = b"WKGR\x02".to_vec();
        body.extend(hash(b"house").to_le_bytes());
        body.extend((0..length).map(|_| rng.bits() as u8));
        let sum = hash(&body);
        body.extend(sum.to_le_bytes());
        let _ = read_compact("house", &body);
    }
}

fn hash(bytes: &[u8]) -> u64 {
    compact::hash_of(bytes)
}

#[test]
fn bad_texts_say_where_and_why() {
    for (text, message) in [
        ("{\n\"walkonGraph\": 1,\n\"points\": [[0,0]],\"links\":[]}", "line 3, column 16: invalid length 2"),
        ("{\"walkonGraph\": 7, \"points\": [], \"links\": []}", "it is of version 7, expected 1"),
        (
            "{\"walkonGraph\": 1, \"points\": [[0,0,0]], \"links\": [[0,1]]}",
            "there is no point 1: the graph has 1",
        ),
        ("{\"walkonGraph\": 1, \"points\": [], \"links\": [], \"x\": 1}", "line 1, column"),
    ] {
        let error = read_graph_text(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}
