//! What watches keep is in the memory of the level: it is counted when characters come in, and no sooner.

use super::told_level::ToldLevel;

/// Characters of the level.
const PEOPLE: usize = 400;

/// Watches of its script.
const WATCHES: usize = 500;

/// Two halls side by side, `there` a region over the right one, all characters in the left one.
fn halls(memory_mib: u32, script: &str) -> ToldLevel {
    let place = |at: usize| (2 * (at % 40) + 4, 2 * (at / 40) + 4);
    let people: Vec<String> = (0..PEOPLE)
        .map(|at| {
            let (x, z) = place(at);
            format!(r#"{{ "name": "p{at}", "position": [{x}, {z}] }}"#)
        })
        .collect();
    let level = format!(
        r#"{{ "script": "level.lua", "limits": {{ "memoryMiB": {memory_mib}, "fuelPerCall": 10000000,
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
