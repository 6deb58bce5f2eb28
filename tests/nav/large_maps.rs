//! Ways by sectors and gates: there is one exactly when a flood finds one, and it costs little more than
//! Dijkstra's.
//!
//! Method: random weighted maps of a few sectors each way, gates forced on. Oracles: Dijkstra on a sorted set
//! over a plain table, a map that was never edited, a map without gates.
use std::sync::Arc;

use glam::Vec3;
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::nav::cells::{
    CellArea, CellMap, CellSource, HierarchyUse, MapFrame, Method, fixed_factor,
};
use walkon_runtime::nav::{
    Accept, AreaEdit, Backend, Disc, Layout, NavEdit, NavMap, PathAnswer, PathQuery, PathRequests,
    PathStatus, Search, Stagger, TileGrid, Traversal,
};

use crate::nav::nav_laws::Table;

const AREAS: u16 = 12;
const FACTORS: [f32; 6] = [1.0, 1.2, 1.5, 2.0, 0.8, 1.3];

/// Rooms, rubble and patches of terrain over some sectors, and areas of a few cells to be edited.
fn source(rng: &mut Rng) -> CellSource {
    let (width, depth) = (rng.int(130, 200) as u32, rng.int(130, 200) as u32);
    let (room, door, rubble) =
        (rng.int(11, 50) as u32, rng.int(1, 6) as u32, [0.0, 0.02, 0.1][rng.below(3) as usize]);
    let patch = rng.int(3, 30) as u32;
    let mut source = CellSource {
        frame: MapFrame { cell_size_m: 1.0, width, depth, ..MapFrame::default() },
        ..CellSource::default()
    };
    let boxes: Vec<[u32; 4]> = (0..AREAS)
        .map(|_| {
            let (x, z) = (rng.below(width as u64) as u32, rng.below(depth as u64) as u32);
            [x, x + rng.int(1, 12) as u32, z, z + rng.int(1, 12) as u32]
        })
        .collect();
    let kinds: Vec<usize> = (0..1024).map(|_| rng.below(6) as usize).collect();
    for id in 0..width * depth {
        let (x, z) = (id % width, id / width);
        let wall = x % room == room - 1 && z % room >= door || z % room == room - 1 && x % room >= door;
        source.walkable.push(!wall && !rng.chance(rubble));
        source.factor.push(FACTORS[kinds[(x / patch * 31 + z / patch) as usize % 1024]]);
        let inside = |b: &[u32; 4]| (b[0]..b[1]).contains(&x) && (b[2]..b[3]).contains(&z);
        source.area.push(boxes.iter().position(inside).map_or(0, |at| at as u16 + 1));
    }
    source.areas = (0..AREAS).map(|_| CellArea { available: rng.chance(0.7), factor: 1.0 }).collect();
    source
}

/// What is walkable at what factor, as the source says.
fn table(source: &CellSource) -> Table {
    let MapFrame { width, depth, .. } = source.frame;
    let mut table = Table::blank(width as i32, depth as i32, false);
    for id in 0..source.walkable.len() {
        let area = source.area[id].checked_sub(1).map(|area| source.areas[area as usize]);
        table.free[id] = source.walkable[id] && area.is_none_or(|area| area.available);
        table.factor[id] = fixed_factor(source.factor[id] * area.map_or(1.0, |area| area.factor));
    }
    table
}

fn map(source: &CellSource, hierarchy: HierarchyUse) -> CellMap {
    let mut map = CellMap::from_cells(source).unwrap();
    map.set_hierarchy(hierarchy);
    map.prepare(&Traversal::default());
    map
}

fn query(frame: &MapFrame, start: usize, goal: usize) -> PathQuery {
    let at = |id: usize| frame.on_floor(frame.centre(id as u32 % frame.width, id as u32 / frame.width));
    PathQuery {
        start: at(start),
        goal: at(goal),
        by: Traversal::default(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    }
}

/// The cost in metres of plain ground of every cell from one.
fn costs_m(table: &Table, start: usize) -> Vec<Option<f64>> {
    let unit = walkon_runtime::nav::cells::Unit::default();
    let cost = table.dijkstra(start, table.price(unit));
    cost.into_iter().map(|cost| (cost != u64::MAX).then(|| cost as f64 / f64::from(unit.straight))).collect()
}

#[test]
fn seed_o17_v15_a_way_by_gates_is_found_exactly_when_there_is_one_and_costs_little_more() {
    let (mut ratios, mut search) = (Vec::new(), Search::default());
    for seed in 0..24 {
        let mut rng = Rng::stream(seed, "large maps");
        let source = source(&mut rng);
        let table = table(&source);
        let map = map(&source, HierarchyUse::On);
        assert_eq!(map.method(&Traversal::default()), Method::Gates);
        let frame = *map.frame();
        let nav = NavMap::from(map);
        let Some(start) = table.some_free(&mut rng) else { continue };
        let costs = costs_m(&table, start);
        for _ in 0..12 {
            let goal = table.some_free(&mut rng).unwrap();
            let answer = nav.plan(&query(&frame, start, goal), &mut search);
            let whole = answer.status == PathStatus::Complete;
            assert_eq!(whole, costs[goal].is_some(), "seed {seed}, {start} to {goal}");
            if let Some(best) = costs[goal].filter(|best| *best > 40.0) {
                ratios.push(f64::from(answer.path.cost_m) / best);
            }
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    println!("{} ways, mean {mean:.4}, worst {worst:.4}", ratios.len());
    assert!(
        ratios.len() > 100 && mean < 1.0 && worst < 1.04,
        "{} ways, mean {mean}, worst {worst}",
        ratios.len()
    );
}

fn random_edit(rng: &mut Rng) -> AreaEdit {
    AreaEdit {
        area: AreaId(rng.below(u64::from(AREAS)) as u32),
        available: rng.chance(0.7).then(|| rng.chance(0.5)),
        factor: rng.chance(0.3).then(|| [1.0, 1.5, 0.5][rng.below(3) as usize]),
    }
}

#[test]
fn ways_by_gates_after_edits_are_those_of_a_map_made_anew() {
    let mut search = Search::default();
    let mut compared = 0;
    for seed in 0..12 {
        let mut rng = Rng::stream(seed, "edits of large maps");
        let mut source = source(&mut rng);
        let mut edited = NavMap::from(map(&source, HierarchyUse::On));
        for _ in 0..6 {
            let edits: Vec<AreaEdit> = (0..1 + rng.below(3)).map(|_| random_edit(&mut rng)).collect();
            for edit in &edits {
                let area = &mut source.areas[edit.area.index()];
                area.available = edit.available.unwrap_or(area.available);
                area.factor = edit.factor.unwrap_or(area.factor);
            }
            let edits: Vec<NavEdit> = edits.into_iter().map(NavEdit::Area).collect();
            edited.apply(&edits);
            let again = NavMap::from(map(&source, HierarchyUse::On));
            let table = table(&source);
            let frame = source.frame;
            for _ in 0..4 {
                let Some((start, goal)) = table.some_free(&mut rng).zip(table.some_free(&mut rng)) else {
                    break;
                };
                let query = query(&frame, start, goal);
                let of = |nav: &NavMap, search: &mut Search| {
                    let answer = nav.plan(&query, search);
                    (answer.status, answer.path.points, answer.path.cost_m)
                };
                assert_eq!(
                    of(&edited, &mut search),
                    of(&again, &mut search),
                    "seed {seed}, {start} to {goal}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 200);
}

#[test]
fn slices_of_a_way_by_gates_change_nothing_but_when_it_is_there() {
    for seed in 0..6 {
        let mut rng = Rng::stream(seed, "slices of large maps");
        let source = source(&mut rng);
        let table = table(&source);
        let nav = NavMap::from(map(&source, HierarchyUse::On));
        let Some((start, goal)) = table.some_free(&mut rng).zip(table.some_free(&mut rng)) else { continue };
        let query = query(&source.frame, start, goal);
        let sliced = |budget: u32| -> PathAnswer {
            let mut requests = PathRequests::default();
            let token = requests.push(query.clone());
            let mut out = Vec::new();
            // Bounded by what a flat search of the map could take.
            for _ in 0..200_000 {
                requests.step(&nav, budget, &mut out);
                if let Some((_, answer)) = out.pop().filter(|(found, _)| *found == token) {
                    return answer;
                }
            }
            panic!("no answer at a budget of {budget}");
        };
        let whole = sliced(u32::MAX);
        for budget in [1, 37, 1000] {
            let answer = sliced(budget);
            assert_eq!(
                (&answer.path, answer.expansions),
                (&whole.path, whole.expansions),
                "seed {seed}, {budget}"
            );
        }
    }
}

#[test]
fn where_gates_do_not_apply_the_answer_is_that_of_a_map_without_them() {
    let (mut search, mut differed) = (Search::default(), 0);
    for seed in 0..12 {
        let mut rng = Rng::stream(seed, "other walkers on large maps");
        let source = source(&mut rng);
        let table = table(&source);
        let shut: Vec<(AreaId, f32)> = (0..u32::from(AREAS))
            .filter(|&area| !source.areas[area as usize].available)
            .map(|area| (AreaId(area), 2.0))
            .collect();
        let walkers = [
            Traversal { radius_m: 0.9, ..Traversal::default() },
            Traversal { through: Some(shut.into()), ..Traversal::default() },
            Traversal {
                areas: Some(Arc::new([(AreaId(3), None), (AreaId(5), Some(0.4))])),
                ..Traversal::default()
            },
        ];
        let [by_gates, flat] =
            [HierarchyUse::On, HierarchyUse::Off].map(|hierarchy| NavMap::from(map(&source, hierarchy)));
        for by in walkers {
            let Some((start, goal)) = table.some_free(&mut rng).zip(table.some_free(&mut rng)) else { break };
            let query = PathQuery { by, ..query(&source.frame, start, goal) };
            if by_gates.cells().unwrap().method(&query.by) != Method::Gates {
                let (ours, theirs) = (by_gates.plan(&query, &mut search), flat.plan(&query, &mut search));
                assert_eq!(
                    (ours.status, ours.path.cost_m),
                    (theirs.status, theirs.path.cost_m),
                    "seed {seed} {query:?}"
                );
                differed += 1;
            }
            let around: Vec<Disc> = (0..3)
                .map(|nth| Disc {
                    centre: query.start.lerp(query.goal, 0.3) + Vec3::X * nth as f32,
                    radius_m: 0.3,
                })
                .collect();
            let query = PathQuery { by: Traversal::default(), others: Some(around.into()), ..query };
            let (ours, theirs) = (by_gates.plan(&query, &mut search), flat.plan(&query, &mut search));
            assert_eq!(ours.status, theirs.status, "seed {seed} {query:?}");
        }
    }
    assert!(differed > 20, "{differed}");
}

#[test]
fn gates_are_for_large_weighted_maps_of_squares_and_can_be_switched_off() {
    let by = Traversal::default();
    let mut rng = Rng::stream(1, "methods");
    let mut source = source(&mut rng);
    source.areas.iter_mut().for_each(|area| area.available = true);
    assert_eq!(map(&source, HierarchyUse::Auto).method(&by), Method::Weighted);
    assert_eq!(map(&source, HierarchyUse::On).method(&by), Method::Gates);
    assert_eq!(map(&source, HierarchyUse::Off).method(&by), Method::Weighted);
    let mut switched = map(&source, HierarchyUse::On);
    switched.set_hierarchy(HierarchyUse::Off);
    assert_eq!((switched.method(&by), switched.hierarchy_bytes()), (Method::Weighted, 0));
    source.factor.clear();
    assert_eq!(map(&source, HierarchyUse::On).method(&by), Method::Jump);
    let side = 768;
    source.frame = MapFrame { width: side, depth: side, ..source.frame };
    source.walkable = vec![true; (side * side) as usize];
    source.factor = (0..side * side).map(|id| FACTORS[(id / 40) as usize % 6]).collect();
    (source.area, source.areas) = (Vec::new(), Vec::new());
    assert_eq!(map(&source, HierarchyUse::Auto).method(&by), Method::Gates);
}

/// A perfect maze of so many rooms each way.
fn perfect_maze(rooms: usize, rng: &mut Rng) -> (MapFrame, Vec<bool>) {
    let side = 2 * rooms + 1;
    let mut open = vec![false; side * side];
    let mut trail = vec![(0_usize, 0_usize)];
    open[side + 1] = true;
    while let Some(&(x, z)) = trail.last() {
        let beside = [(x + 1, z), (x.wrapping_sub(1), z), (x, z + 1), (x, z.wrapping_sub(1))];
        let is_new =
            |&(x, z): &(usize, usize)| x < rooms && z < rooms && !open[(2 * z + 1) * side + 2 * x + 1];
        let new: Vec<(usize, usize)> = beside.into_iter().filter(is_new).collect();
        if new.is_empty() {
            trail.pop();
            continue;
        }
        let (to_x, to_z) = new[rng.below(new.len() as u64) as usize];
        open[(z + to_z + 1) * side + x + to_x + 1] = true;
        open[(2 * to_z + 1) * side + 2 * to_x + 1] = true;
        trail.push((to_x, to_z));
    }
    let frame = MapFrame { cell_size_m: 1.0, width: side as u32, depth: side as u32, ..MapFrame::default() };
    (frame, open)
}

#[test]
fn a_line_through_a_maze_is_made_in_slices_that_change_nothing_but_when_it_is_there() {
    let mut rng = Rng::stream(15, "slices of lines");
    let (frame, walkable) = perfect_maze(190, &mut rng);
    let last = (frame.width - 2) as usize;
    let side = frame.width as usize;
    for factor in [Vec::new(), (0..walkable.len()).map(|at| FACTORS[at / 7 % 6]).collect()] {
        let source = CellSource { frame, walkable: walkable.clone(), factor, ..CellSource::default() };
        let map: NavMap = CellMap::from_cells(&source).unwrap().into();
        let query = query(&frame, side + 1, last * side + last);
        let mut search = Search::default();
        let whole = map.plan(&query, &mut search);
        assert_eq!(whole.status, PathStatus::Complete);
        for budget in [300, 2000] {
            let (mut requests, mut answers, mut steps) = (PathRequests::default(), Vec::new(), 0);
            let token = requests.push(query.clone());
            while answers.is_empty() {
                let charged = requests.step(&map, budget, &mut answers);
                assert!(charged <= budget, "{charged} of {budget}");
                steps += 1;
            }
            assert_eq!(answers, [(token, whole.clone())], "budget {budget}");
            assert!(steps >= whole.expansions / budget, "{steps} steps of {budget} for {}", whole.expansions);
        }
        // A limit ends the smoothing where it is: the path leads as far, and is no shorter.
        let line = whole.expansions - search.spent();
        assert!(line > 1000, "{line} expansions for the line");
        let limited = PathQuery { expansions_max: search.spent() + line / 3, ..query.clone() };
        let rough = map.plan(&limited, &mut Search::default());
        assert_eq!((rough.status, rough.trouble), (PathStatus::Complete, None));
        let ends =
            |answer: &PathAnswer| (answer.path.points.first().copied(), answer.path.points.last().copied());
        assert_eq!(ends(&rough), ends(&whole));
        assert!(rough.expansions < whole.expansions, "{} of {}", rough.expansions, whole.expansions);
        assert!(rough.path.cost_m >= whole.path.cost_m && rough.path.points.len() >= whole.path.points.len());
        for pair in rough.path.points.windows(2) {
            assert!(map.sight(pair[0], pair[1], &query.by).0, "from {} to {}", pair[0], pair[1]);
        }
    }
}

/// Goal: pulling a line tight through a maze costs less than a look at each of its tiles, on hexagons too:
/// what lies round many corners is not looked at from each of them. Method: mazes from one end to the other.
#[test]
fn a_line_through_a_maze_of_hexagons_costs_no_more_than_its_tiles() {
    let mut rng = Rng::stream(16, "mazes of hexagons");
    for _ in 0..3 {
        let (plan, open) = perfect_maze(38, &mut rng);
        let side = plan.width;
        let expansions_on = |layout: Layout| {
            let grid = TileGrid {
                layout,
                columns: side,
                rows: side,
                tile_m: [1.0; 2],
                min: [0.0; 2],
                floor_y_m: 0.0,
            };
            let frame = grid.frame().unwrap();
            let id_of = |column: u32, row: u32| {
                let (x, z) = frame.cell_of_tile([column, row]).unwrap();
                (z * frame.width + x) as usize
            };
            let mut walkable = vec![false; frame.cell_count() as usize];
            for (at, _) in (0..).zip(&open).filter(|(_, is_open)| **is_open) {
                walkable[id_of(at % side, at / side)] = true;
            }
            let map: NavMap =
                CellMap::from_cells(&CellSource { frame, walkable, ..CellSource::default() }).unwrap().into();
            let place = |column, row| frame.on_floor(frame.tile_centre([column, row]).unwrap());
            let ends = query(&plan, 0, 0);
            let query = PathQuery { start: place(1, 1), goal: place(side - 2, side - 2), ..ends };
            let answer = map.plan(&query, &mut Search::default());
            assert_eq!(answer.status, PathStatus::Complete);
            for pair in answer.path.points.windows(2) {
                assert!(map.sight(pair[0], pair[1], &query.by).0, "from {} to {}", pair[0], pair[1]);
            }
            answer.expansions
        };
        let most = open.iter().filter(|is_open| **is_open).count() as u32;
        for layout in [Layout::Square8, Layout::HexPointy(Stagger::Odd), Layout::HexFlat(Stagger::Even)] {
            let expansions = expansions_on(layout);
            assert!(expansions <= most, "{expansions} on {layout:?}, {most} tiles");
        }
    }
}

/// Law: the first question costs what later ones cost, whichever characters stand there: a level that has
/// loaded has made what bodies without width and those of the default width need, and so has one whose prices
/// have changed, a step later.
#[test]
fn nothing_is_made_lazily_once_a_level_has_loaded() {
    let grid = r#""navigation": { "areas": [
        { "name": "yard", "polygon": [[0,0],[60,0],[60,40],[0,40]] },
        { "name": "mud", "polygon": [[20,0],[30,0],[30,30],[20,30]], "cost": 3 } ] }"#;
    let plain = grid.replace(", \"cost\": 3", "");
    let hexagons = r#""navigation": { "kind": "tiles", "layout": "hexPointy", "legend": { "~": { "cost": 3 } },
        "layers": [ { "name": "ground", "rows": ["ROWS"] }, { "name": "sky", "rows": ["ROWS"] } ] }"#;
    let rows =
        vec!["..........~~~~~~....................................................."; 40].join("\", \"");
    let graph =
        r#""navigation": { "kind": "graph", "points": [[0,0,0],[4,0,0],[8,0,0]], "links": [[0,1],[1,2]] }"#;
    let mesh = grid.replace("\"areas\"", "\"kind\": \"mesh\", \"areas\"");
    for map in [grid, &plain, &hexagons.replace("ROWS", &rows), graph, &mesh] {
        let text = format!("{{ \"name\": \"first\", \"script\": \"first.lua\", {map} }}");
        let level = load("level.json", &MemorySource::new().with("level.json", text))
            .unwrap_or_else(|refused| panic!("{refused:?}"));
        let script = "function onStart() pcall(nav.setAreaCost, 'yard', 7) end";
        let scripts = [("first.lua".to_owned(), script.to_owned())].into();
        let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
        let is_made = |game: &Game| {
            let nav = game.world().nav();
            let kinds = (0..nav.layer_count() as u8).flat_map(|layer| [(layer, 0.0), (layer, 0.35)]);
            let mut kinds =
                kinds.map(|(layer, radius_m)| Traversal { layer, radius_m, ..Traversal::default() });
            kinds.all(|by| nav.is_prepared(&by))
        };
        assert!(is_made(&game), "{map}");
        game.tick(&[]);
        game.tick(&[]);
        assert!(is_made(&game), "{map}, after a change of prices");
    }
}
