//! What a tick costs in Bevy, over the bare tick: `cargo bench` here. One update of an app is one tick; everybody is an
//! entity that is placed in it.

#[path = "../../bench/crowd.rs"]
mod crowd;

use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, Assets};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use walkon_bevy::{Games, LevelAsset, WalkonLevel, WalkonPlugin};
use walkon_shell::{LiveGame, StartSetup};

fn main() {
    println!("| characters | bare tick us | update of an app |");
    println!("| --- | --- | --- |");
    for count in [10, 1000, 10_000] {
        row(count);
    }
}

fn row(count: usize) {
    let (field, args) = crowd::crowd(count);
    let with = StartSetup { seed: Some(1), args: args.clone(), ..StartSetup::default() };
    let mut bare = LiveGame::start(&Arc::new(field.clone()), field.level().unwrap(), with).unwrap();
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin))
        .add_plugins(AssetPlugin::default())
        .add_plugins(WalkonPlugin::at("."))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.finish();
    app.cleanup();
    let handle = app.world_mut().resource_mut::<Assets<LevelAsset>>().add(LevelAsset::new(field).unwrap());
    let level = WalkonLevel { seed: Some(1), args, is_interactive: false, ..WalkonLevel::new(handle) };
    let level = app.world_mut().spawn(level).id();
    let number = |app: &App| {
        let games = app.world().non_send::<Games>();
        games.get(level).map_or(0, |live| live.game().world().tick().0)
    };
    while number(&app) == 0 {
        app.update();
    }
    // Both begin at the same tick.
    (0..number(&app)).for_each(|_| drop(bare.tick(&[]).unwrap()));
    let ticks = crowd::ticks(count);
    let (microseconds, ratios) = crowd::ratios(
        ticks,
        &mut [&mut || (0..ticks).for_each(|_| drop(bare.tick(&[]).unwrap())), &mut || {
            (0..ticks).for_each(|_| app.update())
        }],
    );
    let games = app.world().non_send::<Games>();
    let hash = games.get(level).unwrap().game().fingerprint().whole();
    assert_eq!(hash, bare.game().fingerprint().whole(), "both have played the same game");
    println!("| {count} | {microseconds:.0} | {:.3} |", ratios[0]);
}
