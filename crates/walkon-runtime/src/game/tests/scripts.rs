//! Regression tests of scripts that left something open, or were blamed for the faults of others.

use super::told_level::{ToldLevel, house, house_with_behaviour};
use super::*;
use crate::game::event::Event;
use crate::world::event::{EventQueue, Fact};

/// A level script in a house whose level has these fields, run for so many ticks.
fn run(more: &str, script: &str, ticks: u64) -> ToldLevel {
    let mut run = ToldLevel::of(&house("", more), &[("level.lua", script)]);
    run.ticks(ticks);
    run
}

#[test]
fn a_chain_of_thousands_of_tasks_that_wait_for_one_another_is_cancelled() {
    let people: Vec<String> = (0..5)
        .map(|at| {
            let before = if at == 0 { String::new() } else { format!("p{}", at - 1) };
            format!(
                r#"{{ "name": "p{at}", "position": [{at}.5, 2], "behaviour": "chain.lua",
                    "params": {{ "before": "{before}" }} }}"#
            )
        })
        .collect();
    let level = format!(
        r#"{{ "script": "level.lua", "limits": {{ "tasksPerOwner": 4096, "fuelPerCall": 10000000,
                "fuelPerTick": 1000000000, "watchdogMs": 60000 }},
            "navigation": {{ "areas": [ {{ "name": "hall", "polygon": [[0, 0], [9, 0], [9, 9], [0, 9]] }} ] }},
            "characters": [ {} ] }}"#,
        people.join(", ")
    );
    let chain = "return { params = { before = { type = 'string' } },
        start = function(self)
            local before = self.params.before
            local last = if before == '' then nil else world.character(before).behaviour.last
            last = last or task.spawn(function() task.sleep(1000) end)
            self.first = last
            for _ = 1, 4000 do
                local one = last
                last = task.spawn(function() task.all({ one }) end)
            end
            self.last = last
        end }";
    let script = "function onTick()
        if level.tick ~= 5 then return end
        local first, last = world.character('p0').behaviour.first, world.character('p4').behaviour.last
        log.info('%s %s %s', first.status, last:cancel(), first.status)
    end";
    let mut run = ToldLevel::of(&level, &[("level.lua", script), ("chain.lua", chain)]);
    run.ticks(6);
    assert_eq!(run.take_told(), ["running true cancelled"]);
}

#[test]
fn tasks_that_end_with_another_end_before_it_in_the_order_of_its_wait() {
    let script = "
        local function noisy(name, wait)
            return task.spawn(function() task.onCancel(function() log.info(name) end) wait() end)
        end
        local ended = {}
        function onStart()
            local a = noisy('a', function() task.sleep(9) end)
            local b = noisy('b', function() task.all({ a }) end)
            local c = noisy('c', function() task.sleep(9) end)
            local d = noisy('d', function() task.race({ b, c }) end)
            for number, one in { a, b, c, d } do
                task.spawn(function() task.await(one) table.insert(ended, number) end)
            end
            task.spawn(function() task.ticks(3) d:cancel() task.ticks(2) log.info(table.concat(ended, ' ')) end)
        end";
    assert_eq!(run("", script, 8).take_told(), ["d", "b", "a", "c", "1 2 3 4"]);
}

#[test]
fn a_group_that_waits_for_what_never_comes_has_an_end_while_its_scene_is_skipped() {
    let script = "
        function onStart()
            cinematic.define('scene', { holds = { 'anna' }, script = function(c)
                local board = blackboard.level
                log.info('%s %s', task.race({ news = board:changed('alarm'), other = board:changed('bell') }))
                local all = task.all({ news = board:changed('alarm'), seven = function() c:wait(100) return 7 end })
                log.info('%s %s', all.news, all.seven)
            end })
            event.on('cinematicEnded', function(info) log.info(info.outcome) end)
            cinematic.play('scene')
        end";
    let mut run = run("", script, 3);
    run.tick(&[Input::Skip { scene: None }]);
    run.ticks(3);
    assert_eq!(run.take_told(), ["news nil", "nil 7", "finished"]);
}

#[test]
fn a_walk_that_comes_to_a_link_again_ends_what_took_it_over_before() {
    let level = r#"{ "script": "level.lua",
        "navigation": { "kind": "tiles", "layers": [{ "name": "ground", "rows": [
            "..........", "..........", "..........", "XXXXXXXXXX", "..........", "..........", ".........." ] }],
            "legend": { "X": { "walkable": false } },
            "links": [{ "from": { "layer": "ground", "position": [5.5, 2.5] },
                        "to": { "layer": "ground", "position": [5.5, 4.5] }, "cost": 4, "action": "climb" }] },
        "characters": [{ "name": "anna", "position": [5.5, 0.5], "tags": ["climb"], "behaviour": "anna.lua" }] }"#;
    let anna = "
        local anna, count = {}, 0
        function anna:onTraverse()
            count += 1
            local own = count
            task.onCancel(function(why) log.info('%d %s', own, why) end)
            log.info('%d begins', own)
            task.sleep(2)
            log.info('%d is over', own)
        end
        return anna";
    let go = "function onStart() world.character('anna'):walkTo(5.5, 6.5, { accept = 'exact' }) end";
    let mut run = ToldLevel::of(level, &[("level.lua", go), ("anna.lua", anna)]);
    let mut ticks = 0;
    while run.game.world.walks.iter_mut().all(|walk| walk.on_link.is_none()) && ticks < 600 {
        run.tick(&[]);
        ticks += 1;
    }
    run.ticks(60);
    // Another plan leads away from the link, and the next one back.
    run.game.world.walks.iter_mut().for_each(|walk| walk.on_link = None);
    run.ticks(400);
    assert_eq!(run.take_told(), ["1 begins", "1 cancelled", "2 begins", "2 is over"]);
}

#[test]
fn only_scripts_that_go_on_emitting_are_blamed_for_events_that_wait() {
    let script = "
        function onStart()
            event.on('a', function() event.emit('b') end)
            event.on('b', function() log.info('b') end)
        end
        function onTick() if level.tick == 3 then event.emit('a') end end";
    assert_eq!(run(r#""limits": { "eventRounds": 1 },"#, script, 5).take_told(), ["b"]);
    let many = "function onTick() if level.tick == 3 then for _ = 1, COUNT do event.emit('a') end end end";
    let limits = r#""limits": { "eventsPerTick": 10 },"#;
    let faults = |count: &str| run(limits, &many.replace("COUNT", count), 9).game.fault_count();
    assert_eq!((faults("10"), faults("30")), (0, 1));
}

#[test]
fn news_that_is_dropped_after_the_last_tick_is_told_at_the_end() {
    let mut run = run("", "", 3);
    let events = &mut run.game.world.events;
    let news = || Fact::AreaChanged { area: "left".to_owned(), available: true, factor: 1.0 };
    for _ in 0..EventQueue::WAITING_MAX + 5 {
        events.push(news());
    }
    let end = run.game.end();
    let dropped = end.events.iter().find_map(|event| match event {
        Event::Notice { what: "eventsDropped", count, .. } => Some(*count),
        _ => None,
    });
    assert_eq!(dropped, Some(5));
}

#[test]
fn stays_do_not_pile_up_for_a_behaviour_that_is_held() {
    let yard = r#""regions": [ { "name": "yard", "polygon": [[0, 0], [5, 0], [5, 10], [0, 10]] } ],"#;
    let anna = "return { start = function()
        region.on('yard', { initial = true, every = 0.1, onStay = function() log.info('stays') end }) end }";
    let script = "function onStart()
        cinematic.define('scene', { holds = { 'anna' }, script = function(c) c:wait(5) end })
        event.on('cinematicEnded', function() log.info('over') end)
        timer.after(0.2, function() cinematic.play('scene') end)
    end";
    let scripts = [("level.lua", script), ("anna.lua", anna)];
    let mut run = ToldLevel::of(&house_with_behaviour(yard, ""), &scripts);
    run.ticks(360);
    let told = run.take_told();
    let stays = told.iter().filter(|line| *line == "stays").count();
    assert!(told.contains(&"over".to_owned()), "{told:?}");
    assert!((5..20).contains(&stays), "about a second is not held: {told:?}");
}

#[test]
fn what_was_kept_for_a_held_behaviour_waits_when_the_fuel_of_the_tick_is_spent() {
    let anna = "return { on = { work = function(self, n) log.info('%d', n) for _ = 1, 5000 do end end } }";
    let script = "function onStart()
        cinematic.define('scene', { holds = { 'anna' }, script = function(c) c:wait(0.5) end })
        cinematic.play('scene')
        timer.after(0.2, function() for n = 1, 20 do event.emit('work', n) end end)
    end";
    let limits = r#""limits": { "fuelPerCall": 20000, "fuelPerTick": 20000 },"#;
    let scripts = [("level.lua", script), ("anna.lua", anna)];
    let mut run = ToldLevel::of(&house_with_behaviour(limits, ""), &scripts);
    let mut most = 0;
    let mut all = Vec::new();
    for _ in 0..120 {
        run.tick(&[]);
        let told = run.take_told();
        most = most.max(told.len());
        all.extend(told);
    }
    let expected: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
    assert_eq!(all, expected, "in order, and nothing is lost");
    assert!(most < 10, "{most} in one tick");
}

#[test]
fn a_block_on_a_graph_takes_fuel_for_every_link() {
    let points: Vec<String> = (0..3000).map(|at| format!("[{at}, 0, 0]")).collect();
    let links: Vec<String> = (1..3000).map(|at| format!("[{}, {at}]", at - 1)).collect();
    let level = format!(
        r#"{{ "script": "level.lua", "limits": {{ "fuelPerCall": 5000 }},
            "navigation": {{ "kind": "graph", "points": [{}], "links": [{}] }} }}"#,
        points.join(", "),
        links.join(", ")
    );
    let script = "function onTick() if level.tick == 2 then nav.block(vector.create(500, 0, 0), 1) log.info('laid') end end";
    let mut run = ToldLevel::of(&level, &[("level.lua", script)]);
    run.ticks(3);
    let told = run.take_told();
    assert!(told.len() == 1 && told[0] != "laid", "{told:?}");
    assert_eq!(run.game.fault_count(), 1);
}

#[test]
fn a_filter_that_faults_leaves_nothing_to_clean_up() {
    let yard = r#""regions": [ { "name": "yard", "polygon": [[0, 0], [5, 0], [5, 10], [0, 10]] } ],"#;
    let script = "function onStart()
        local other = task.spawn(function() task.onCancel(function() log.info('cleaned up') end) task.sleep(99) end)
        local function filter() if other:cancel() then error('on purpose') end return false end
        region.on('yard', { initial = true, filter = filter, onEnter = function() end })
    end";
    let told = run(yard, script, 4).take_told();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.contains(&"cleaned up".to_owned()), "{told:?}");
}
