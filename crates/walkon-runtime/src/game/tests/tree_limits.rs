//! Nodes of behaviour trees cost fuel of the tick, and their states lie in the memory of the level.

use super::told_level::ToldLevel;
use crate::base::rng::Rng;
use crate::game::event::Event;

/// A yard with so many characters, all of them with the behaviour `tree.lua`.
fn yard(people: usize, limits: &str, scripts: &[(&str, &str)]) -> ToldLevel {
    let people: Vec<String> = (0..people)
        .map(|at| {
            let (x, z) = (1 + at % 40, 1 + at / 40);
            format!(r#"{{ "name": "p{at}", "position": [{x}, {z}], "behaviour": "tree.lua" }}"#)
        })
        .collect();
    let level = format!(
        r#"{{ "script": "level.lua", "limits": {{ {limits} "watchdogMs": 60000 }},
            "navigation": {{ "areas": [ {{ "name": "yard", "polygon": [[0, 0], [50, 0], [50, 50], [0, 50]] }} ] }},
            "characters": [ {} ] }}"#,
        people.join(", ")
    );
    ToldLevel::of(&level, scripts)
}

#[test]
fn trees_that_the_fuel_of_a_tick_does_not_suffice_for_have_their_turn_in_the_next() {
    const TICKS: u64 = 40;
    let mut deferred = 0;
    for seed in 0..20 {
        let mut rng = Rng::stream(seed, "trees");
        let (people, waits, fuel) = (1 + rng.below(50), 1 + rng.below(300), 200 + rng.below(3000));
        let tree = format!(
            "local waits = {{}}
            for group = 1, {waits} // 60 + 1 do
                waits[group] = {{}}
                for at = 1, math.min(60, {waits} - 60 * (group - 1)) do waits[group][at] = bt.wait(1000) end
                if #waits[group] == 0 then waits[group][1] = bt.wait(1000) end
                waits[group] = bt.parallel(waits[group])
            end
            local function count(self) self.state.turns = (self.state.turns or 0) + 1 return true end
            return {{ tree = bt.sequence{{ bt.condition(count), bt.parallel(waits), reactive = true }} }}"
        );
        let script = format!(
            "function onStart() timer.after({TICKS} / 60, function()
                local turns = {{}}
                for at, one in world.characters() do
                    turns[at] = (one.behaviour :: any).state.turns or 0
                end
                log.info('%s', table.concat(turns, ' '))
            end) end"
        );
        let limits = format!("\"fuelPerTick\": {fuel},");
        let mut run = yard(people as usize, &limits, &[("level.lua", &script), ("tree.lua", &tree)]);
        let mut is_deferred = false;
        let mut told = Vec::new();
        for event in (0..2 * TICKS).flat_map(|_| run.game.tick(&[]).events) {
            match event {
                Event::Notice { what: "scriptDeferred", .. } => is_deferred = true,
                Event::Logged(line) => told.push(line.message),
                Event::Faulted { fault, .. } => panic!("seed {seed}: {}", fault.message),
                _ => {}
            }
        }
        let turns: Vec<u64> = told[0].split(' ').map(|turns| turns.parse().unwrap_or(u64::MAX)).collect();
        // Nothing is passed over twice.
        let (least, most) =
            (turns.iter().min().map_or(0, |least| *least), turns.iter().max().map_or(0, |most| *most));
        assert!(2 * (least + 1) >= most, "seed {seed}: in turn, {turns:?}");
        let price = (waits + 4).saturating_sub(16) / 2;
        let sum: u64 = turns.iter().sum();
        assert!(is_deferred || price * people <= 2 * fuel, "seed {seed}: {people} times {price} of {fuel}");
        assert!(is_deferred || sum >= people * (TICKS - 1), "seed {seed}: {sum}");
        deferred += usize::from(is_deferred);
    }
    assert!((5..20).contains(&deferred), "{deferred} levels had too little fuel");
}

/// As many nodes as a tree of waits may have, about.
const TREE: &str = "local nodes = {}
    for group = 1, 60 do
        nodes[group] = {}
        for at = 1, 60 do nodes[group][at] = bt.wait(1000) end
        nodes[group] = bt.parallel(nodes[group])
    end
    return { tree = bt.parallel(nodes) }";

#[test]
fn fault_b6_the_nodes_of_trees_are_in_the_memory_of_the_level() {
    let script = "";
    for (memory_mib, fits) in [(4, false), (64, true)] {
        let limits = format!("\"memoryMiB\": {memory_mib},");
        let mut run = yard(120, &limits, &[("level.lua", script), ("tree.lua", TREE)]);
        run.ticks(2);
        let told = run.take_told();
        assert_eq!(told.is_empty(), fits, "{memory_mib} MiB: {told:?}");
        assert!(told.iter().all(|line| line.contains("no memory is left")), "{told:?}");
        assert!(told.len() < 119, "the first have room");
    }
}

#[test]
fn nodes_of_trees_that_end_give_their_memory_back() {
    let script = "local names = {}
        function onStart() timer.every(0.1, function()
            for _, one in world.characters() do one:despawn() end
            for at = 1, 12 do
                local at = vector.create(1 + at, 0, 1 + #names % 40)
                local name = `new{#names}`
                table.insert(names, name)
                world.spawn({ name = name, at = at, behaviour = \"tree.lua\" })
            end
        end) end";
    let mut run = yard(12, "\"memoryMiB\": 4,", &[("level.lua", script), ("tree.lua", TREE)]);
    run.ticks(120);
    assert_eq!(run.take_told(), [""; 0]);
}
