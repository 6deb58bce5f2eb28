//! A night that is saved and loaded anywhere comes to the same morning.
//!
//! Goal: what a level writes into its states is enough to go on as if nobody had saved. Method: the night in
//! the hamlet is saved every 450 ticks (`NIGHT_EVERY=7` for the long form) from evening to morning; each save
//! is loaded and run to the end, and the morning that is told there is the one of the run that was never
//! saved.

use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{Level, load};

use crate::level::levels::{levels, scripts};
use crate::long_form::number;

/// 140 seconds: an hour of the clock takes fifteen, and the morning is told at six.
const TICKS: u64 = 8400;

fn setup() -> Setup {
    let options = RecordOptions { trace: true, ..RecordOptions::default() };
    Setup { scripts: scripts(), recorder: Recorder::new(options), ..Setup::default() }
}

fn level() -> Level {
    load("hamlet_night.json", &levels()).unwrap_or_else(|error| panic!("{error}"))
}

/// What the morning tells, and who stands where by then; `each` sees the game before every tick.
fn morning(game: &mut Game, mut each: impl FnMut(&Game)) -> (String, Vec<String>) {
    let mut told = String::new();
    while game.world().tick().0 < TICKS {
        each(game);
        for line in game.tick(&[]).lines {
            let fact: serde_json::Value = serde_json::from_str(&line).unwrap();
            if fact["e"] == "event" && fact["name"] == "morning" {
                assert!(told.is_empty(), "one morning a night");
                told = fact["payload"].to_string();
            }
        }
    }
    assert_eq!(game.fault_count(), 0);
    let where_they_are = game.world().characters().filter(|(_, one)| one.name != "emil").map(|(_, one)| {
        let at = one.body.position;
        format!("{} at {:.0}, {:.0}", one.name, at.x, at.z)
    });
    (told, where_they_are.collect())
}

#[test]
fn the_morning_is_the_same_wherever_the_night_is_saved() {
    let every = number("NIGHT_EVERY", 450).max(1);
    let mut saves = Vec::new();
    let mut game = Game::load(level(), setup()).unwrap();
    let unbroken = morning(&mut game, |game| {
        if game.world().tick().0 % every == 0 {
            saves.push(game.save().unwrap());
        }
    });
    assert_eq!(unbroken.0, r#"{"alarms":1,"caught":true,"escaped":false,"stolen":false}"#);
    for saved in saves {
        let mut loaded = Game::restore(level(), setup(), &saved).unwrap_or_else(|error| panic!("{error}"));
        let at = loaded.world().tick().0;
        if at < 8100 {
            assert_eq!(morning(&mut loaded, |_| ()), unbroken, "saved at {at}");
        }
    }
}
