//! Tests that the memory of a level includes the data of watches, counted when characters come in, and no
//! sooner.

use super::told_level::ToldLevel;
use crate::script::state::handlers::{SenseRecord, WatchRecord};
use crate::world::sense::SenseWatch;

/// Characters of the level.
const PEOPLE: usize = 400;

/// Watches of its script.
const WATCHES: usize = 500;

/// Two halls side by side, `there` a region over the right one, all characters in the left one.
fn halls(memory_mib: u32, script: &str) -> ToldLevel {
    halls_of_people(memory_mib, script, "")
}

/// The same with other limits, empty or with a comma behind them.
fn halls_of_people(memory_mib: u32, script: &str, limits: &str) -> ToldLevel {
    let place = |at: usize| (2 * (at % 40) + 4, 2 * (at / 40) + 4);
    let people: Vec<String> = (0..PEOPLE)
        .map(|at| {
            let (x, z) = place(at);
            format!(r#"{{ "name": "p{at}", "position": [{x}, {z}], "tags": ["all"] }}"#)
        })
        .collect();
    let level = format!(
        r#"{{ "script": "level.lua", "limits": {{ {limits} "memoryMiB": {memory_mib}, "fuelPerCall": 10000000,
                "fuelPerTick": 1000000000, "watchdogMs": 60000, "watchesPerOwner": 4096 }},
            "navigation": {{ "areas": [
                {{ "name": "left", "polygon": [[0, 0], [100, 0], [100, 100], [0, 100]] }},
                {{ "name": "right", "polygon": [[100, 0], [200, 0], [200, 100], [100, 100]] }} ] }},
            "regions": [ {{ "name": "there", "polygon": [[100, 0], [200, 0], [200, 100], [100, 100]] }},
                {{ "name": "here", "polygon": [[0, 0], [100, 0], [100, 100], [0, 100]] }} ],
            "characters": [ {} ] }}"#,
        people.join(", ")
    );
    let script = format!(
        "local watches, people = {{}}, world.characters
        local function watch(name, options)
            for i = 1, {WATCHES} do watches[i] = region.on(name, options) end
        end
        local function go()
            for _, one in world.characters() do
                one:teleport(vector.create(one.position.x + 100, 0, one.position.z))
            end
        end
        {script}"
    );
    ToldLevel::of(&level, &[("level.lua", &script)])
}

/// Characters inside of all watches.
fn insiders(run: &ToldLevel) -> usize {
    run.game.world.triggers.watches.values().map(|watch| watch.inside.len()).sum()
}

/// How characters come to be inside of watches without a call that asks for memory.
const WAYS_IN: [(&str, &str); 5] = [
    ("those who walk in", "function onStart() watch('there') timer.after(0.1, go) end"),
    ("those who are there", "function onStart() watch('here', { initial = true }) end"),
    ("those who are there, in silence", "function onStart() watch('here') end"),
    (
        "those who pass a filter",
        "function onStart() watch('there', { filter = function() return true end }) timer.after(0.1, go) end",
    ),
    (
        "a watch that is switched on",
        "function onStart()
            watch('here')
            for _, one in watches do one:disable() end
            timer.after(0.1, function() for _, one in watches do one:enable() end end)
        end",
    ),
];

#[test]
fn fault_b6_characters_that_come_into_watches_are_in_the_memory_of_the_level() {
    for (way, script) in WAYS_IN {
        let mut run = halls(4, script);
        run.ticks(12);
        let told = run.take_told();
        assert!(
            told.iter().any(|line| line.contains("the memory of the level is spent")),
            "{way}: {} inside, told {told:?}",
            insiders(&run)
        );
        assert!(run.game.is_memory_exhausted(), "{way}");
    }
}

#[test]
fn fault_b6_a_host_that_goes_on_with_spent_memory_has_the_watches_end() {
    for (way, script) in WAYS_IN {
        let mut run = halls(4, script);
        let mut most = 0;
        for _ in 0..24 {
            run.ticks(1);
            most = most.max(insiders(&run));
        }
        // No more than fit in at the smallest, and those of one tick.
        assert!(most <= (4 << 20) / 24 + 65_536 + PEOPLE, "{way}: {most}");
        assert_eq!(run.game.switched_off().len(), 1, "{way}: the level script is off");
        assert_eq!(insiders(&run), 0, "{way}");
    }
}

#[test]
fn with_room_for_them_no_fault_tells_of_characters_inside() {
    for (way, script) in WAYS_IN {
        let mut run = halls(64, script);
        run.ticks(24);
        assert_eq!(run.take_told(), [""; 0], "{way}");
        assert_eq!(insiders(&run), PEOPLE * WATCHES, "{way}");
    }
}

/// What may come in some day takes no memory today.
#[test]
fn watches_that_hold_nobody_take_little() {
    let scripts = [
        "function onStart() watch('here') for _, one in watches do one:disable() end end",
        "function onStart() watch('there', { initial = true }) end",
        "function onStart() watch('there') timer.after(0.1, function()
            for i = 1, 400 do world.spawn({ name = 'n' .. i, at = vector.create(50, 0, 50) }) end
        end) end",
    ];
    for script in scripts {
        // A look at everybody would take as much as five such levels have.
        let mut run = halls(4, script);
        run.ticks(12);
        assert_eq!(run.take_told(), [""; 0], "{script}");
    }
}

/// Characters that have gone out leave room for others.
#[test]
fn characters_that_go_out_leave_the_memory_to_others() {
    let script = "
        local function back()
            for _, one in world.characters() do
                one:teleport(vector.create(one.position.x % 100, 0, one.position.z))
            end
        end
        function onStart()
            for i = 1, 50 do region.on('there') region.on('here') end
            for turn = 0, 4 do timer.after(0.1 + turn, go) timer.after(0.6 + turn, back) end
        end";
    let mut run = halls(4, script);
    run.ticks(330);
    assert_eq!(run.take_told(), [""; 0]);
    assert_eq!(insiders(&run), PEOPLE * 50);
}

/// Scripts that make watches and nothing else that the host keeps for them.
const MAKERS: [&str; 4] = [
    "function onStart() watch('here') watch('there', { initial = true }) end",
    "function onTick() if level.tick < 8 then watch('here', { filter = { 'all', 'b' } }) end end",
    "function onStart() for i = 1, 400 do sense.watch(people()[i], { tag = 'all' }, { range = 50 }) end end",
    "function onTick()
        if level.tick < 200 then sense.watch(people()[1], people()[level.tick], { range = 200, degrees = 360 }) end
        if level.tick % 7 == 0 then watches[1] = region.on('here') watches[1]:disable() end
    end",
];

#[test]
fn the_account_of_watches_is_what_they_keep_after_every_tick() {
    let host_bytes = |run: &ToldLevel| run.game.scripts.as_ref().expect("it has scripts").host_bytes();
    let without = host_bytes(&halls(64, ""));
    for script in MAKERS {
        let mut run = halls(64, script);
        for tick in 0..60 {
            let kept = kept_by_hand(&run);
            assert!(tick == 0 || kept > 0, "{script}");
            assert_eq!(host_bytes(&run) - without, kept, "tick {tick}: {script}");
            run.ticks(1);
            assert_eq!(run.take_told(), [""; 0], "{script}");
        }
    }
}

/// What all watches keep, counted one by one.
fn kept_by_hand(run: &ToldLevel) -> usize {
    let world = &run.game.world;
    let regions = world.triggers.watches.values();
    let regions = regions.map(|watch| watch.kept_bytes() + size_of::<WatchRecord>());
    let senses = world.senses.watches.values();
    let senses = senses.map(|watch| watch.kept_bytes() + size_of::<SenseRecord>());
    regions.sum::<usize>() + senses.sum::<usize>()
}

#[test]
fn fault_b6_a_host_that_goes_on_has_no_more_sightings_than_fit_in_the_memory() {
    let script = "function onStart()
        for _, one in people() do one:face(vector.create(50, 0, 50)) end
        for i = 1, 400 do sense.watch(people()[i], { tag = 'all' }, { range = 200, degrees = 360 }) end
    end";
    let mut run = halls_of_people(4, script, r#""looksPerTick": 100000,"#);
    let mut most = 0;
    for _ in 0..24 {
        run.ticks(1);
        most = most.max(run.game.world.senses.watches.values().map(|watch| watch.known.len()).sum());
    }
    assert!(most > 1000 && most <= (4 << 20) / SenseWatch::SIGHTING_BYTES, "{most}");
}
