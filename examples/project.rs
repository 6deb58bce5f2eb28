//! A game whose levels and scripts lie in a project folder: it reads them, saves and loads in the middle, and
//! takes in a script that its author has just changed.
//!
//! Run it with `cargo run --release --example project`; the project is this repository.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use walkon::{FileSource, Folder, Game, Input, ListingLimits, Reload, Setup, load};

const LEVEL: &str = "levels/courtyard.json";
/// The script folder of the project; scripts are named by their paths below it.
const SCRIPTS: &str = "scripts";
/// No script is longer, bytes.
const BYTES_MAX: u64 = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Folder::open(Path::new(env!("CARGO_MANIFEST_DIR")))?;
    let scripts = scripts(&folder)?;
    let setup = || Setup { scripts: scripts.clone(), ..Setup::default() };
    let mut game = Game::load(load(LEVEL, &folder)?, setup())?;
    run(&mut game, 300);

    // Bytes for a file. A scene that is under way may refuse: then the game asks again later.
    let saved = game.save()?;
    println!("saved at tick {}", game.world().tick().0);
    run(&mut game, 200);

    // Later, perhaps in another process: the same game goes on. Functions are not saved: what the level script
    // wanted done at the end of a walk it would have to begin again as it starts.
    let mut loaded = Game::restore(load(LEVEL, &folder)?, setup(), &saved)?;
    println!("loaded at tick {}", loaded.world().tick().0);
    run(&mut loaded, 200);
    for who in ["guard", "player"] {
        let place =
            |game: &Game| game.character(who).and_then(|who| game.pose(who)).map(|pose| pose.position);
        println!(
            "{who}: {}",
            if place(&game) == place(&loaded) { "the same place" } else { "another place" }
        );
    }

    // The author saves the guard: first with a mistake, then mended.
    let guard = "behaviours/guard.lua";
    for text in ["return {".to_owned(), scripts[guard].replace("default = 1.5", "default = 0.5")] {
        let reload = Reload { scripts: BTreeMap::from([(guard.to_owned(), Some(text))]), level: None };
        for note in loaded.tick(&[Input::Reload(reload)]).reloads {
            match note.refused {
                Some(fault) => println!("refused, the old code runs on: {}", fault.message),
                None => println!("taken in: {}", note.files.join(", ")),
            }
        }
    }
    Ok(())
}

/// The texts of all scripts but tests, by path below the script folder.
fn scripts(folder: &Folder) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let mut texts = BTreeMap::new();
    for path in folder.files_in(SCRIPTS, ListingLimits { files_max: 1000, depth_max: 8 })? {
        let is_script = path.ends_with(".lua") && !path.ends_with("_test.lua") && !path.contains("/types/");
        if let Some(name) = path.strip_prefix(SCRIPTS).filter(|_| is_script) {
            let text = String::from_utf8(folder.read(&path, BYTES_MAX)?)?;
            texts.insert(name.trim_start_matches('/').to_owned(), text);
        }
    }
    Ok(texts)
}

/// Ticks without a player; what goes wrong is told.
fn run(game: &mut Game, ticks: u32) {
    for _ in 0..ticks {
        for fault in game.tick(&[]).faults() {
            println!("fault: {}", fault.message);
        }
    }
}
