//! Ticks each node of a behaviour tree, and leaves it.
//!
//! In: the tree, the state of its nodes. Out: calls of predicates, tasks of actions, walks. Holds: a node is
//! ticked once in a tick of its tree, so a tick is bounded; a branch that runs is left before an action, a
//! walk or a wait of an earlier one begins, so two branches of a selector never run together; a node that was
//! entered is left exactly once, and learns how it really ended.

use mlua::{MultiValue, Value};

use crate::base::rng::Rng;
use crate::script::state::tasks::{NewTask, TaskRole, Why};
use crate::script::state::trees::{ActionEnd, ActionExit, NodeKind, NodeState, TreeNode};
use crate::script::state::trees::{Composite, ParallelEnd};
use crate::script::state::wait::{Outcome, Wait};
use crate::script::step::invoke::{self, Call};
use crate::script::step::tree::cursor::TreeCursor;
use crate::script::step::tree::node::walk_to;
use crate::script::step::{task, wait};
use crate::script::vm::convert::Args;
use crate::script::vm::fault::{CallFailure, FaultKind, text_of_error};
use crate::script::vm::handles::{StreamId, thing};
use crate::script::vm::{lend, store};
use crate::world::World;

/// Where a node stands after its tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeStatus {
    Running,
    /// It ended: with success or not.
    Ended(bool),
}

/// How a tick comes to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeEntry {
    /// It begins.
    Fresh,
    /// It went on running since the last tick.
    Running,
}

/// Code of a node has faulted, which was reported: the tree is to be left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faulted;

impl TreeCursor<'_> {
    /// Ticks a node. Bounded by the depth of the tree.
    pub(crate) fn tick(&mut self, at: usize) -> Result<NodeStatus, Faulted> {
        let nodes = self.nodes;
        self.visited += 1;
        let TreeNode { kind, children, .. } = &nodes[at];
        let entry = if self.states[at].is_running { NodeEntry::Running } else { NodeEntry::Fresh };
        if entry == NodeEntry::Fresh && !matches!(kind, NodeKind::Cooldown { .. }) {
            self.states[at] = NodeState { is_running: true, ..NodeState::default() };
        }
        let status = match kind {
            NodeKind::InTurn { composite, reactive } => {
                if *reactive && entry == NodeEntry::Running {
                    self.in_turn_again(at, children, *composite)?
                } else {
                    self.in_turn(at, children, *composite)?
                }
            }
            NodeKind::Parallel(end) => self.parallel(children, *end, entry)?,
            NodeKind::Condition(test) => NodeStatus::Ended(self.test("condition", test)?),
            NodeKind::Action { run, .. } => self.action(at, run, entry)?,
            NodeKind::WalkTo { .. } => self.walk(at, entry)?,
            NodeKind::Wait { low_s, high_s } => self.wait(at, *low_s, *high_s, entry),
            NodeKind::Invert => match self.tick(children[0])? {
                NodeStatus::Ended(ok) => NodeStatus::Ended(!ok),
                NodeStatus::Running => NodeStatus::Running,
            },
            NodeKind::Succeed => match self.tick(children[0])? {
                NodeStatus::Ended(_) => NodeStatus::Ended(true),
                NodeStatus::Running => NodeStatus::Running,
            },
            NodeKind::Repeat(times) => self.again(at, children[0], *times, None)?,
            NodeKind::Retry(times) => self.again(at, children[0], Some(*times), Some(true))?,
            NodeKind::Cooldown { seconds, .. } => self.cooldown(at, children[0], *seconds)?,
            NodeKind::TimeLimit(seconds) => self.limited(at, children[0], *seconds, entry)?,
            NodeKind::When(test) => {
                if self.test("when", test)? {
                    self.tick(children[0])?
                } else {
                    self.interrupt(children[0]);
                    NodeStatus::Ended(false)
                }
            }
            NodeKind::Drawn(weights) => {
                if entry == NodeEntry::Fresh {
                    // A tree has at most 4,096 nodes.
                    self.states[at].cursor = self.draw(children.len(), weights.as_deref()) as u16;
                }
                self.tick(children[usize::from(self.states[at].cursor)])?
            }
        };
        self.states[at].is_running = status == NodeStatus::Running;
        Ok(status)
    }

    /// Ticks the earlier children once more before the one that runs, which they may interrupt.
    fn in_turn_again(
        &mut self,
        at: usize,
        children: &[usize],
        composite: Composite,
    ) -> Result<NodeStatus, Faulted> {
        let cursor = usize::from(self.states[at].cursor);
        let later = children[cursor];
        for (place, &child) in children[..cursor].iter().enumerate() {
            self.rivals.push(later);
            let status = self.tick(child);
            self.rivals.pop();
            match status? {
                NodeStatus::Ended(ok) if ok != composite.stops_on() => {}
                ended => {
                    self.interrupt(later);
                    self.states[at].cursor = place as u16;
                    return Ok(ended);
                }
            }
        }
        self.in_turn(at, children, composite)
    }

    fn in_turn(
        &mut self,
        at: usize,
        children: &[usize],
        composite: Composite,
    ) -> Result<NodeStatus, Faulted> {
        let stop_on = composite.stops_on();
        let cursor = usize::from(self.states[at].cursor);
        for (place, &child) in children.iter().enumerate().skip(cursor) {
            match self.tick(child)? {
                NodeStatus::Running => {
                    self.states[at].cursor = place as u16;
                    return Ok(NodeStatus::Running);
                }
                NodeStatus::Ended(ok) if ok == stop_on => return Ok(NodeStatus::Ended(ok)),
                NodeStatus::Ended(_) => {}
            }
        }
        Ok(NodeStatus::Ended(!stop_on))
    }

    fn parallel(
        &mut self,
        children: &[usize],
        end: ParallelEnd,
        entry: NodeEntry,
    ) -> Result<NodeStatus, Faulted> {
        let ends_on = end.ends_on();
        if entry == NodeEntry::Fresh {
            children.iter().for_each(|&child| self.states[child].result = None);
        }
        for &child in children {
            if self.states[child].result.is_some() {
                continue;
            }
            if let NodeStatus::Ended(ok) = self.tick(child)? {
                self.states[child].result = Some(ok);
                if ok == ends_on {
                    children.iter().for_each(|&child| self.interrupt(child));
                    return Ok(NodeStatus::Ended(ends_on));
                }
            }
        }
        let are_over = children.iter().all(|&child| self.states[child].result.is_some());
        Ok(if are_over { NodeStatus::Ended(!ends_on) } else { NodeStatus::Running })
    }

    /// A turn of a node that repeats: it is over after so many, or with the first that ends as `until`.
    fn again(
        &mut self,
        at: usize,
        child: usize,
        times: Option<u64>,
        until: Option<bool>,
    ) -> Result<NodeStatus, Faulted> {
        let NodeStatus::Ended(ok) = self.tick(child)? else {
            return Ok(NodeStatus::Running);
        };
        let state = &mut self.states[at];
        state.turns = state.turns.saturating_add(1);
        let is_over = until == Some(ok) || times.is_some_and(|times| u64::from(state.turns) >= times);
        Ok(if is_over { NodeStatus::Ended(ok) } else { NodeStatus::Running })
    }

    fn cooldown(&mut self, at: usize, child: usize, seconds: f64) -> Result<NodeStatus, Faulted> {
        let is_cooling = self.states[at].until.is_some_and(|until| self.now() < until);
        if is_cooling && !self.states[at].is_running {
            return Ok(NodeStatus::Ended(false));
        }
        self.states[at].is_running = true;
        let status = self.tick(child)?;
        if status != NodeStatus::Running {
            self.states[at].until = Some(self.in_seconds(seconds));
        }
        Ok(status)
    }

    fn limited(
        &mut self,
        at: usize,
        child: usize,
        seconds: f64,
        entry: NodeEntry,
    ) -> Result<NodeStatus, Faulted> {
        if entry == NodeEntry::Fresh {
            self.states[at].until = Some(self.in_seconds(seconds));
        }
        let status = self.tick(child)?;
        if status == NodeStatus::Running && self.states[at].until.is_some_and(|until| until <= self.now()) {
            self.interrupt(child);
            return Ok(NodeStatus::Ended(false));
        }
        Ok(status)
    }

    fn wait(&mut self, at: usize, low_s: f64, high_s: f64, entry: NodeEntry) -> NodeStatus {
        if entry == NodeEntry::Fresh {
            self.leave_rivals();
            let seconds =
                if low_s < high_s { self.drawn(low_s, |rng| rng.float(low_s, high_s)) } else { low_s };
            // As for every wait: a tick at least.
            self.states[at].until = Some(self.in_seconds(seconds).max(self.now().after(1)));
        }
        let is_over = self.states[at].until.is_none_or(|until| until <= self.now());
        if is_over { NodeStatus::Ended(true) } else { NodeStatus::Running }
    }

    /// Draws from the stream of the behaviour; `otherwise` when it has none.
    fn drawn<R>(&self, otherwise: R, draw: impl FnOnce(&mut Rng) -> R) -> R {
        let stream = self.this.raw_get::<Value>("rng").ok();
        let Some(stream) = stream.and_then(|stream| thing::<StreamId>(&stream)) else {
            // The script has put something else there.
            return otherwise;
        };
        let mut numbers = store::with(self.lua(), |runtime| runtime.streams.lend(stream.0));
        let drawn = draw(&mut numbers);
        store::with(self.lua(), |runtime| runtime.streams.give_back(stream.0, numbers));
        drawn
    }

    fn draw(&self, count: usize, weights: Option<&[f64]>) -> usize {
        let Some(weights) = weights else {
            let drawn = self.drawn(0, |numbers| numbers.below(count as u64));
            return usize::try_from(drawn).unwrap_or(0).min(count - 1);
        };
        let total: f64 = weights.iter().sum();
        let mut left = self.drawn(0.0, |numbers| numbers.float(0.0, total));
        let mut chosen = 0;
        for (place, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            chosen = place;
            if left < *weight {
                break;
            }
            left -= weight;
        }
        chosen
    }

    /// Whether one more call is made in this tick: a tree is ticked as a whole, so all of its calls count
    /// together.
    fn may_call(&self, call: &Call) -> Result<(), Faulted> {
        /// Fuel of a tick that the calls of one tree may cost, times: more than half of a tick at any time,
        /// and so little that no frame is stuck.
        const TICKS_MAX: u64 = 2;
        let most = self.vm.limits().fuel_per_tick.saturating_mul(TICKS_MAX);
        if self.vm.tick_spent().saturating_sub(self.spent_before) < most {
            return Ok(());
        }
        let what = format!("the tree was stopped after calls of {most} steps in one tick; have nodes wait");
        Err(self.report(call, CallFailure::new(FaultKind::Fuel, what, None)))
    }

    fn test(&self, callback: &'static str, test: &mlua::Function) -> Result<bool, Faulted> {
        let call = Call::plain(self.owner, callback);
        self.may_call(&call)?;
        invoke::test(self.vm, &call, test, self.this).map_err(|failure| self.report(&call, failure))
    }

    fn report(&self, call: &Call, failure: CallFailure) -> Faulted {
        invoke::report(self.vm, call, failure);
        Faulted
    }

    fn action(&mut self, at: usize, run: &mlua::Function, entry: NodeEntry) -> Result<NodeStatus, Faulted> {
        if entry == NodeEntry::Fresh {
            self.may_call(&Call::plain(self.owner, "action"))?;
            self.leave_rivals();
            let args = MultiValue::from_iter([Value::Table(self.this.clone())]);
            let (owner, callback, function) = (self.owner, "action".into(), run.clone());
            let spawn = NewTask { owner, callback, role: TaskRole::TreeAction, function, args, name: None };
            let task = task::add(self.lua(), spawn);
            task::begin(self.vm, task);
            self.states[at].task = Some(task);
        }
        let task = self.states[at].task;
        let over = store::with(self.lua(), |runtime| runtime.actors.trees.take_end(task?));
        let Some(end) = over else {
            return Ok(NodeStatus::Running);
        };
        self.states[at].task = None;
        let ok = end == ActionEnd::Returned(true);
        self.forget_walks(task);
        self.exit(at, ActionExit::of(ok));
        if end == ActionEnd::Faulted { Err(Faulted) } else { Ok(NodeStatus::Ended(ok)) }
    }

    fn walk(&mut self, at: usize, entry: NodeEntry) -> Result<NodeStatus, Faulted> {
        if entry == NodeEntry::Fresh {
            let goal = self.goal(at)?;
            self.leave_rivals();
            self.states[at].walk = Some(Box::new(self.walk_to(at, goal)?));
        }
        let Some(walk) = self.states[at].walk.as_ref().map(|walk| walk.0) else {
            return Ok(NodeStatus::Ended(false));
        };
        let is_open = |world: &mut World| world.walks.open(walk).is_some();
        if lend::with_world(self.lua(), is_open).unwrap_or(false) {
            return Ok(NodeStatus::Running);
        }
        let Some(Outcome::Value(result)) = wait::known(self.lua(), Wait::Walk(walk)) else {
            return Ok(NodeStatus::Running);
        };
        self.states[at].walk = None;
        let status = result.as_table().and_then(|result| result.raw_get::<String>("status").ok());
        Ok(NodeStatus::Ended(status.as_deref() == Some("arrived")))
    }

    /// A place, or x and z.
    fn goal(&self, at: usize) -> Result<MultiValue, Faulted> {
        let NodeKind::WalkTo { goal, .. } = &self.nodes[at].kind else {
            return Ok(MultiValue::new());
        };
        let Value::Function(function) = goal else {
            return Ok(MultiValue::from_iter([goal.clone()]));
        };
        let call = Call::plain(self.owner, "goal");
        self.may_call(&call)?;
        let found = invoke::call(self.vm, &call, function, self.this).ok_or(Faulted)?;
        let is_number = |value: &Value| value.is_number() || value.is_integer();
        let count = if found.front().is_some_and(is_number) { 2 } else { 1 };
        let found = found.into_iter().chain([Value::Nil, Value::Nil]);
        Ok(found.take(count).collect())
    }

    fn walk_to(&self, at: usize, goal: MultiValue) -> Result<(crate::base::ids::WalkId, Value), Faulted> {
        let (lua, node) = (self.lua(), &self.nodes[at]);
        let NodeKind::WalkTo { options, .. } = &node.kind else {
            return Err(Faulted);
        };
        let call = Call::plain(self.owner, "walkTo");
        let walked = invoke::within(self.vm, &call, || {
            let character: Value = self.this.raw_get("character")?;
            let mut values = goal;
            values.push_front(character);
            values.push_back(options.clone());
            walk_to(lua, &mut Args::new("bt.walkTo", values))
        });
        let handle = walked.map(|values| values.into_iter().next().unwrap_or(Value::Nil));
        let found = handle.map(|handle| thing(&handle).map(|walk| (walk, handle)));
        match found {
            Ok(Some(walk)) => Ok(walk),
            Ok(None) => Err(Faulted),
            Err(error) => {
                let place = node.place.rsplit_once(':');
                let place = place.and_then(|(file, line)| Some((file, line.parse().ok()?)));
                let failure = CallFailure::new(FaultKind::Error, text_of_error(&error), place);
                Err(self.report(&call, failure))
            }
        }
    }

    /// Leaves the later branches of reactive nodes, outermost first, before something begins.
    fn leave_rivals(&mut self) {
        for place in 0..self.rivals.len() {
            self.interrupt(self.rivals[place]);
        }
    }

    /// Leaves a branch that runs; nothing when it does not.
    fn interrupt(&mut self, at: usize) {
        if self.states[at].is_running {
            self.leave(at, ActionExit::Interrupted, Why::Cancelled);
        }
    }
}
