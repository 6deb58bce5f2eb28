//! Work of every kind has its turn, however little fuel a tick has.

use super::told_level::ToldLevel;
use crate::base::rng::Rng;

/// A function that uses fuel and counts its turns, for every behaviour.
const TURN: &str = "local function turn(self)
    local s = self.state
    s.turns = (s.turns or 0) + 1
    s.gap = math.max(s.gap or 0, level.tick - (s.last or 0))
    s.last = level.tick
    for _ = 1, self.params.cost do end
end ";

/// Behaviours that come to their turns each in its own way: what they are made of, whether they have one turn
/// or go on, and how many ticks they leave between two.
const KINDS: [(&str, TurnCount, u64); 13] = [
    ("update = turn", TurnCount::Many, 1),
    ("run = turn", TurnCount::One, 0),
    ("run = function(self) while true do turn(self) task.ticks(1) end end", TurnCount::Many, 1),
    ("start = function(self) timer.every(1 / 60, function() turn(self) end) end", TurnCount::Many, 1),
    ("start = function(self) task.spawn(turn, self) end", TurnCount::One, 0),
    (
        "start = function(self) timer.every(0.1, function() task.spawn(turn, self) end) end",
        TurnCount::Many,
        6,
    ),
    ("start = function(self) task.restart('one', function() turn(self) end) end", TurnCount::One, 0),
    (
        "run = function(self) while true do task.all({ function() turn(self) end, function() end }) task.ticks(1) end end",
        TurnCount::Many,
        2,
    ),
    (
        "run = function(self) while true do
            task.race({ function() turn(self) end, function() task.ticks(2) end }) task.ticks(1)
        end end",
        TurnCount::Many,
        3,
    ),
    ("run = function(self) task.waitUntil(function() turn(self) return false end) end", TurnCount::Many, 1),
    ("tree = bt.sequence{ bt.condition(function(self) turn(self) return true end) }", TurnCount::Many, 1),
    ("on = { ping = function(self) turn(self) end }", TurnCount::Many, 1),
    ("on = { ping = function(self) task.spawn(turn, self) end }", TurnCount::Many, 1),
];

/// How often a behaviour has its turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnCount {
    One,
    Many,
}

/// Goal: nothing that has to run waits for longer than the fuel of a tick takes to go round. Method:
/// behaviours of mixed kinds whose turns cost several times that fuel together; the longest time between two
/// turns of each is told at the end. A turn may lead over four queues, one after another, and step 3 has half
/// of the fuel of a tick where step 12 is behind as well.
#[test]
fn fault_a24_work_of_every_kind_has_its_turn_however_little_fuel_there_is() {
    let texts = KINDS
        .map(|(does, ..)| format!("{TURN} return {{ params = {{ cost = {{ type = 'number' }} }}, {does} }}"));
    let files: Vec<String> = (0..KINDS.len()).map(|kind| format!("k{kind}.lua")).collect();
    for seed in 0..12 {
        let mut rng = Rng::stream(seed, "fuel");
        let all: Vec<(usize, u64)> = (0..4 + rng.below(20))
            .map(|_| (rng.below(KINDS.len() as u64) as usize, 50 + rng.below(900)))
            .collect();
        let fuel = 1_000 + rng.below(3_000);
        let people = all.iter().enumerate().map(|(at, (kind, cost))| {
            let (x, z) = (1 + at % 8, 1 + at / 8);
            format!(
                r#"{{ "name": "p{at:02}", "position": [{x}, {z}], "behaviour": "k{kind}.lua",
                    "params": {{ "cost": {cost} }} }}"#
            )
        });
        let people: Vec<String> = people.collect();
        let level = format!(
            r#"{{ "script": "level.lua", "limits": {{ "fuelPerTick": {fuel}, "fuelPerCall": 5000 }},
                "navigation": {{ "areas": [ {{ "name": "yard", "polygon": [[0, 0], [9, 0], [9, 9], [0, 9]] }} ] }},
                "characters": [ {} ] }}"#,
            people.join(", ")
        );
        // What all of them take in one round, with what the calls themselves take.
        let round_ticks = (all.iter().map(|(_, cost)| cost + 50).sum::<u64>() + 200).div_ceil(fuel / 2);
        // Step 12 takes one piece a tick at least, of a few that each has under way.
        let wait_max = 4 * (round_ticks + 1 + all.len() as u64);
        let ticks = 5 * wait_max;
        let script = format!(
            "local is_told, is_open = false, false
            function onStart() event.on('ping', function() is_open = false end) end
            function onTick()
                if not is_open then
                    is_open = true
                    event.emit('ping')
                end
                if is_told or level.tick < {ticks} then return end
                is_told = true
                for _, one in world.characters() do
                    local s = (one.behaviour :: any).state
                    log.info('%d %d', s.turns or 0, math.max(s.gap or 0, level.tick - (s.last or 0)))
                end
            end"
        );
        let mut scripts = vec![("level.lua", script.as_str())];
        scripts.extend(files.iter().map(String::as_str).zip(texts.iter().map(String::as_str)));
        let mut run = ToldLevel::of(&level, &scripts);
        run.ticks(ticks + wait_max);
        let told = run.take_told();
        assert_eq!(told.len(), all.len(), "seed {seed}: {told:?}");
        for (line, (kind, _)) in told.iter().zip(&all) {
            let numbers: Vec<u64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            let (does, turns, every) = KINDS[*kind];
            let cause = format!("seed {seed}, {round_ticks} ticks a round, {does}: {line}");
            assert!(numbers[0] > 0, "{cause}");
            let wait = if turns == TurnCount::One { 0 } else { numbers[1] };
            assert!(wait <= wait_max + every, "{cause}");
        }
    }
}
