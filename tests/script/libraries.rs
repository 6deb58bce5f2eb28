//! What the modules of `scripts/lib` do for the behaviours that use them.

use crate::level::levels;
use crate::script::script_flow::setup;

/// What anna's behaviour and the level script log, without ticks; both may use the modules.
fn logged(behaviour: &str, level: &str, seconds: u64) -> Vec<String> {
    let mut files: Vec<(String, String)> = levels::scripts().into_iter().collect();
    files.retain(|(name, _)| name.starts_with("lib/"));
    files.push(("anna.lua".to_owned(), behaviour.to_owned()));
    files.push(("level.lua".to_owned(), level.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut run = setup(&files).unwrap_or_else(|error| panic!("{error}"));
    run.tick(60 * seconds);
    run.lines.iter().filter_map(|line| Some(line.split_once(": ")?.1.to_owned())).collect()
}

#[test]
fn a_character_cornered_by_a_danger_that_goes_is_safe() {
    let flees = "local fleeing = require('lib/fleeing')
        return { run = function(self)
            log.info('%s', fleeing.from(self, world.character('ben'), { distance = 60, tries = 1 }))
            task.sleep(1000)
        end }";
    assert_eq!(logged(flees, "", 10), ["cornered"]);
    let goes = "function onStart()
        event.on('walkSettled', function() world.character('ben'):despawn() end)
    end";
    assert_eq!(logged(flees, goes, 10), ["safe"]);
}

/// Walks three stops, from the stop with that number.
fn rounds_from(stop: u32) -> String {
    format!(
        "local patrolling = require('lib/patrolling')
        return {{ init = function(self) self.state.stop = {stop} end, run = function(self)
            while true do
                patrolling.leg(self, {{ route = {{ 'post', 'far', 'near' }}, pause = 0 }})
                log.info('then %d', self.state.stop)
            end
        end }}"
    )
}

#[test]
fn a_route_that_has_become_shorter_begins_at_its_first_stop_and_leaves_none_out() {
    let told = logged(&rounds_from(5), "", 25);
    assert_eq!(told[..3], ["then 2", "then 3", "then 1"]);
}

#[test]
fn a_stop_on_the_way_to_which_the_character_was_taken_is_still_to_come() {
    let takes = "function onStart()
        timer.after(3, function() world.character('anna'):walkTo('near') end)
    end";
    let told = logged(&rounds_from(1), takes, 25);
    assert_eq!(told[..4], ["then 2", "then 2", "then 3", "then 1"]);
}
