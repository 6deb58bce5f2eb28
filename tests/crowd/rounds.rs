//! Fleeing, patrols, wandering, checkpoints, and walks changed under way.
//!
//! Goal: what the reference says of these verbs and options. Method: little levels with a level script; what
//! it logs is compared, or read back as numbers.

use std::collections::BTreeMap;

use glam::Vec3;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

const LEVEL: &str = r#"{
  "script": "level.lua",
  "seed": 5,
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
    { "name": "doorway", "polygon": [[20,9],[21,9],[21,11],[20,11]] },
    { "name": "vault", "polygon": [[21,0],[30,0],[30,20],[21,20]] },
    { "name": "mud", "polygon": [[8,6],[12,6],[12,14],[8,14]] } ],
    "obstacles": [ { "name": "pillar", "polygon": [[9,2],[11,2],[11,4],[9,4]] } ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": false, "seconds": 0.1 } ],
  "marks": { "post": [3,3], "far": [17,3], "corner": [17,17], "cell": [25,10] },
  "routes": { "rounds": ["post", "far", "corner"], "shut": ["post", "cell", "far"] },
  "characters": [ { "name": "anna", "position": [3,3], "walkSpeed": 4 }, { "name": "ben", "position": [5,10] } ]
}"#;

/// A level with a script, under way.
struct Run {
    game: Game,
    told: Vec<String>,
}

impl Run {
    fn of(body: &str) -> Self {
        Self::on(LEVEL, body)
    }

    fn on(level: &str, body: &str) -> Self {
        let names = "local anna, ben = world.character(\"anna\"), world.character(\"ben\")";
        let script = format!("function onStart() {names}\n{body}\nend");
        let source = MemorySource::new().with("rounds.json", level);
        let level = load("rounds.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let scripts: BTreeMap<String, String> = [("level.lua".to_owned(), script)].into();
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        let setup = Setup { scripts, recorder: Recorder::new(options), ..Setup::default() };
        let mut game = Game::load(level, setup).unwrap();
        let told = told(&game.start_facts().lines);
        Self { game, told }
    }

    fn seconds(&mut self, seconds: u64) -> &mut Self {
        for _ in 0..60 * seconds {
            let recorded = self.game.tick(&[]);
            self.told.extend(told(&recorded.lines));
        }
        self
    }

    fn at(&self, name: &str) -> Vec3 {
        let id = self.game.world().find_character(name).unwrap();
        self.game.world().character(id).unwrap().body.position
    }
}

fn told(lines: &[String]) -> Vec<String> {
    let lines = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let told = lines.filter(|line| line["e"] == "log" || line["e"] == "scriptFault");
    told.map(|line| line["message"].as_str().unwrap().to_owned()).collect()
}

fn check(body: &str, seconds: u64, expected: &[&str]) {
    let mut run = Run::of(body);
    run.seconds(seconds);
    assert_eq!(run.told, expected, "{body}");
}

const TELL: &str = "onSettled = function(r) log.info(\"%s/%s\", r.status, r.reason) end";

#[test]
fn a_patrol_goes_round_and_tells_its_stops() {
    let body = "anna:patrol(\"rounds\", { pause = 0.5, onStop = function(e)
        log.info(\"%d %s %s\", e.index, e.mark.name, e.character.name) end })";
    let mut run = Run::of(body);
    run.seconds(20);
    assert!(run.told.len() >= 5, "{:?}", run.told);
    assert_eq!(run.told[..4], ["1 post anna", "2 far anna", "3 corner anna", "1 post anna"]);
}

/// A stop beside which a character leaves no room counts as reached: its pause is made, and it is told. One
/// on which a character stands is passed over after the patience of the walk, and nothing is told of it.
#[test]
fn a_patrol_tells_a_stop_that_others_leave_no_room_at_and_not_one_that_is_held() {
    for (beside_m, pause_s, is_told) in
        [(0.0, 0.0, false), (0.0, 2.0, false), (0.5, 0.0, true), (0.5, 2.0, true)]
    {
        let body = format!(
            "ben:teleport(vector.create({}, 0, 3))
            anna:patrol({{ \"post\", \"far\" }}, {{ pause = {pause_s}, onStop = function(e)
            log.info(\"%s %.2f\", e.mark.name, vector.magnitude(e.character.position - nav.mark(\"far\").position)) end }})",
            17.0 + beside_m
        );
        let mut run = Run::of(&body);
        run.seconds(40);
        let far: Vec<&String> = run.told.iter().filter(|line| line.starts_with("far")).collect();
        assert_eq!(!far.is_empty(), is_told, "{beside_m} m beside, pause {pause_s} s: {:?}", run.told);
        assert!(run.told.iter().filter(|line| line.starts_with("post")).count() >= 2, "{:?}", run.told);
    }
}

#[test]
fn a_patrol_once_ends_at_its_last_stop_and_begins_where_it_is_told() {
    let body = format!(
        "anna:patrol(\"rounds\", {{ first = 2, loop = false, onStop = function(e) log.info(\"%d\", e.index) end, {TELL} }})"
    );
    check(&body, 12, &["2", "3", "arrived/reached"]);
}

#[test]
fn a_stop_out_of_reach_is_passed_over() {
    let body = "anna:patrol(\"shut\", { onStop = function(e) log.info(\"%d\", e.index) end })";
    let mut run = Run::of(body);
    run.seconds(9);
    assert_eq!(run.told[..3], ["1", "3", "1"]);
}

/// A walk that waits for the only stop of a patrol in reach, on which that stands, waits for its patience.
#[test]
fn a_patrol_whose_last_stop_is_out_of_reach_ends_as_a_walk_there() {
    for goal in ["\"cell\"", "vector.create(40, 0, 12)", "vector.create(10, 0, 3)"] {
        for accept in ["partial", "near", "nearest", "exact"] {
            let run = |order: &str| {
                let mut run = Run::of(&format!(
                    "anna:{order}, accept = \"{accept}\", onSettled = function(r) log.info(\"%s %s %.2f %.2f, %.2f left\", \
                     r.status, r.reason, r.position.x, r.position.z, r.remaining) end }})"
                ));
                run.seconds(20);
                assert_eq!(run.told.len(), 1, "{goal} {accept}: {:?}", run.told);
                run.told.remove(0)
            };
            let (patrol, walk) = (
                format!("patrol({{ \"post\", {goal} }}, {{ loop = false"),
                format!("walkTo({goal}, {{ patience = 3"),
            );
            assert_eq!(run(&patrol), run(&walk), "{goal}, {accept}");
        }
    }
}

#[test]
fn a_patrol_that_tries_its_other_stops_in_vain_keeps_nobody_waiting_for_the_one_it_stands_on() {
    let waits = [
        (format!("ben:walkTo(\"post\", {{ patience = 2, {TELL} }})"), "blocked/occupied"),
        (
            "ben:patrol({ \"post\", \"far\" }, { patience = 2, onStop = function(e) log.info(\"%d\", e.index) end })"
                .to_owned(),
            "2",
        ),
    ];
    for (accept, (wait, expected)) in
        ["nil", "\"near\""].into_iter().flat_map(|accept| waits.clone().map(|wait| (accept, wait)))
    {
        let body = format!(
            "anna:patrol({{ \"post\", \"cell\" }}, {{ doors = \"avoid\", accept = {accept} }})
            timer.after(1, function() {wait} end)"
        );
        let mut run = Run::of(&body);
        run.seconds(30);
        assert_eq!(run.told.first().map(String::as_str), Some(expected), "{accept}: {wait}");
    }
}

/// A patrol of anna: its stops and options, what happens meanwhile, and what it tells within 20 seconds.
const STOPS_THAT_CEASE: &[(&str, &str, &str)] = &[
    // Wherever it is when the character of a stop goes, that stop is passed over.
    ("{ 'post', ben, 'far' }, loop = false", "0.3", "1 3 arrived/reached"),
    ("{ 'post', ben, 'far' }, loop = false", "0.8", "1 3 arrived/reached"),
    ("{ 'post', ben, 'far' }, loop = false, pause = 1", "3.4", "1 2 3 arrived/reached"),
    ("{ 'post', ben, 'far' }, loop = false", "4", "1 2 3 arrived/reached"),
    ("{ 'post', ben }, loop = false", "0.3", "1 cancelled/targetGone"),
    ("{ ben, 'far' }, loop = false", "0.3", "2 arrived/reached"),
    ("{ ben }, loop = false", "0.3", "cancelled/targetGone"),
    ("{ ben, ben }", "0.3", "cancelled/targetGone"),
    // Waiting at a door has an end, and then the others have their turn.
    ("{ 'post', 'cell', 'far' }, loop = false, doors = 'wait', patience = 1", "19", "1 3 arrived/reached"),
    ("{ 'cell', 'far' }, loop = false, doors = 'wait', patience = 1", "19", "2 arrived/reached"),
    ("{ 'post', 'cell' }, loop = false, doors = 'wait', patience = 1", "19", "1 blocked/doorClosed"),
    ("{ 'cell' }, doors = 'wait', patience = 1", "19", "blocked/doorClosed"),
    ("{ 'cell', 'cell' }, doors = 'wait', patience = 1", "19", "blocked/doorClosed"),
    // The last stop of one that ends is walked to as by `walkTo`, whichever came before.
    ("{ 'cell' }, loop = false", "19", "partial/nearest"),
    ("{ 'post', 'cell' }, loop = false", "19", "1 partial/nearest"),
    ("{ 'post', 'cell' }, loop = false, first = 2", "19", "partial/nearest"),
    ("{ 'cell', 'cell' }, loop = false", "19", "partial/nearest"),
    ("{ 'cell', 'cell' }", "19", "blocked/noPath"),
];

#[test]
fn a_stop_that_cannot_be_reached_any_more_is_passed_over_wherever_the_patrol_is() {
    for (patrol, after_s, expected) in STOPS_THAT_CEASE {
        let (stops, options) = patrol.split_once("}").unwrap();
        let options = options.trim_start_matches(", ");
        let mut run = Run::of(&format!(
            "timer.after({after_s}, function() ben:despawn() end)
            anna:patrol({stops}}}, {{ gait = \"run\", onStop = function(e) log.info(\"%d\", e.index) end, {TELL}, {options} }})"
        ));
        run.seconds(18);
        assert_eq!(run.told.join(" "), *expected, "{patrol}, ben goes after {after_s}");
    }
}

/// The tick in which a walk of anna that is given up ends; it is told to rest for ten seconds before that
/// tick, if one is given, half a second before.
fn given_up(walk: &str, plain: Option<u64>) -> u64 {
    let rest = plain.map_or(String::new(), |ends| {
        let begins_s = ends as f64 / 60.0 - 0.5;
        format!("timer.after({begins_s}, function() walk:pause() end) timer.after({begins_s} + 10, function() walk:resume() end)")
    });
    let tell = "onSettled = function(r) log.info(\"%d\", level.tick) end";
    let mut run = Run::of(&format!("local walk {} {rest}", walk.replace("TELL", tell)));
    run.seconds(40);
    assert_eq!(run.told.len(), 1, "{walk}: {:?}", run.told);
    run.told[0].parse().unwrap()
}

/// Law: whatever a walk waits for in vain, a rest that a script orders takes nothing from its patience.
#[test]
fn patience_does_not_count_while_a_walk_is_paused_whatever_it_waits_for() {
    let walks = [
        "ben:teleport(\"cell\") walk = anna:follow(ben, { patience = 2, TELL })",
        "ben:teleport(\"far\") walk = anna:follow(ben, { speed = 0.02, loseBeyond = 5, loseAfter = 2, TELL })",
        "walk = anna:walkTo(\"cell\", { doors = \"wait\", patience = 2, TELL })",
        "walk = anna:patrol({ \"cell\" }, { doors = \"wait\", patience = 2, TELL })",
    ];
    for walk in walks {
        let plain = given_up(walk, None);
        let paused = given_up(walk, Some(plain));
        // Half a second before its end for ten seconds, and then for the two that it has.
        assert!(paused + 10 > plain - 30 + 600 + 120, "{walk}: {plain}, paused {paused}");
    }
}

#[test]
fn a_patrol_with_one_stop_in_reach_tries_the_others_once_a_second_until_a_door_opens() {
    let body = "anna:patrol({ \"post\", \"cell\" }, { doors = \"avoid\", patience = 0.5,
        onStop = function(e) log.info(\"%d\", e.index) end, onSettled = function(r) log.info(r.reason) end })
        timer.after(10, function() world.setDoor(\"gate\", true) end)";
    let mut run = Run::of(body);
    run.seconds(9);
    assert!((8..=11).contains(&run.told.len()), "{:?}", run.told);
    assert!(run.told.iter().all(|index| index == "1"), "{:?}", run.told);
    let requests = run.game.world().path_counts().requests;
    assert!(requests < 40, "{requests} requests in nine seconds");
    run.seconds(12);
    assert!(run.told.iter().any(|index| index == "2"), "{:?}", run.told);
}

#[test]
fn pauses_of_a_patrol_do_not_count_for_its_patience() {
    let body = format!(
        "anna:patrol({{ \"post\", vector.create(4, 0, 3) }}, {{ pause = {{ 2, 3 }}, patience = 0.5, {TELL} }})"
    );
    check(&body, 20, &[]);
}

#[test]
fn a_patrol_counts_its_first_stop_from_one_and_within_the_route() {
    let body = "log.info(\"%s\", select(2, pcall(function() anna:patrol(\"rounds\", { first = 4 }) end)))
        log.info(\"%s\", select(2, pcall(function() anna:patrol({}) end)))
        log.info(\"%s\", select(2, pcall(function() anna:patrol(\"round\") end)))
        log.info(\"%s\", select(2, pcall(function() anna:patrol(\"rounds\", { pause = { 3, 1 } }) end)))";
    check(
        body,
        1,
        &[
            "level.lua:2: patrol: first is 4, expected 1 to 3",
            "level.lua:3: patrol: route is empty, expected at least one place",
            "level.lua:4: patrol: unknown route \"round\"; did you mean \"rounds\"?",
            "level.lua:5: patrol: pause is { 3, 1 }, expected least not above most",
        ],
    );
}

#[test]
fn fleeing_ends_far_enough_away_and_goes_on_while_the_threat_comes_after() {
    let mut run = Run::of(&format!("anna:flee(ben, {{ distance = 9, {TELL} }})"));
    run.seconds(4);
    assert_eq!(run.told, ["arrived/reached"]);
    assert!(run.at("anna").distance(run.at("ben")) >= 9.0);
    let mut chased =
        Run::of(&format!("ben:follow(anna, {{ speed = 2 }}) anna:flee(ben, {{ distance = 9, {TELL} }})"));
    chased.seconds(10);
    assert_eq!(chased.told, ["arrived/reached"], "anna is faster");
}

#[test]
fn fleeing_ends_in_front_of_a_gateway_that_others_alone_may_pass() {
    let shut = "\"open\": false, \"seconds\": 0.1";
    let open = "\"open\": true";
    let gates = [
        (open.to_owned(), "", "arrived/reached"),
        (shut.to_owned(), "", "partial/nearest"),
        (format!("{open}, \"teams\": [\"red\"]"), "", "partial/nearest"),
        (format!("{open}, \"oneWay\": [1, 0]"), "", "partial/nearest"),
        (format!("{open}, \"oneWay\": [-1, 0]"), "", "arrived/reached"),
        (open.to_owned(), "avoid = { \"doorway\" }, ", "partial/nearest"),
        (open.to_owned(), "avoid = { \"doorway\" }, accept = \"nearest\", ", "arrived/nearest"),
    ];
    for (kind, (gate, options, expected)) in
        ["grid", "mesh"].into_iter().flat_map(|kind| gates.iter().map(move |gate| (kind, gate)))
    {
        let level = LEVEL
            .replace(shut, gate)
            .replace("\"navigation\": {", &format!("\"navigation\": {{ \"kind\": \"{kind}\","));
        let body = format!(
            "anna:teleport(vector.create(22, 0, 10)) anna:flee(vector.create(29, 0, 10), {{ distance = 14, {options}{TELL} }})"
        );
        let mut run = Run::on(&level, &body);
        run.seconds(20);
        assert_eq!(run.told, [*expected], "{kind}: {gate} {options}");
    }
}

#[test]
fn who_is_far_enough_from_a_threat_flees_nowhere() {
    let place = |threat: &str| {
        let mut run = Run::of(&format!("anna:flee({threat}, {{ distance = 5, {TELL} }})"));
        let before = run.at("anna");
        run.seconds(2);
        assert_eq!(run.told, ["arrived/alreadyThere"], "{threat}");
        run.at("anna").distance(before)
    };
    assert_eq!(["ben", "\"far\"", "vector.create(3, 0, 8.1)"].map(place), [0.0; 3]);
}

#[test]
fn who_stands_on_ground_that_was_taken_away_flees_from_there() {
    let body = format!(
        "nav.block(vector.create(3, 0, 3), 1) timer.after(0.1, function() anna:flee(10, 10, {{ distance = 60, {TELL} }}) end)"
    );
    let mut run = Run::of(&body);
    run.seconds(10);
    assert_eq!(run.told, ["partial/nearest"]);
    assert!(run.at("anna").distance(Vec3::new(3.0, 0.0, 3.0)) > 1.5, "{}", run.at("anna"));
}

#[test]
fn fault_g33_on_free_ground_a_walk_is_never_held_up_however_slow_and_impatient() {
    let speeds = [0.01_f32, 0.03, 0.05, 0.2, 1.0, 4.0, 50.0];
    let patiences = ["patience = 0, ", "patience = 0.1, ", "patience = 1, ", ""];
    for (speed, patience) in speeds.iter().flat_map(|&speed| patiences.map(|patience| (speed, patience))) {
        let metres = (speed * 12.0).clamp(0.12, 5.0);
        let tell = "onBlocked = function() log.info(\"held up\") end";
        // Backwards, so that it turns round first.
        let mut run = Run::of(&format!(
            "anna:face(math.pi) anna:walkTo(vector.create(3, 0, 5 + {metres}), {{ speed = 5, onSettled = function()
                anna:walkTo(vector.create(3, 0, 5), {{ speed = {speed}, {patience}{tell}, {TELL} }}) end }})"
        ));
        run.seconds(25);
        assert_eq!(run.told, ["arrived/reached"], "{speed} m/s {patience}");
    }
}

#[test]
fn a_follower_comes_as_near_as_its_distance_or_its_radius_says() {
    for (options, near_m) in [
        ("", 1.35),
        ("radius = 0.9, ", 0.9),
        ("distance = 2.5, ", 2.5),
        ("radius = 0.9, distance = 2.5, ", 2.5),
    ] {
        let mut run = Run::of(&format!("ben:follow(anna, {{ {options}{TELL} }})"));
        run.seconds(15);
        assert_eq!(run.told, ["arrived/reached"], "{options}");
        let between_m = run.at("ben").distance(run.at("anna"));
        assert!((near_m - 0.1..=near_m).contains(&between_m), "{options}: {between_m}");
    }
}

#[test]
fn who_is_cornered_stands_as_far_as_it_gets() {
    let mut run = Run::of(&format!("anna:flee(10, 10, {{ distance = 60, {TELL} }})"));
    run.seconds(10);
    assert_eq!(run.told, ["partial/nearest"]);
    let at = run.at("anna");
    assert!(at.x < 1.5 && at.z < 1.5, "in the corner: {at}");
}

#[test]
fn wandering_stays_where_it_is_told_and_never_arrives() {
    let mut run =
        Run::of(&format!("anna:wander({{ around = \"post\", within = 2, pause = {{ 0, 0.2 }}, {TELL} }})"));
    let mut places = Vec::new();
    for _ in 0..30 {
        run.seconds(1);
        let at = run.at("anna");
        assert!(at.distance(Vec3::new(3.0, 0.0, 3.0)) <= 2.0 + 1e-3, "{at}");
        places.push(at);
    }
    places.dedup();
    assert!(places.len() > 10, "it moves about");
    assert!(run.told.is_empty(), "{:?}", run.told);
}

#[test]
fn wandering_repeats_with_the_seed_and_differs_between_characters() {
    let body = "anna:wander({}) ben:wander({})";
    let (mut one, mut other) = (Run::of(body), Run::of(body));
    one.seconds(5);
    other.seconds(5);
    assert_eq!(one.at("anna"), other.at("anna"));
    assert_eq!(one.game.fingerprint(), other.game.fingerprint());
    let walks = one.game.world().characters().filter_map(|(_, own)| one.game.world().walk(own.walk?));
    let aims: Vec<Vec3> = walks.map(|walk| walk.aim).collect();
    assert_ne!(aims[0], aims[1]);
}

#[test]
fn a_walk_by_way_of_places_passes_them_in_order() {
    let mut run = Run::of(&format!(
        "anna:walkTo(\"far\", {{ via = {{ vector.create(3, 0, 15), \"corner\" }}, {TELL},
            onWaypoint = function(e) log.info(\"%d (%.0f, %.0f)\", e.index, e.position.x, e.position.z) end,
            onNear = function(e) log.info(\"near %s\", tostring(e.remaining <= 1.35)) end }})
         log.info(\"%d\", anna.currentWalk.goal.x)"
    ));
    run.seconds(14);
    let told: Vec<&str> = run.told.iter().map(String::as_str).collect();
    assert_eq!(told.first(), Some(&"17"), "the goal is the goal");
    assert_eq!(told[told.len() - 2..], ["near true", "arrived/reached"]);
    let first = told.iter().position(|line| line.ends_with("(3, 15)")).unwrap();
    let second = told.iter().position(|line| line.ends_with("(17, 17)")).unwrap();
    assert!(first < second, "{told:?}");
}

#[test]
fn a_walk_is_given_another_goal_without_an_end() {
    check(
        &format!(
            "local walk = anna:walkTo(\"far\", {{ {TELL} }})
             timer.after(0.5, function() log.info(\"%s\", tostring(walk:retarget(\"corner\"))) end)
             timer.after(9, function() log.info(\"%.1f %s\", anna:distanceTo(\"corner\"), tostring(walk:retarget(\"post\"))) end)"
        ),
        10,
        &["true", "arrived/reached", "0.0 false"],
    );
}

#[test]
fn no_walk_is_given_its_own_walker_as_a_goal() {
    for verb in ["walkTo(\"far\")", "follow(ben)", "follow(ben, { keep = true })", "patrol(\"rounds\")"] {
        let body = format!(
            "local walk = anna:{verb}
            local _, why = pcall(function() walk:retarget(anna) end)
            log.info(\"%s\", string.match(why, \"retarget: .*\")) log.info(\"%s\", walk.state)"
        );
        check(&body, 0, &["retarget: goal is the walker itself, expected another place", "planning"]);
    }
}

#[test]
fn a_paused_walk_stands_without_losing_patience_and_goes_on() {
    check(
        &format!(
            "local walk = anna:walkTo(\"far\", {{ patience = 0.3, {TELL} }})
             timer.after(0.5, function() walk:pause() end)
             timer.after(0.6, function() state.x = anna.position.x end)
             timer.after(4, function()
                log.info(\"%s %s %s\", walk.state, tostring(anna.position.x == state.x), tostring(anna:isMoving()))
                log.info(\"%s %s\", tostring(walk:resume()), tostring(walk:resume()))
             end)"
        ),
        9,
        &["paused true false", "true false", "arrived/reached"],
    );
}

#[test]
fn the_speed_of_a_walk_can_change_and_the_time_left_follows() {
    check(
        "local walk = anna:walkTo(3, 18)
         timer.after(0.5, function()
            local before = walk:eta()
            walk:setSpeed(8)
            log.info(\"%.2f\", before / walk:eta())
            log.info(\"%s\", select(2, pcall(function() walk:setSpeed(99) end)))
         end)
         timer.after(9, function() log.info(\"%s\", tostring(walk:eta())) end)",
        10,
        &["2.00", "level.lua:7: setSpeed: speed is 99, expected 0.01 to 50", "nil"],
    );
}

#[test]
fn who_is_held_up_is_asked_once_and_does_as_told() {
    let body = |answer: &str| {
        format!(
            "anna:walkTo(\"cell\", {{ doors = \"wait\", patience = 3, {TELL}, onBlocked = function(e)
                log.info(\"%s by %s after %.1f\", e.reason, e.by.name, e.seconds) {answer} end }})"
        )
    };
    let asked = "doorClosed by gate after 0.5";
    check(&body(""), 12, &[asked, "blocked/doorClosed"]);
    check(&body("return \"wait\""), 12, &[asked, "blocked/doorClosed"]);
    let mut run = Run::of(&body("return \"giveUp\""));
    run.seconds(7);
    assert_eq!(run.told, [asked, "blocked/doorClosed"], "before its patience is over");
    let mut run = Run::of(&body("return \"maybe\""));
    run.seconds(12);
    assert!(run.told[1].contains("answered \"maybe\", expected"), "{:?}", run.told);
    assert_eq!(run.told[2], "blocked/doorClosed");
}

/// Whether a walk ends whose door is closed again as it opens, or has opened, whichever `what` says.
fn check_door_closed_each_time(what: &str, walk: &str) {
    let body = format!(
        "local gate = world.door(\"gate\")
        gate:on(\"{what}\", function() gate:close() end)
        local options = {{ doors = \"open\", {TELL} }} {walk}"
    );
    let mut run = Run::of(&body);
    run.seconds(100);
    let ends = ["blocked/doorClosed", "blocked/stuck"];
    // What it is told depends on whether it was about to walk on just then.
    assert!(run.told.len() == 1 && ends.contains(&run.told[0].as_str()), "{body}: {:?}", run.told);
}

/// Law: no walk goes on without progress for ever, whatever its kind, where its door is closed again as soon
/// as it has opened it, or while it opens it; nor does one to a goal on which a character stands. A patrol
/// that can reach another stop goes on.
#[test]
fn a_door_that_is_closed_again_each_time_ends_every_kind_of_walk() {
    let walks = [
        "anna:walkTo(\"cell\", options)",
        "anna:walkTo(ben, options)",
        "anna:walkTo(\"far\", { via = { \"cell\" }, doors = \"open\", onSettled = options.onSettled })",
        "anna:follow(ben, options)",
        "options.keep = true anna:follow(ben, options)",
        "anna:patrol({ \"cell\" }, options)",
        "anna:patrol({ \"cell\", \"cell\" }, options)",
    ];
    for what in ["opened", "opening"] {
        check_door_closed_each_time(what, walks[0]);
        walks.iter().for_each(|walk| {
            check_door_closed_each_time(what, &format!("ben:teleport(\"cell\") {walk}"));
        });
    }
}
