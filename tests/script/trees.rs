//! Behaviour trees: what each node does, who is left when, and the laws that hold for every tree.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::inputs::{Input, Reload};

use crate::script::script_flow::{Run, check, setup, setup_with, told};

/// A behaviour with these lines before its tree; `note`, `act`, `for_ticks` and `yes`/`no` are there.
fn behaviour(body: &str) -> String {
    format!(
        r#"
        local b = {{}}
        local function note(what) return function(self, why) log.info("%s%s", what, if why then " " .. why else "") end end
        -- Notes both of its ends, and takes so many ticks.
        local function act(name, ticks, ok)
            return bt.action{{
                enter = note(name),
                run = function(self) if ticks > 0 then task.ticks(ticks) end return ok end,
                exit = note("/" .. name),
            }}
        end
        local yes, no = bt.condition(function() return true end), bt.condition(function() return false end)
        {body}
        return b
        "#
    )
}

fn run(body: &str) -> Run {
    setup(&[("anna.lua", &behaviour(body))]).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs the tree for so many ticks and compares the lines.
fn check_tree(body: &str, ticks: u64, expected: &[&str]) {
    let mut run = run(body);
    run.tick(ticks);
    assert_eq!(run.lines, expected, "{body}");
}

#[test]
fn a_sequence_goes_on_where_it_was_and_a_finished_tree_starts_again_in_the_next_tick() {
    check_tree(
        r#"b.tree = bt.sequence{ yes, act("one", 0), act("two", 2), act("three", 0) }"#,
        4,
        &["1: one", "1: /one success", "1: two", "4: /two success", "4: three", "4: /three success"],
    );
    check_tree(
        r#"b.tree = bt.sequence{ act("one", 0), act("no", 0, false), act("never", 0) }"#,
        2,
        &[
            "1: one",
            "1: /one success",
            "1: no",
            "1: /no failure",
            "2: one",
            "2: /one success",
            "2: no",
            "2: /no failure",
        ],
    );
}

#[test]
fn a_selector_takes_the_first_that_succeeds() {
    check_tree(
        r#"b.tree = bt.selector{ no, act("a", 0, false), act("b", 0), act("never", 0) }"#,
        1,
        &["1: a", "1: /a failure", "1: b", "1: /b success"],
    );
}

#[test]
fn a_reactive_selector_leaves_a_later_branch_before_an_earlier_one_begins() {
    check_tree(
        r#"
        local alarm = bt.condition(function(self) return level.tick >= 3 and level.tick < 6 end)
        b.tree = bt.selector{ reactive = true, bt.sequence{ alarm, act("chase", 1) }, act("patrol", 9) }
        "#,
        7,
        &[
            "1: patrol",
            "3: /patrol interrupted",
            "3: chase",
            // Its end is seen in the tick after; then the tree is over and starts again.
            "5: /chase success",
            "6: patrol",
        ],
    );
}

#[test]
fn a_reactive_sequence_leaves_its_later_branch_when_a_condition_fails() {
    check_tree(
        r#"
        local calm = bt.condition(function(self) return level.tick ~= 3 end)
        b.tree = bt.sequence{ reactive = true, calm, act("work", 9) }
        "#,
        4,
        &["1: work", "3: /work interrupted", "4: work"],
    );
}

#[test]
fn without_reactive_nothing_is_tried_again() {
    check_tree(
        r#"
        local alarm = bt.condition(function(self) return level.tick >= 2 end)
        b.tree = bt.selector{ alarm, act("patrol", 2) }
        "#,
        5,
        &["1: patrol", "4: /patrol success"],
    );
}

#[test]
fn parallel_succeeds_with_all_or_with_any_and_leaves_the_rest() {
    check_tree(
        r#"b.tree = bt.sequence{ bt.parallel{ act("a", 0), act("b", 2) }, act("then", 9) }"#,
        4,
        &["1: a", "1: /a success", "1: b", "4: /b success", "4: then"],
    );
    check_tree(
        r#"b.tree = bt.sequence{ bt.parallel{ succeed = "any", act("a", 9), act("b", 0, false), act("c", 1) }, act("then", 9) }"#,
        3,
        &["1: a", "1: b", "1: /b failure", "1: c", "3: /c success", "3: /a interrupted", "3: then"],
    );
    check_tree(
        r#"b.tree = bt.selector{ bt.parallel{ act("a", 9), act("b", 1, false) }, act("else", 9) }"#,
        3,
        &["1: a", "1: b", "3: /b failure", "3: /a interrupted", "3: else"],
    );
}

#[test]
fn decorators_swap_and_count() {
    check_tree(
        r#"b.tree = bt.sequence{ bt.invert(no), bt.succeed(act("a", 0, false)), bt.repeatN(act("b", 0), 2), bt.retry(act("c", 0, false), 2), act("never", 0) }"#,
        3,
        &[
            "1: a",
            "1: /a failure",
            "1: b",
            "1: /b success",
            "2: b",
            "2: /b success",
            "2: c",
            "2: /c failure",
            "3: c",
            "3: /c failure",
        ],
    );
    check_tree(
        r#"local n = 0
        b.tree = bt.sequence{ bt.retry(bt.condition(function() n += 1 return n == 3 end), 5), bt.action(function() log.info("n %d", n) end), bt.repeatN(no) }"#,
        9,
        &["3: n 3"],
    );
}

#[test]
fn a_wait_lasts_its_time_or_one_drawn_between_two() {
    check_tree(
        r#"b.tree = bt.sequence{ bt.wait(3/60), act("a", 0), bt.wait(0), act("b", 0), bt.repeatN(no) }"#,
        7,
        &["4: a", "4: /a success", "5: b", "5: /b success"],
    );
    let drawn = || {
        let mut run = run(
            r#"b.tree = bt.sequence{ bt.wait({ 2/60, 20/60 }), bt.action(function() log.info("x") end) }"#,
        );
        run.tick(90).taken()
    };
    let lines = drawn();
    assert!(lines.len() > 4, "{lines:?}");
    assert_eq!(lines, drawn(), "drawn from the stream of the behaviour");
}

#[test]
fn a_cooldown_cools_after_its_end_and_forgets_when_it_is_interrupted_unless_it_keeps() {
    check_tree(
        r#"b.tree = bt.selector{ bt.cooldown(act("hit", 0), 3/60), act("idle", 0) }"#,
        5,
        &[
            "1: hit",
            "1: /hit success",
            "2: idle",
            "2: /idle success",
            "3: idle",
            "3: /idle success",
            "4: hit",
            "4: /hit success",
            "5: idle",
            "5: /idle success",
        ],
    );
    let interrupted = |options: &str| {
        format!(
            r#"
            local alarm = bt.condition(function(self) return level.tick == 3 end)
            b.tree = bt.selector{{ reactive = true, alarm, bt.selector{{ bt.cooldown(act("hit", 0, false), 9/60{options}), act("idle", 9) }} }}
            "#
        )
    };
    check_tree(
        &interrupted(""),
        4,
        &[
            "1: hit",
            "1: /hit failure",
            "1: idle",
            "3: /idle interrupted",
            "4: hit",
            "4: /hit failure",
            "4: idle",
        ],
    );
    check_tree(
        &interrupted(", { keep = true }"),
        4,
        &["1: hit", "1: /hit failure", "1: idle", "3: /idle interrupted", "4: idle"],
    );
}

#[test]
fn a_time_limit_fails_and_interrupts_what_is_late() {
    check_tree(
        r#"b.tree = bt.selector{ bt.timeLimit(act("slow", 9), 3/60), act("else", 9) }"#,
        5,
        &["1: slow", "4: /slow interrupted", "4: else"],
    );
    check_tree(
        r#"b.tree = bt.sequence{ bt.timeLimit(act("quick", 1), 3/60), act("then", 9) }"#,
        5,
        &["1: quick", "3: /quick success", "3: then"],
    );
}

#[test]
fn when_runs_its_node_while_the_predicate_holds() {
    check_tree(
        r#"b.tree = bt.selector{ bt.when(function(self) return level.tick < 3 end, act("a", 9)), act("else", 9) }"#,
        3,
        &["1: a", "3: /a interrupted", "3: else"],
    );
}

#[test]
fn drawn_children_come_from_the_stream_of_the_behaviour() {
    let lines = |weights: &str| {
        run(&format!(
            r#"local function say(what) return bt.action(function() log.info(what) end) end
            b.tree = {weights}"#
        ))
        .tick(60)
        .taken()
        .into_iter()
        .map(|line| line.split_once(": ").unwrap().1.to_owned())
        .collect::<Vec<String>>()
    };
    let even = lines(r#"bt.random{ say("a"), say("b"), say("c") }"#);
    for name in ["a", "b", "c"] {
        let count = even.iter().filter(|line| *line == name).count();
        assert!((8..=35).contains(&count), "{name}: {count}");
    }
    let uneven = lines(r#"bt.weighted{ { 9, say("a") }, { 0, say("b") }, { 1, say("c") } }"#);
    assert!(!uneven.contains(&"b".to_owned()));
    assert!(uneven.iter().filter(|line| *line == "a").count() > 40);
    assert_eq!(even, lines(r#"bt.random{ say("a"), say("b"), say("c") }"#));
}

#[test]
fn a_walk_of_a_tree_succeeds_on_arrival_and_ends_with_its_branch() {
    // A place, or x and z.
    for goal in ["\"near\"", "nav.mark(\"near\").position.x, nav.mark(\"near\").position.z"] {
        check_tree(
            &r#"
            function b:start() event.on("walkSettled", function(r) log.info("walk %s", r.reason) end) end
            b.tree = bt.sequence{ bt.walkTo(function(self) return GOAL end), act("there", 0), bt.timeLimit(bt.walkTo("far"), 5/60) }
            "#
            .replace("GOAL", goal),
            38,
            &["28: walk reached", "29: there", "29: /there success", "34: walk ownerGone"],
        );
    }
}

#[test]
fn leaving_an_action_ends_its_task_and_the_walks_it_began() {
    check_tree(
        r#"
        local alarm = bt.condition(function(self) return level.tick == 4 end)
        b.tree = bt.selector{ reactive = true, alarm, bt.action{
            run = function(self)
                task.onCancel(function(why) log.info("task %s", why) end)
                self.character:walkTo("far", { onSettled = function(r) log.info("walk %s", r.reason) end })
                task.sleep(9)
            end,
            exit = note("exit") } }
        function b:run() task.ticks(5) self.character:walkTo("near") end
        "#,
        4,
        &["4: task cancelled", "4: exit interrupted", "4: walk ownerGone"],
    );
}

#[test]
fn an_action_that_ended_is_told_how_even_when_its_branch_is_left_in_that_tick() {
    check_tree(
        r#"
        local alarm = bt.condition(function(self) return level.tick == 3 end)
        b.tree = bt.selector{ reactive = true, alarm, act("a", 1) }
        "#,
        3,
        &["1: a", "3: /a success"],
    );
}

#[test]
fn a_tree_ends_with_its_owner() {
    let anna = behaviour(
        r#"b.tree = bt.parallel{ act("a", 99), bt.sequence{ act("b", 99) } } function b:stop(why) log.info("stop %s", why) end"#,
    );
    let level = "function onStart() timer.after(2/60, function() world.character('anna'):detach() end) end";
    check(
        &[("anna.lua", &anna), ("level.lua", level)],
        4,
        &["1: a", "1: b", "2: stop detached", "2: /a ownerGone", "2: /b ownerGone"],
    );
    let mut run = run(r#"b.tree = act("a", 99)"#);
    run.tick(1).end();
    assert_eq!(run.lines, ["1: a", "1: /a ownerGone"]);
}

#[test]
fn a_faulted_tree_is_left_and_starts_again_after_a_second() {
    check_tree(
        r#"
        b.tree = bt.parallel{ act("a", 99), bt.sequence{ bt.wait(1/60), bt.condition(function() error("broken", 0) end) } }
        "#,
        63,
        &[
            "1: a",
            "2! anna.lua:14: broken",
            "2: /a interrupted",
            "62: a",
            "63! anna.lua:14: broken",
            "63: /a interrupted",
        ],
    );
    check_tree(
        r#"
        local n = 0
        b.tree = bt.parallel{ act("a", 99), bt.action{ run = function() task.ticks(2) n += 1 if n == 1 then error("broken", 0) end task.sleep(9) end, exit = note("exit") } }
        "#,
        64,
        &["1: a", "3! anna.lua:15: broken", "4: exit failure", "4: /a interrupted", "64: a"],
    );
}

#[test]
fn three_faults_suspend_a_behaviour_and_its_tree_is_left_once() {
    let mut run = run(r#"
        b.tree = bt.parallel{ act("a", 99), bt.condition(function() error("broken", 0) end) }
        function b:stop(why) log.info("stop %s", why) end
        "#);
    run.tick(200);
    let told: Vec<&str> = run.lines.iter().map(|line| line.split_once(' ').unwrap().1).collect();
    let once = ["a", "anna.lua:14: broken", "/a interrupted"];
    assert_eq!(told, [&once[..], &once[..], &once[..], &["stop fault"]].concat());
}

#[test]
fn a_held_character_has_a_tree_that_stands_still() {
    let anna = behaviour(r#"b.tree = bt.sequence{ bt.wait(4/60), act("a", 1), bt.repeatN(no) }"#);
    let level = r#"
        function onStart()
            cinematic.define("hold", { holds = { "anna" }, script = function(c) c:wait(20/60) log.info("over") end })
            timer.after(2/60, function() cinematic.play("hold") end)
        end
    "#;
    let mut run = setup_with(&[("anna.lua", &anna), ("level.lua", level)], |_| {}).unwrap();
    run.tick(60);
    let at = |what: &str| -> u64 {
        let line = run
            .lines
            .iter()
            .find(|line| line.ends_with(what))
            .unwrap_or_else(|| panic!("{what}: {:?}", run.lines));
        line.split_once(':').unwrap().0.parse().unwrap()
    };
    assert!(at(": a") > at("over"), "{:?}", run.lines);
    assert_eq!(at(": a") - at("over"), 3, "{:?}", run.lines);
}

#[test]
fn trees_are_ticked_as_often_as_update_and_after_it() {
    check_tree(
        r#"
        b.updateEvery = 2
        function b:update() log.info("update") end
        b.tree = bt.action(function() log.info("tree") end)
        "#,
        4,
        &["1: update", "1: tree", "3: update", "3: tree"],
    );
}

#[test]
fn a_predicate_may_not_wait_and_an_action_may() {
    check_tree(
        r#"b.tree = bt.condition(function() task.sleep(1) return true end)"#,
        1,
        &["1! anna.lua:13: task.sleep: condition may not wait; use task.spawn"],
    );
}

#[test]
fn a_subtree_is_the_tree_of_another_file() {
    let patrol = "return bt.action(function(self) log.info('%s patrols', self.character.name) end)";
    let other = "return { tree = bt.action(function(self) log.info('%s rests', self.character.name) end) }";
    let anna =
        behaviour(r#"b.tree = bt.sequence{ bt.subtree("patrol"), bt.subtree("other"), bt.repeatN(no) }"#);
    check(
        &[("anna.lua", &anna), ("patrol.lua", patrol), ("other.lua", other)],
        2,
        &["1: anna patrols", "1: anna rests"],
    );
}

#[test]
fn builders_refuse_what_is_not_a_node_when_the_file_loads() {
    let refused = |tree: &str| match setup(&[
        ("anna.lua", &behaviour(&format!("b.tree = {tree}"))),
        ("empty.lua", "return {}"),
    ]) {
        Ok(_) => panic!("{tree} was accepted"),
        Err(error) => error.to_string(),
    };
    let cases = [
        (
            "bt.sequence{ print }",
            "anna.lua:13: bt.sequence: nodes[1] is a function, expected a node out of a builder of bt",
        ),
        ("bt.sequence{}", "anna.lua:13: bt.sequence: nodes is empty, expected at least one node"),
        (
            "bt.sequence{ yes, reactiv = true }",
            "anna.lua:13: bt.sequence: unknown option \"reactiv\"; did you mean \"reactive\"?",
        ),
        (
            "bt.sequence{ yes, reactive = 1 }",
            "anna.lua:13: bt.sequence: reactive is 1, expected true or false",
        ),
        (
            "bt.parallel{ yes, succeed = \"some\" }",
            "anna.lua:13: bt.parallel: succeed is \"some\", expected \"all\" or \"any\"",
        ),
        ("bt.random{ yes, reactive = true }", "anna.lua:13: bt.random: unknown option \"reactive\""),
        ("bt.invert({})", "anna.lua:13: bt.invert: node is a table, expected a node out of a builder of bt"),
        (
            "bt.retry(yes, 0)",
            "anna.lua:13: bt.retry: times is 0, expected a whole number from 1 to 1000000000",
        ),
        ("bt.wait(-1)", "anna.lua:13: bt.wait: seconds is -1, expected 0 to 1000000"),
        ("bt.wait({ 2, 1 })", "anna.lua:13: bt.wait: the range is 2 to 1, expected low not above high"),
        (
            "bt.weighted{ { 0, yes } }",
            "anna.lua:13: bt.weighted: nodes has no weight above 0, expected at least one",
        ),
        (
            "bt.weighted{ { 1, 2 } }",
            "anna.lua:13: bt.weighted: nodes[1][2] is 2, expected a node out of a builder of bt",
        ),
        (
            "bt.walkTo(\"post\", { onArrived = print })",
            "anna.lua:13: bt.walkTo: onArrived: handlers are not allowed here; the node succeeds or fails",
        ),
        (
            "bt.walkTo(\"post\", { gait = \"fly\" })",
            "anna.lua:13: bt.walkTo: gait is \"fly\", expected \"walk\" or \"run\"",
        ),
        ("bt.action{ enter = print }", "anna.lua:13: bt.action: run is nil, expected a function"),
        (
            "bt.action{ run = print, leave = print }",
            "anna.lua:13: bt.action: unknown option \"leave\"; known options are enter, run, exit",
        ),
        (
            "bt.cooldown(yes, 1, { kep = true })",
            "anna.lua:13: bt.cooldown: unknown option \"kep\"; did you mean \"keep\"?",
        ),
        (
            "bt.subtree(\"empty\")",
            "anna.lua:13: bt.subtree: \"empty\" returns a table, expected a node or a behaviour with a tree",
        ),
        ("{}", "behaviour \"anna.lua\": tree is a table, expected a node out of a builder of bt"),
    ];
    let mut wrong = Vec::new();
    for (tree, expected) in cases {
        let message = refused(tree);
        if message != expected {
            wrong.push(format!("{tree}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let deep = "(function() local t = yes for i = 1, 64 do t = bt.invert(t) end return t end)()";
    assert_eq!(refused(deep), "anna.lua:13: bt.invert: nodes are 65 deep, expected at most 64");
    let wide = "(function() local t = yes for i = 1, 12 do t = bt.parallel{ t, t } end return t end)()";
    assert_eq!(refused(wide), "anna.lua:13: bt.parallel: the tree has 8191 nodes, expected at most 4096");
    let many = "bt.sequence(table.create(100000, bt.parallel(table.create(4095, yes))))";
    assert_eq!(refused(many), "anna.lua:13: bt.sequence: nodes has 100000 entries, expected at most 4096");
}

#[test]
fn a_mistake_in_the_goal_of_a_walk_names_the_line_of_the_node() {
    check_tree(
        r#"b.tree = bt.walkTo("nowhere")"#,
        1,
        &["1! anna.lua:13: bt.walkTo: unknown mark \"nowhere\""],
    );
}

#[test]
fn what_a_tree_is_at_shows_in_the_hash() {
    let hash = |tree: &str| {
        let mut run = run(&format!("b.tree = {tree}"));
        run.tick(3);
        run.game.fingerprint()
    };
    assert_eq!(hash("bt.wait(9)"), hash("bt.wait(9)"));
    assert_ne!(hash("bt.wait(9)"), hash("bt.wait(8)"));
}

/// A random tree as Lua, and for each of its actions the way to it: the place in each branch, and whether
/// that runs its children together.
struct Grown {
    actions: Vec<Vec<(u64, bool)>>,
    way: Vec<(u64, bool)>,
}

impl Grown {
    fn node(&mut self, rng: &mut Rng, depth: u32) -> String {
        let kinds = if depth == 0 { 3 } else { 12 };
        match rng.below(kinds) {
            0 => format!("now_and_then({}, {})", 2 + rng.below(7), rng.below(5)),
            1 | 2 => {
                self.actions.push(self.way.clone());
                let (number, ticks) = (self.actions.len(), rng.below(6));
                let outcome = ["true", "false", "nil"][rng.below(3) as usize];
                format!("act({number}, {ticks}, {outcome})")
            }
            3 | 4 => self.branch(rng, depth, "sequence", ", reactive = true"),
            5 | 6 => self.branch(rng, depth, "selector", ", reactive = true"),
            7 => self.branch(rng, depth, "parallel", ", succeed = \"any\""),
            8 => format!("bt.invert({})", self.node(rng, depth - 1)),
            9 => format!(
                "bt.cooldown({}, {}/60, {{ keep = {} }})",
                self.node(rng, depth - 1),
                rng.below(9),
                rng.below(2) == 0
            ),
            10 => format!("bt.timeLimit({}, {}/60)", self.node(rng, depth - 1), rng.below(9)),
            _ => match rng.below(3) {
                0 => format!("bt.retry({}, {})", self.node(rng, depth - 1), 1 + rng.below(3)),
                1 => format!("bt.repeatN({}, {})", self.node(rng, depth - 1), 1 + rng.below(3)),
                _ => {
                    let test = format!(
                        "function() return level.tick % {} ~= {} end",
                        3 + rng.below(7),
                        rng.below(3)
                    );
                    format!("bt.when({test}, {})", self.node(rng, depth - 1))
                }
            },
        }
    }

    fn branch(&mut self, rng: &mut Rng, depth: u32, kind: &str, option: &str) -> String {
        let count = 2 + rng.below(2);
        let mut children = Vec::new();
        for place in 0..count {
            self.way.push((place, kind == "parallel"));
            children.push(self.node(rng, depth - 1));
            self.way.pop();
        }
        let option = if rng.below(2) == 0 { option } else { "" };
        format!("bt.{kind}{{ {}{option} }}", children.join(", "))
    }

    /// Whether two actions may run at the same time: the branch in which their ways part runs its children
    /// together.
    fn may_run_together(&self, one: usize, other: usize) -> bool {
        let mut steps = self.actions[one - 1].iter().zip(&self.actions[other - 1]);
        steps.find(|(one, other)| one.0 != other.0).is_some_and(|(step, _)| step.1)
    }
}

#[test]
fn in_every_tree_who_is_entered_is_left_once_and_no_two_branches_of_a_selector_run() {
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, "trees");
        let mut grown = Grown { actions: Vec::new(), way: Vec::new() };
        let tree = grown.node(&mut rng, 4);
        let mut run = run(&format!(
            "local function now_and_then(n, rest) return bt.condition(function() return level.tick % n <= rest end) end
            b.tree = {tree}"
        ));
        run.tick(150).end();
        let mut open: Vec<usize> = Vec::new();
        for line in &run.lines {
            let told = line.split_once(": ").map_or(line.as_str(), |(_, told)| told);
            if let Some(left) = told.strip_prefix('/') {
                let number: usize = left.split_once(' ').unwrap().0.parse().unwrap();
                let at = open.iter().position(|open| *open == number);
                open.remove(at.unwrap_or_else(|| {
                    panic!("seed {seed}: {number} is left twice\n{tree}\n{:?}", run.lines)
                }));
            } else {
                let number: usize = told.parse().unwrap_or_else(|_| panic!("seed {seed}: {line}\n{tree}"));
                for other in &open {
                    let is_lawful = *other != number && grown.may_run_together(*other, number);
                    assert!(
                        is_lawful,
                        "seed {seed}: {number} begins while {other} runs\n{tree}\n{:?}",
                        run.lines
                    );
                }
                open.push(number);
            }
        }
        assert_eq!(open, [0; 0], "seed {seed}: entered and never left\n{tree}\n{:?}", run.lines);
    }
}

#[test]
fn a_reload_leaves_the_tree_with_reload_and_starts_the_new_one_at_its_root() {
    let mut run = run(r#"b.tree = bt.sequence{ act("old", 99) }"#);
    run.tick(2);
    let text = Some(behaviour(r#"b.tree = bt.sequence{ act("new", 1), act("then", 99) }"#));
    let scripts = [("anna.lua".to_owned(), text)].into();
    let recorded = run.game.tick(&[Input::Reload(Reload { scripts, level: None })]);
    run.lines.extend(told(&recorded.lines));
    run.tick(3);
    assert_eq!(run.lines, ["1: old", "3: /old reload", "3: new", "5: /new success", "5: then"]);
}
