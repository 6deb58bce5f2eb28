//! Maps of several layers under people: who is stopped by what, who meets whom, and stairs.
//!
//! Method: small maps whose ways are known by hand. What is judged is where bodies were after every tick and
//! what the trace tells.

use glam::Vec3;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::nav::{LINKS_MAX, LayerPoint, Traversal};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::blocks;
use walkon_runtime::world::ops::characters::{self, Spawn, teleport, teleport_to};
use walkon_runtime::world::ops::tiles::{self, TileChange};
use walkon_runtime::world::ops::walk_changes::retarget;
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::tiles::TileSpot;
use walkon_runtime::world::walk::WalkPace;

use crate::fixture::{Stage, send};

const GROUND: u8 = 0;
const SKY: u8 = 1;

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// A map of these layers, `~` water, with these links.
fn level(layers: &[(&str, &[&str])], links: &str) -> String {
    let rows = |rows: &[&str]| rows.iter().map(|row| format!("\"{row}\"")).collect::<Vec<_>>().join(",");
    let layers: Vec<String> = layers
        .iter()
        .map(|(name, drawn)| format!("{{ \"name\": \"{name}\", \"rows\": [{}] }}", rows(drawn)))
        .collect();
    format!(
        r#"{{ "navigation": {{ "kind": "tiles", "layers": [{}], "links": [{links}],
        "legend": {{ "~": {{ "terrain": "water" }} }} }} }}"#,
        layers.join(",")
    )
}

fn stage(layers: &[(&str, &[&str])], links: &str) -> Stage {
    Stage::of(&level(layers, links))
}

fn link(from: (&str, [f32; 2]), to: (&str, [f32; 2]), more: &str) -> String {
    let end =
        |(layer, [x, z]): (&str, [f32; 2])| format!("{{ \"layer\": \"{layer}\", \"position\": [{x}, {z}] }}");
    format!("{{ \"from\": {}, \"to\": {}{more} }}", end(from), end(to))
}

fn put(stage: &mut Stage, name: &str, layer: u8, place: Vec3) -> CharacterId {
    let spawn = Spawn { layer, ..Spawn::new(name, place) };
    characters::spawn(stage.game.world_mut(), spawn).unwrap().unwrap()
}

fn place_of(stage: &Stage, who: CharacterId) -> (u8, Vec3) {
    let character = stage.world().character(who).unwrap();
    (character.layer, character.body.position)
}

fn block(stage: &mut Stage, layer: u8, column: u32, row: u32) {
    let change = TileChange { navigable: Some(false), ..TileChange::default() };
    assert!(tiles::set(stage.game.world_mut(), TileSpot { layer, column, row }, change).unwrap());
}

fn replanned(stage: &Stage, name: &str) -> usize {
    stage.facts("replanned").into_iter().filter(|fact| fact["character"] == name).count()
}

const WALLED: &[&str] = &["....#....", "....#....", "....#...."];
const OPEN: &[&str] = &[".........", ".........", "........."];

#[test]
fn a_wall_on_the_ground_stops_walkers_and_no_flyer() {
    let mut stage = stage(&[("ground", WALLED), ("sky", OPEN)], "");
    let walker = put(&mut stage, "walker", GROUND, at(1.5, 0.5));
    let flyer = put(&mut stage, "flyer", SKY, at(1.5, 2.5));
    send(&mut stage, walker, Goal::Point(at(7.5, 0.5)), |_| {});
    send(&mut stage, flyer, Goal::Point(at(7.5, 2.5)), |_| {});
    let mut ends = stage.until_settled(2, 900);
    ends.sort();
    assert_eq!(ends, ["arrived/reached", "partial/nearest"]);
    assert_eq!(place_of(&stage, flyer).0, SKY);
    assert!(place_of(&stage, flyer).1.distance(at(7.5, 2.5)) < 0.06);
    assert!(place_of(&stage, walker).1.x <= 4.0, "{:?}", place_of(&stage, walker));
}

#[test]
fn a_ship_keeps_to_the_water_of_its_layer() {
    let sea: &[&str] = &["~~#####", "#~~~~~#", "#####~~"];
    let land: &[&str] = &[".......", ".......", "......."];
    let mut stage = stage(&[("land", land), ("sea", sea)], "");
    let ship = put(&mut stage, "ship", 1, at(0.5, 0.5));
    send(&mut stage, ship, Goal::Point(at(6.5, 2.5)), |_| {});
    let mut tiles = Vec::new();
    for _ in 0..1200 {
        stage.tick();
        let (layer, place) = place_of(&stage, ship);
        assert_eq!(layer, 1);
        let (column, row) = (place.x as usize, place.z as usize);
        assert_eq!(sea[row].as_bytes()[column], b'~', "at {place}");
        tiles.push((column, row));
    }
    assert_eq!(stage.ends, ["arrived/reached"]);
    tiles.dedup();
    assert!(tiles.len() >= 7, "it sailed: {tiles:?}");
}

#[test]
fn what_changes_in_the_sky_leaves_walks_on_the_ground_alone() {
    let mut stage = stage(&[("ground", OPEN), ("sky", OPEN)], "");
    let walker = put(&mut stage, "walker", GROUND, at(1.5, 1.5));
    let flyer = put(&mut stage, "flyer", SKY, at(1.5, 1.5));
    for who in [walker, flyer] {
        send(&mut stage, who, Goal::Point(at(7.5, 1.5)), |_| {});
    }
    stage.ticks(20);
    block(&mut stage, SKY, 5, 1);
    stage.tick();
    let nav = stage.world().nav();
    assert!(nav.layer(GROUND).unwrap().walkable(5, 1));
    assert!(!nav.layer(SKY).unwrap().walkable(5, 1));
    assert_eq!(stage.until_settled(2, 900), ["arrived/reached", "arrived/reached"]);
    assert_eq!((replanned(&stage, "walker"), replanned(&stage, "flyer")), (0, 1));
}

#[test]
fn a_region_of_a_layer_holds_those_on_it_and_one_of_none_holds_all_above_one_another() {
    let corners = "[[3, 0], [6, 0], [6, 3], [3, 3]]";
    let regions = format!(
        r#""regions": [ {{ "name": "nest", "layer": "sky", "polygon": {corners} }},
        {{ "name": "yard", "polygon": {corners} }}, {{ "name": "well", "layer": "ground", "centre": [4.5, 1.5], "radius": 1 }} ]"#
    );
    let bare = level(&[("ground", OPEN), ("sky", OPEN)], "");
    let mut stage = Stage::of(&bare.replacen('{', &format!("{{ {regions},"), 1));
    let walker = put(&mut stage, "walker", GROUND, at(1.5, 0.5));
    let flyer = put(&mut stage, "flyer", SKY, at(1.5, 2.5));
    let inside = |stage: &Stage, name: &str| {
        let region = stage.world().regions().iter().find(|region| region.name == name).unwrap();
        region.inside.values().copied().collect::<Vec<_>>()
    };
    for who in [walker, flyer] {
        send(&mut stage, who, Goal::Point(at(4.5, 1.5)), |_| {});
    }
    stage.until_settled(2, 900);
    assert_eq!(inside(&stage, "nest"), [flyer]);
    assert_eq!(inside(&stage, "yard"), [walker, flyer]);
    assert_eq!(inside(&stage, "well"), [walker]);
    teleport_to(stage.game.world_mut(), flyer, GROUND, at(3.5, 0.5), None).unwrap();
    stage.tick();
    assert_eq!((inside(&stage, "nest"), inside(&stage, "well")), (vec![], vec![walker]), "it left the layer");
    let left: Vec<_> = stage.facts("regionLeft").iter().map(|fact| fact["region"].to_string()).collect();
    assert_eq!(left, ["\"nest\""]);
}

#[test]
fn a_walk_over_stairs_ends_on_the_other_layer_without_touching_a_wall() {
    let sky: &[&str] = &["#######..", "#######..", "#######.."];
    let stairs = link(("ground", [7.5, 0.5]), ("sky", [7.5, 0.5]), "");
    let mut stage = stage(&[("ground", OPEN), ("sky", sky)], &stairs);
    let anna = put(&mut stage, "anna", GROUND, at(1.5, 1.5));
    send(&mut stage, anna, Goal::Point(at(8.5, 2.5)), |options| options.layer = Some(SKY));
    let (mut changes, mut before) = (Vec::new(), place_of(&stage, anna));
    while stage.ends.is_empty() && stage.world().tick().0 < 1200 {
        stage.tick();
        let now = place_of(&stage, anna);
        assert!(now.1.distance(before.1) < 0.1, "from {before:?} to {now:?}");
        let by = Traversal { layer: now.0, ..Traversal::default() };
        assert!(stage.world().nav().is_walkable(now.1, &by), "{now:?}");
        if now.0 != before.0 {
            changes.push(now);
        }
        before = now;
    }
    assert_eq!(stage.ends, ["arrived/reached"]);
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert!(changes[0].1.distance(at(7.5, 0.5)) < 0.06);
    assert!(before.0 == SKY && before.1.distance(at(8.5, 2.5)) < 0.06, "{before:?}");
}

#[test]
fn a_way_down_and_up_again_leads_past_a_wall_and_ends_where_it_began() {
    let below: &[&str] = &["#########", "#.......#", "#########"];
    let links = [
        link(("ground", [2.5, 1.5]), ("below", [1.5, 1.5]), ""),
        link(("below", [7.5, 1.5]), ("ground", [6.5, 1.5]), ", \"bothWays\": false"),
    ];
    let mut stage = stage(&[("ground", WALLED), ("below", below)], &links.join(","));
    let anna = put(&mut stage, "anna", GROUND, at(0.5, 0.5));
    send(&mut stage, anna, Goal::Point(at(8.5, 0.5)), |_| {});
    let mut layers = vec![GROUND];
    while stage.ends.is_empty() && stage.world().tick().0 < 1800 {
        stage.tick();
        layers.push(place_of(&stage, anna).0);
    }
    layers.dedup();
    assert_eq!(stage.ends, ["arrived/reached"]);
    assert_eq!(layers, [0, 1, 0]);
    stage.ends.clear();
    send(&mut stage, anna, Goal::Point(at(0.5, 0.5)), |_| {});
    assert_eq!(stage.until_settled(1, 1800), ["partial/nearest"], "the second stairs lead up only");
}

#[test]
fn a_link_takes_as_long_as_its_length_at_the_speed_of_whoever_takes_it() {
    for (cost, speed_mps, apart, seconds) in [
        (7.0, 1.4, 0.0, 5.0),
        (7.0, 3.5, 0.0, 2.0),
        (0.0, 1.4, 0.0, 0.0),
        // No link is shorter than its ends are apart.
        (1.0, 2.0, 6.0, 3.0),
    ] {
        let stairs =
            link(("ground", [1.5, 1.5]), ("sky", [1.5 + apart, 1.5]), &format!(", \"cost\": {cost}"));
        let mut stage = stage(&[("ground", OPEN), ("sky", OPEN)], &stairs);
        let anna = put(&mut stage, "anna", GROUND, at(0.5, 1.5));
        send(&mut stage, anna, Goal::Point(at(8.5, 1.5)), |options| {
            options.layer = Some(SKY);
            options.pace = WalkPace::Speed(speed_mps);
            // The stairs take longer than that.
            options.patience_ticks = 30;
        });
        let mut came = None;
        while place_of(&stage, anna).0 == GROUND && stage.world().tick().0 < 1200 {
            stage.tick();
            if came.is_none() && place_of(&stage, anna).1.distance(at(1.5, 1.5)) < 0.05 {
                came = Some(stage.world().tick().0);
            }
        }
        let took = (stage.world().tick().0 - came.unwrap()) as f32 / 60.0;
        assert!((took - seconds).abs() < 0.1, "{took} s for {cost} m at {speed_mps} m/s, {apart} m apart");
        assert_eq!(stage.until_settled(1, 1200), ["arrived/reached"], "{cost} {speed_mps} {apart}");
    }
}

#[test]
fn whoever_is_on_the_stairs_is_in_nobodys_way() {
    let corridor: &[&str] = &["#########", ".........", "#########"];
    let stairs = link(("ground", [4.5, 1.5]), ("sky", [4.5, 1.5]), ", \"cost\": 14");
    let walks = |others: bool| {
        let mut stage = stage(&[("ground", corridor), ("sky", OPEN)], &stairs);
        let walker = put(&mut stage, "walker", GROUND, at(0.5, 1.5));
        send(&mut stage, walker, Goal::Point(at(8.5, 1.5)), |_| {});
        if others {
            let climber = put(&mut stage, "climber", GROUND, at(4.5, 1.5));
            send(&mut stage, climber, Goal::Point(at(4.5, 2.5)), |options| options.layer = Some(SKY));
        }
        let mut track = Vec::new();
        for _ in 0..500 {
            stage.tick();
            track.push(place_of(&stage, walker).1);
        }
        assert_eq!(stage.ends, ["arrived/reached"], "the walker only");
        track
    };
    assert_eq!(walks(true), walks(false));
}

#[test]
fn a_new_plan_on_the_stairs_begins_them_only_where_they_are_not_the_way_any_more() {
    let stairs = [
        link(("ground", [4.5, 1.5]), ("sky", [4.5, 1.5]), ", \"cost\": 7"),
        link(("ground", [8.5, 1.5]), ("sky", [8.5, 1.5]), ", \"cost\": 7"),
    ];
    let climbs = |edit: fn(&mut Stage)| {
        let mut stage = stage(&[("ground", OPEN), ("sky", OPEN)], &stairs.join(","));
        let anna = put(&mut stage, "anna", GROUND, at(3.5, 1.5));
        send(&mut stage, anna, Goal::Point(at(0.5, 1.5)), |options| options.layer = Some(SKY));
        stage.ticks(180); // at the stairs for more than two of their five seconds
        let stairs = place_of(&stage, anna);
        assert!(stairs.0 == GROUND && stairs.1.distance(at(4.5, 1.5)) < 0.06, "{stairs:?}");
        edit(&mut stage);
        let mut ticks = 180;
        while place_of(&stage, anna).0 == GROUND && ticks < 1800 {
            stage.tick();
            ticks += 1;
        }
        (ticks, place_of(&stage, anna).1, replanned(&stage, "anna"))
    };
    let (undisturbed, place, plans) = climbs(|_| {});
    assert!(plans == 0 && (340..360).contains(&undisturbed) && place.distance(at(4.5, 1.5)) < 0.1);
    let (elsewhere, _, plans) = climbs(|stage| block(stage, SKY, 2, 1));
    assert_eq!((elsewhere, plans), (undisturbed, 1), "it planned again, and did not begin again");
    let (other, place, _) = climbs(|stage| block(stage, SKY, 4, 1));
    assert!(other > undisturbed + 300 && place.distance(at(8.5, 1.5)) < 0.1, "{other} {place}");
}

#[test]
fn more_links_than_a_map_may_have_are_refused_where_they_are_written() {
    let one = link(("ground", [0.5, 0.5]), ("sky", [0.5, 0.5]), "");
    for (count, fits) in [(LINKS_MAX, true), (LINKS_MAX + 1, false)] {
        let text = level(&[("ground", OPEN), ("sky", OPEN)], &vec![one.clone(); count].join(","));
        let found = load("stage.json", &MemorySource::new().with("stage.json", text));
        let Err(refused) = found else {
            assert!(fits, "{count}");
            continue;
        };
        let said: Vec<(&str, &str)> =
            refused.diagnostics.iter().map(|one| (one.pointer.as_str(), one.message.as_str())).collect();
        assert_eq!(said, [("/navigation/links", "navigation.links has 257 entries, the limit is 256")]);
        assert!(!fits);
    }
}

/// Where those who walk through one corridor towards one another are at every tick, each on its layer.
fn tracks(who: &[(&str, u8, f32)]) -> Vec<Vec<Vec3>> {
    let corridor: &[&str] = &["#########", ".........", "#########"];
    let mut stage = stage(&[("ground", corridor), ("sky", corridor)], "");
    let mut ids = Vec::new();
    for &(name, layer, x) in who {
        let id = put(&mut stage, name, layer, at(x, 1.5));
        send(&mut stage, id, Goal::Point(at(9.0 - x, 1.5)), |_| {});
        ids.push(id);
    }
    let mut tracks = vec![Vec::new(); who.len()];
    for _ in 0..600 {
        stage.tick();
        for (track, &id) in tracks.iter_mut().zip(&ids) {
            track.push(place_of(&stage, id).1);
        }
    }
    assert!(stage.ends.iter().all(|end| end == "arrived/reached") && stage.ends.len() == who.len());
    tracks
}

#[test]
fn those_on_different_layers_walk_as_if_the_other_were_not_there() {
    let (east, west) = (("east", GROUND, 0.5), ("west", SKY, 8.5));
    let both = tracks(&[east, west]);
    let nearest_m = both[0].iter().zip(&both[1]).map(|(a, b)| a.distance(*b)).fold(f32::MAX, f32::min);
    assert!(nearest_m < 0.2, "they met: {nearest_m}");
    assert_eq!(both, [tracks(&[east]), tracks(&[west])].concat());
}

#[test]
fn a_teleport_to_another_layer_ends_on_ground_of_that_layer() {
    let mut stage = stage(&[("ground", &["....."]), ("sky", &["...##"])], "");
    let anna = put(&mut stage, "anna", GROUND, at(0.5, 0.5));
    let there = teleport_to(stage.game.world_mut(), anna, SKY, at(4.5, 0.5), None).unwrap();
    assert_eq!(place_of(&stage, anna), (SKY, there.unwrap()));
    assert!(there.unwrap().x < 3.0, "the sky ends there: {there:?}");
    let back = teleport_to(stage.game.world_mut(), anna, GROUND, at(4.5, 0.5), None).unwrap();
    assert_eq!(back.map(|back| back.x), Some(4.5));
    let stays = teleport(stage.game.world_mut(), anna, at(3.5, 0.5), None).unwrap();
    assert_eq!(place_of(&stage, anna), (GROUND, stays.unwrap()));
}

#[test]
fn links_that_lead_nowhere_are_refused_where_they_are_written() {
    let drawn: &[(&str, &[&str])] = &[("ground", OPEN), ("sky", OPEN)];
    for (links, pointer, says) in [
        (link(("ground", [0.5, 0.5]), ("skye", [0.5, 0.5]), ""), "/navigation/links/0/to/layer", "skye"),
        (link(("ground", [90.5, 0.5]), ("sky", [0.5, 0.5]), ""), "/navigation/links/0", "beyond layer 0"),
    ] {
        let source = MemorySource::new().with("stage.json", level(drawn, &links));
        let found = load("stage.json", &source).err().unwrap();
        assert!(
            found.diagnostics.iter().any(|one| one.pointer == pointer && one.message.contains(says)),
            "{pointer}: {found:#?}"
        );
    }
}

/// Where one can stand on each layer, at three places of a row.
fn free(stage: &Stage) -> [[bool; 3]; 2] {
    let on = |layer: u8| {
        let by = Traversal { layer, ..Traversal::default() };
        [1.5, 4.5, 7.5].map(|x| stage.world().nav().is_walkable(at(x, 0.5), &by))
    };
    [on(GROUND), on(SKY)]
}

#[test]
fn a_block_lies_on_its_layer_and_on_no_other() {
    let row: &[&str] = &["........."];
    let mut stage = stage(&[("ground", row), ("sky", row)], "");
    let add = |stage: &mut Stage, layer: u8, x: f32| {
        let centre = LayerPoint { layer, point: at(x, 0.5) };
        let serial = blocks::add(stage.game.world_mut(), Owner::HOST, centre, 0.6).unwrap();
        stage.ticks(2);
        serial
    };
    let first = add(&mut stage, SKY, 1.5);
    assert_eq!(free(&stage), [[true; 3], [false, true, true]]);
    let second = add(&mut stage, GROUND, 4.5);
    let third = add(&mut stage, SKY, 7.5);
    assert_eq!(free(&stage), [[true, false, true], [false, true, false]]);
    // A number that is given again may come to another layer.
    for (serial, expected) in
        [(first, [[true, false, true], [true, true, false]]), (second, [[true; 3], [true, true, false]])]
    {
        assert!(blocks::remove(stage.game.world_mut(), serial));
        stage.ticks(2);
        assert_eq!(free(&stage), expected);
    }
    add(&mut stage, GROUND, 1.5);
    add(&mut stage, SKY, 4.5);
    assert_eq!(free(&stage), [[false, true, true], [true, false, false]]);
    assert!(blocks::remove(stage.game.world_mut(), third));
    stage.ticks(2);
    assert_eq!(free(&stage), [[false, true, true], [true, false, true]]);
    // A layer that is not there is refused.
    let nowhere = LayerPoint { layer: 7, point: at(7.5, 0.5) };
    assert!(blocks::add(stage.game.world_mut(), Owner::HOST, nowhere, 0.6).is_err());
}

/// Goal: a walk that is given another goal leads to the floor of that one. Method: two floors at one height,
/// the goal on the other one straight above, and back to a point.
#[test]
fn a_walk_that_is_sent_to_somebody_on_another_floor_goes_to_that_floor() {
    let stairs = link(("ground", [7.5, 0.5]), ("sky", [7.5, 0.5]), "");
    let mut stage = stage(&[("ground", OPEN), ("sky", OPEN)], &stairs);
    let anna = put(&mut stage, "anna", GROUND, at(1.5, 1.5));
    let ben = put(&mut stage, "ben", SKY, at(1.5, 2.5));
    let walk = send(&mut stage, anna, Goal::Point(at(4.5, 1.5)), |_| {});
    stage.ticks(10);
    retarget(stage.game.world_mut(), walk, Goal::Character(ben)).unwrap();
    stage.until_settled(1, 3000);
    assert_eq!(stage.ends, ["arrived/reached"]);
    assert_eq!(place_of(&stage, anna).0, SKY);
    let walk = send(&mut stage, anna, Goal::Character(ben), |_| {});
    stage.ticks(2);
    retarget(stage.game.world_mut(), walk, Goal::Point(at(4.5, 1.5))).unwrap();
    stage.until_settled(stage.ends.len() + 1, 3000);
    assert_eq!(place_of(&stage, anna).0, SKY, "the point is meant on the floor where it is by now");
}
