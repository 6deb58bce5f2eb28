//! `bt`: builders of behaviour trees.
//!
//! In: nodes, functions, numbers. Out: nodes: read-only tables that only these builders make. Holds:
//! everything is checked when the node is built, so when the file loads; a tree has no cycles, because a node
//! is made of nodes that are there already. Not here: what a tree does (`script::tree`).

use mlua::{Lua, Table, Value};

use crate::script::bind::call::{answer, place_of_caller};
use crate::script::bind::table::{Alias, ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::{place, registration, walk_options};
use crate::script::step::tree::{self, node};
use crate::script::vm::convert::{Args, Argument, UsageError, describe, has_more_than};
use crate::script::vm::fuel;

const BT: &str = "bt";

/// What stands above the entries.
pub const GROUP: Library = Library {
    name: BT,
    is_type: false,
    doc: "Builders of behaviour trees, for the `tree` of a behaviour. A tree is ticked in step 3 with `update`; a finished one \
          starts again in the next tick.",
};

/// What builders give and take.
pub const NODE_ALIAS: Alias = Alias {
    name: "Node",
    luau: "{ kind: string }",
    doc: "A node of a behaviour tree, out of a builder of `bt`.",
};

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[TableType {
    name: "CooldownOptions",
    doc: "What becomes of a cooldown when its branch is left.",
    fields: &[field("keep", "boolean?", "true", "goes on cooling when the branch is interrupted")],
}];

/// Lengths of waits, cooldowns and limits, seconds.
const SECONDS_MAX: f64 = 1e6;
/// How often a node may be repeated.
const TIMES_MAX: i64 = 1_000_000_000;

const NODE_SAMPLE: &str = "bt.wait(1)";
const NODES_SAMPLE: &str = "{ bt.wait(1) }";
const NODE: ApiParam = param("node", "Node", NODE_SAMPLE);
const BRANCH: ApiParam = param("nodes", "{[any]: Node | boolean}", NODES_SAMPLE);
const PREDICATE: ApiParam = param("fn", "(self: any) -> boolean", "function(self) return true end");
const SECONDS: ApiParam = param("seconds", "number", "1");

/// Everything `bt` has.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[BRANCH],
        returns: "Node",
        raises: "range",
        doc: "Children in turn until one fails. `reactive = true`: earlier children are tried again each tick and interrupt a \
              later one that runs.",
        example: "bt.sequence{ bt.condition(function(self) return true end), bt.wait(1), reactive = true }",
        price: 24,
        ..Binding::function(BT, "bt.sequence", sequence)
    },
    Binding {
        params: &[BRANCH],
        returns: "Node",
        raises: "range",
        doc: "Children in turn until one succeeds. `reactive = true`: earlier children are tried again each tick; a later one \
              that runs is interrupted before an action, a walk or a wait of an earlier one begins.",
        example: "bt.selector{ bt.condition(function(self) return false end), bt.wait(1), reactive = true }",
        price: 24,
        ..Binding::function(BT, "bt.selector", selector)
    },
    Binding {
        params: &[param("nodes", "{[any]: Node | string}", NODES_SAMPLE)],
        returns: "Node",
        raises: "range",
        doc: "All children at once. `succeed = \"all\"`, the default, or `\"any\"`: how many have to succeed.",
        example: "bt.parallel{ bt.walkTo(\"post\"), bt.wait(1), succeed = \"any\" }",
        price: 24,
        ..Binding::function(BT, "bt.parallel", parallel)
    },
    Binding {
        params: &[PREDICATE],
        returns: "Node",
        doc: "Succeeds or fails at once; may not wait.",
        example: "bt.condition(function(self) return self.state.tired end)",
        price: 24,
        ..Binding::function(BT, "bt.condition", condition)
    },
    Binding {
        params: &[param(
            "fn",
            "((self: any) -> ...any) | { enter: ((self: any) -> ...any)?, run: (self: any) -> ...any, exit: ((self: any, why: string) -> ...any)? }",
            "function(self) task.sleep(1) end",
        )],
        returns: "Node",
        doc: "A task, which may wait; a result of false is failure. With a table: `enter` before `run`, and exactly one \
              `exit(self, why)` for every `enter`: success, failure, interrupted, reload or ownerGone.",
        example: "bt.action{ run = function(self) task.sleep(1) end, exit = function(self, why) log.info(\"%s\", why) end }",
        price: 24,
        ..Binding::function(BT, "bt.action", action)
    },
    Binding {
        params: &[
            param("goal", "Place | (self: any) -> Place", "\"post\""),
            param("options", "TreeWalkOptions?", "{ gait = \"run\" }"),
        ],
        returns: "Node",
        raises: "range",
        doc: "Walks, with the options of `walkTo` but no handlers; succeeds when it arrived.",
        example: "bt.walkTo(function(self) return self.params.post end, { doors = \"open\" })",
        price: 24,
        ..Binding::function(BT, "bt.walkTo", walk_to)
    },
    Binding {
        params: &[param("seconds", "number | {number}", "{ 1, 2 }")],
        returns: "Node",
        raises: "range",
        doc: "Succeeds after that time, or after a time between the two.",
        example: "bt.wait({ 1, 2.5 })",
        price: 24,
        ..Binding::function(BT, "bt.wait", wait)
    },
    Binding {
        params: &[NODE],
        returns: "Node",
        doc: "Success becomes failure, and failure success.",
        example: "bt.invert(bt.condition(function(self) return true end))",
        price: 24,
        ..Binding::function(BT, "bt.invert", invert)
    },
    Binding {
        params: &[NODE],
        returns: "Node",
        doc: "Succeeds in any case.",
        example: "bt.succeed(bt.walkTo(\"post\"))",
        price: 24,
        ..Binding::function(BT, "bt.succeed", succeed)
    },
    Binding {
        params: &[NODE, param("times", "number?", "3")],
        returns: "Node",
        raises: "range",
        doc: "Repeats so many times, once a tick at most, and ends as the last one did; without `times` for ever.",
        example: "bt.repeatN(bt.wait(1), 3)",
        price: 24,
        ..Binding::function(BT, "bt.repeatN", repeat)
    },
    Binding {
        params: &[NODE, param("times", "number", "3")],
        returns: "Node",
        raises: "range",
        doc: "Repeats while it fails, so many times at most, once a tick.",
        example: "bt.retry(bt.walkTo(\"post\"), 3)",
        price: 24,
        ..Binding::function(BT, "bt.retry", retry)
    },
    Binding {
        params: &[NODE, SECONDS, param("options", "CooldownOptions?", "{ keep = true }")],
        returns: "Node",
        raises: "range",
        doc: "Fails while it cools, so many seconds after the node has ended. Interrupted, it forgets that unless `keep` is set.",
        example: "bt.cooldown(bt.walkTo(\"post\"), 5, { keep = true })",
        price: 24,
        ..Binding::function(BT, "bt.cooldown", cooldown)
    },
    Binding {
        params: &[NODE, SECONDS],
        returns: "Node",
        raises: "range",
        doc: "Fails and interrupts the node when it takes longer.",
        example: "bt.timeLimit(bt.walkTo(\"post\"), 5)",
        price: 24,
        ..Binding::function(BT, "bt.timeLimit", time_limit)
    },
    Binding {
        params: &[PREDICATE, NODE],
        returns: "Node",
        doc: "Runs the node while the predicate, tested each tick, holds; fails and interrupts it otherwise.",
        example: "bt.when(function(self) return true end, bt.wait(1))",
        price: 24,
        ..Binding::function(BT, "bt.when", when)
    },
    Binding {
        params: &[param("nodes", "{Node}", NODES_SAMPLE)],
        returns: "Node",
        raises: "range",
        doc: "One of the children, drawn from `self.rng`.",
        example: "bt.random{ bt.wait(1), bt.wait(2) }",
        price: 24,
        ..Binding::function(BT, "bt.random", random)
    },
    Binding {
        params: &[param("nodes", "{{any}}", "{ { 1, bt.wait(1) } }")],
        returns: "Node",
        raises: "range",
        doc: "One of the children, drawn from `self.rng` by weight; entries `{ weight, node }`.",
        example: "bt.weighted{ { 3, bt.wait(1) }, { 1, bt.wait(2) } }",
        price: 24,
        ..Binding::function(BT, "bt.weighted", weighted)
    },
    Binding {
        params: &[param("name", "string", "\"patrol_tree\"")],
        returns: "Node",
        raises: "name",
        doc: "The tree of another file: one that returns a node, or a behaviour with a tree.",
        example: "bt.subtree(\"patrol_tree\")",
        price: 24,
        ..Binding::function(BT, "bt.subtree", subtree)
    },
];

/// A node of these children; `fill` adds what else it has.
fn build(
    lua: &Lua,
    args: &Args,
    kind: &'static str,
    children: Vec<Table>,
    fill: impl FnOnce(&Table) -> mlua::Result<()>,
) -> HostResult {
    let (mut depth, mut count) = (1, 1);
    for child in &children {
        depth = depth.max(child.raw_get::<u32>("depth")? + 1);
        count += child.raw_get::<u32>("count")?;
    }
    if depth > tree::DEPTH_MAX {
        return Err(args
            .mistake(format!("nodes are {depth} deep, expected at most {}", tree::DEPTH_MAX))
            .into());
    }
    if count > tree::NODES_MAX {
        return Err(args
            .mistake(format!("the tree has {count} nodes, expected at most {}", tree::NODES_MAX))
            .into());
    }
    let made = lua.create_table()?;
    made.raw_set("kind", kind)?;
    made.raw_set("depth", depth)?;
    made.raw_set("count", count)?;
    made.raw_set("place", place_of_caller(lua))?;
    for child in children {
        made.raw_push(child)?;
    }
    fill(&made)?;
    node::seal(lua, &made)?;
    answer(lua, made)
}

fn plain(lua: &Lua, args: &Args, kind: &'static str, child: Table) -> HostResult {
    build(lua, args, kind, vec![child], |_| Ok(()))
}

fn read_node(lua: &Lua, given: &Argument) -> Result<Table, UsageError> {
    node::node(lua, given.value()).ok_or_else(|| given.not("a node out of a builder of bt"))
}

/// Children at 1, 2, 3 and so on, and the one option that may stand beside them.
fn branch(
    lua: &Lua,
    args: &mut Args,
    option: Option<&'static str>,
) -> Result<(Vec<Table>, Value), UsageError> {
    let given = args.take("nodes");
    let table = given.table("a list of nodes")?;
    let count = table.raw_len();
    let most = tree::NODES_MAX as usize;
    if count > most {
        return Err(args.mistake(format!("nodes has {count} entries, expected at most {most}")));
    }
    // Once to look at the keys, once to read the nodes.
    fuel::charge_running(2 * count as u64);
    let mut found = Value::Nil;
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|error| args.mistake(error.to_string()))?;
        let index = match &key {
            Value::Integer(index) => usize::try_from(*index).ok(),
            Value::Number(index) if (*index as usize) as f64 == *index => Some(*index as usize),
            _ => None,
        };
        match (index, key.as_string().map(|key| key.to_string_lossy())) {
            (Some(index), _) if (1..=count).contains(&index) => {}
            (None, Some(name)) if Some(name.as_str()) == option => found = value,
            (None, Some(name)) => return Err(UsageError::unknown(args.function(), "option", &name, option)),
            _ => {
                return Err(args.mistake(format!(
                    "nodes has the key {}, expected a list without holes",
                    describe(&key)
                )));
            }
        }
    }
    if count == 0 {
        return Err(args.mistake("nodes is empty, expected at least one node"));
    }
    let entry = |at: usize| {
        let value = table.raw_get::<Value>(at).unwrap_or(Value::Nil);
        read_node(lua, &Argument::new(args.function(), &format!("nodes[{at}]"), value))
    };
    Ok(((1..=count).map(entry).collect::<Result<_, _>>()?, found))
}

fn in_turn(lua: &Lua, args: &mut Args, kind: &'static str) -> HostResult {
    let (children, reactive) = branch(lua, args, Some("reactive"))?;
    let given = Argument::new(args.function(), "reactive", reactive).present();
    let reactive = given.map_or(Ok(false), |given| given.boolean())?;
    build(lua, args, kind, children, |made| made.raw_set("reactive", reactive))
}

fn sequence(lua: &Lua, args: &mut Args) -> HostResult {
    in_turn(lua, args, "sequence")
}

fn selector(lua: &Lua, args: &mut Args) -> HostResult {
    in_turn(lua, args, "selector")
}

fn parallel(lua: &Lua, args: &mut Args) -> HostResult {
    let (children, succeed) = branch(lua, args, Some("succeed"))?;
    let given = Argument::new(args.function(), "succeed", succeed).present();
    let succeed = given.map_or(Ok("all"), |given| given.one_of(&["all", "any"]))?;
    build(lua, args, "parallel", children, |made| made.raw_set("any", succeed == "any"))
}

fn condition(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.take("fn").callable()?;
    build(lua, args, "condition", Vec::new(), |made| made.raw_set("test", function))
}

fn action(lua: &Lua, args: &mut Args) -> HostResult {
    let given = args.take("fn");
    if let Some(run) = given.value().as_function() {
        return build(lua, args, "action", Vec::new(), |made| made.raw_set("run", run));
    }
    if !given.value().is_table() {
        return Err(given.not("a function or a table of enter, run and exit").into());
    }
    let parts = given.options(&["enter", "run", "exit"])?;
    let part = |name| parts.find(name).map(|given| given.callable()).transpose();
    let (enter, exit) = (part("enter")?, part("exit")?);
    let mut run = parts.get("run").callable()?;
    if let Some(enter) = enter {
        run = node::join(lua, enter, run)?;
    }
    build(lua, args, "action", Vec::new(), |made| {
        made.raw_set("run", run)?;
        made.raw_set("exit", exit)
    })
}

fn walk_to(lua: &Lua, args: &mut Args) -> HostResult {
    let goal = args.take("goal");
    if !goal.value().is_function() {
        place::single(&goal)?;
    }
    let options = args.take("options");
    if let Some(table) = options.value().as_table() {
        for pair in table.pairs::<Value, Value>() {
            let (key, _) = pair?;
            let name = key.as_string().map(|key| key.to_string_lossy()).unwrap_or_default();
            if walk_options::is_handler(&name) && walk_options::NAMES.contains(&name.as_str()) {
                let what = format!("{name}: handlers are not allowed here; the node succeeds or fails");
                return Err(args.mistake(what).into());
            }
        }
    }
    // Checked now, and read again for every walk, when there is a world.
    walk_options::read(
        lua,
        &mut Args::new(args.function(), mlua::MultiValue::from_iter([options.value().clone()])),
    )?;
    let (goal, options) = (goal.into_value(), copy(lua, options.value())?);
    build(lua, args, "walkTo", Vec::new(), |made| {
        made.raw_set("goal", goal)?;
        made.raw_set("options", options)
    })
}

/// A copy of an options table, so that what was checked stays as it was.
fn copy(lua: &Lua, value: &Value) -> mlua::Result<Value> {
    let Value::Table(table) = value else {
        return Ok(Value::Nil);
    };
    let copy = lua.create_table()?;
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        copy.raw_set(key, value)?;
    }
    Ok(Value::Table(copy))
}

fn wait(lua: &Lua, args: &mut Args) -> HostResult {
    let given = args.take("seconds");
    let (low, high) = match given.value() {
        Value::Table(range) => {
            let end = |at: usize| {
                let value = range.raw_get::<Value>(at).unwrap_or(Value::Nil);
                Argument::new(args.function(), &format!("seconds[{at}]"), value)
                    .number_in(0.0..=SECONDS_MAX, "seconds")
            };
            let (low, high) = (end(1)?, end(2)?);
            if has_more_than(range, 2) {
                return Err(args.mistake("seconds has more than two entries, expected { low, high }").into());
            }
            if low > high {
                let what = format!("the range is {low} to {high}, expected low not above high");
                return Err(args.mistake(what).into());
            }
            (low, high)
        }
        _ => {
            let seconds = given.number_in(0.0..=SECONDS_MAX, "seconds")?;
            (seconds, seconds)
        }
    };
    build(lua, args, "wait", Vec::new(), |made| {
        made.raw_set("low", low)?;
        made.raw_set("high", high)
    })
}

fn invert(lua: &Lua, args: &mut Args) -> HostResult {
    let child = read_node(lua, &args.take("node"))?;
    plain(lua, args, "invert", child)
}

fn succeed(lua: &Lua, args: &mut Args) -> HostResult {
    let child = read_node(lua, &args.take("node"))?;
    plain(lua, args, "succeed", child)
}

fn repeat(lua: &Lua, args: &mut Args) -> HostResult {
    let child = read_node(lua, &args.take("node"))?;
    let times = args.take("times").present().map(|times| times.integer_in(1..=TIMES_MAX)).transpose()?;
    build(lua, args, "repeatN", vec![child], |made| made.raw_set("times", times))
}

fn retry(lua: &Lua, args: &mut Args) -> HostResult {
    let child = read_node(lua, &args.take("node"))?;
    let times = args.take("times").integer_in(1..=TIMES_MAX)?;
    build(lua, args, "retry", vec![child], |made| made.raw_set("times", times))
}

fn cooldown(lua: &Lua, args: &mut Args) -> HostResult {
    let child = read_node(lua, &args.take("node"))?;
    let seconds = args.take("seconds").number_in(0.0..=SECONDS_MAX, "seconds")?;
    let options = args.options(&["keep"])?;
    let keep = options.find("keep").map_or(Ok(false), |keep| keep.boolean())?;
    build(lua, args, "cooldown", vec![child], |made| {
        made.raw_set("seconds", seconds)?;
        made.raw_set("keep", keep)
    })
}

fn time_limit(lua: &Lua, args: &mut Args) -> HostResult {
    let child = read_node(lua, &args.take("node"))?;
    let seconds = args.take("seconds").number_in(0.0..=SECONDS_MAX, "seconds")?;
    build(lua, args, "timeLimit", vec![child], |made| made.raw_set("seconds", seconds))
}

fn when(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.take("fn").callable()?;
    let child = read_node(lua, &args.take("node"))?;
    build(lua, args, "when", vec![child], |made| made.raw_set("test", function))
}

fn random(lua: &Lua, args: &mut Args) -> HostResult {
    let (children, _) = branch(lua, args, None)?;
    build(lua, args, "random", children, |_| Ok(()))
}

fn weighted(lua: &Lua, args: &mut Args) -> HostResult {
    let given = args.take("nodes");
    let most = tree::NODES_MAX as usize;
    let entries = crate::script::bind::call::list(&given, "a list of { weight, node }", most, |entry| {
        let pair = entry.table("{ weight, node }")?;
        let part = |at: usize| {
            let value = pair.raw_get::<Value>(at).unwrap_or(Value::Nil);
            Argument::new(entry.function(), &format!("{}[{at}]", entry.name()), value)
        };
        Ok((part(1).number_in(0.0..=1e9, "")?, read_node(lua, &part(2))?))
    })?;
    if !entries.iter().any(|(weight, _)| *weight > 0.0) {
        return Err(args.mistake("nodes has no weight above 0, expected at least one").into());
    }
    let (weights, children): (Vec<f64>, Vec<Table>) = entries.into_iter().unzip();
    build(lua, args, "weighted", children, |made| made.raw_set("weights", weights))
}

fn subtree(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("the name of a file with a tree")?;
    let result = registration::load(lua, &name).map_err(|what| args.mistake(what))?;
    let found = node::node(lua, &result).or_else(|| {
        let tree = result.as_table()?.raw_get::<Value>("tree").ok()?;
        node::node(lua, &tree)
    });
    let missing = || {
        args.mistake(format!(
            "\"{name}\" returns {}, expected a node or a behaviour with a tree",
            describe(&result)
        ))
    };
    answer(lua, found.ok_or_else(missing)?)
}
