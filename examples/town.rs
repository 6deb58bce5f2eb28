//! Prints a level: a town of houses and streets, and people who stroll in it, each by a script of its own.
//!
//! `cargo run --release --example town > levels/town.json`, with a number of people after `--` if it is not
//! to be ten thousand, and their behaviour behind it if it is not to be `wander.lua`; then `cargo run
//! --release -- run levels/town.json --stats`. The level is as large as its people need, so what each costs
//! can be compared between towns.

#![allow(clippy::print_stdout)]

use std::error::Error;

/// From the middle of a street to that of the next, and how wide it is, metres. A house fills the rest.
const BLOCK_M: usize = 24;
const STREET_M: usize = 8;
/// Blocks of a quarter, along each side. People keep to the quarter they live in.
const QUARTER: usize = 2;
/// People who live in a quarter, one to five square metres of its streets.
const NEIGHBOURS: usize = 256;
/// People whose scripts have room in a mebibyte: a task that waits and its tables take some ten kibibytes.
const PEOPLE_PER_MIB: usize = 64;
/// Safepoints of a tick for each of them: a tree of ten nodes needs fewer than ten. All begin their tasks in the
/// first ticks that let them: so few at once that these take no longer than those in which all are on their
/// way.
const SAFEPOINTS_PER_PERSON: usize = 12;
/// Expansions of a tick for each five of them, for the same reason: then all of their first paths are
/// searched in some two seconds.
const EXPANSIONS_PER_FIVE: usize = 2;
/// From one of them to the next as the level begins, metres.
const APART_M: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(10_000), |word| word.parse())?;
    let behaviour = std::env::args().nth(2).unwrap_or_else(|| "wander.lua".to_owned());
    print!("{}", level(count, &behaviour));
    Ok(())
}

fn level(count: usize, behaviour: &str) -> String {
    // As many quarters along each side as give room to everybody.
    let side = (1..).find(|side| side * side * NEIGHBOURS >= count).unwrap_or(1);
    let quarters: Vec<(usize, usize)> = (0..side).flat_map(|z| (0..side).map(move |x| (x, z))).collect();
    let blocks = (0..side * QUARTER).flat_map(|z| (0..side * QUARTER).map(move |x| (x, z)));
    let houses: Vec<String> = blocks.enumerate().map(|(number, at)| house(number, at)).collect();
    let areas: Vec<String> = quarters.iter().enumerate().map(|(number, &at)| quarter(number, at)).collect();
    // Quarters are as full as one another.
    let lives_in = |person: usize| person * quarters.len() / count.max(1);
    let first_of = |quarter: usize| (quarter * count).div_ceil(quarters.len());
    let people: Vec<String> = (0..count)
        .map(|number| {
            let quarter = lives_in(number);
            person(number, behaviour, (quarter, quarters[quarter]), number - first_of(quarter))
        })
        .collect();
    format!(
        r#"{{
  "name": "town",
  "seed": 1,
  "limits": {{ "characters": {}, "memoryMiB": {}, "fuelPerTick": {} }},
  "pathBudget": {},
  "navigation": {{
    "kind": "grid",
    "cellSize": 0.5,
    "agentRadius": 0.35,
    "areas": [
{}
    ],
    "obstacles": [
{}
    ]
  }},
  "characters": [
{}
  ]
}}
"#,
        count.max(1),
        (count / PEOPLE_PER_MIB).clamp(256, 4096),
        (count * SAFEPOINTS_PER_PERSON).max(100_000),
        (count * EXPANSIONS_PER_FIVE / 5).max(2_000),
        areas.join(",\n"),
        houses.join(",\n"),
        people.join(",\n"),
    )
}

fn rectangle(name: &str, [left, near]: [usize; 2], [right, far]: [usize; 2]) -> String {
    format!(
        r#"      {{"name": "{name}", "polygon": [[{left}, {near}], [{right}, {near}], [{right}, {far}], [{left}, {far}]]}}"#
    )
}

fn quarter(number: usize, (x, z): (usize, usize)) -> String {
    let side_m = QUARTER * BLOCK_M;
    rectangle(&format!("quarter{number}"), [x * side_m, z * side_m], [(x + 1) * side_m, (z + 1) * side_m])
}

/// A house in the middle of its block.
fn house(number: usize, (x, z): (usize, usize)) -> String {
    let (low_m, high_m) = (STREET_M / 2, BLOCK_M - STREET_M / 2);
    rectangle(
        &format!("house{number}"),
        [x * BLOCK_M + low_m, z * BLOCK_M + low_m],
        [x * BLOCK_M + high_m, z * BLOCK_M + high_m],
    )
}

/// Somebody at one of the places in the streets of the quarter, counted in rows.
fn person(
    number: usize,
    behaviour: &str,
    (quarter, (x, z)): (usize, (usize, usize)),
    place: usize,
) -> String {
    let across = QUARTER * BLOCK_M / APART_M;
    let is_street = |along: usize| {
        let (in_block, margin_m) = (along % BLOCK_M, 1);
        !(STREET_M / 2 - margin_m..BLOCK_M - STREET_M / 2 + margin_m).contains(&in_block)
    };
    let free = (0..across * across)
        .map(|at| (at % across * APART_M + 1, at / across * APART_M + 1))
        .filter(|&(x, z)| is_street(x) || is_street(z));
    let (in_x, in_z) = free.clone().nth(place % free.count().max(1)).unwrap_or((1, 1));
    let side_m = QUARTER * BLOCK_M;
    format!(
        r#"    {{"name": "p{number}", "position": [{}, {}], "behaviour": "{behaviour}", "params": {{"area": "quarter{quarter}"}}}}"#,
        x * side_m + in_x,
        z * side_m + in_z,
    )
}
