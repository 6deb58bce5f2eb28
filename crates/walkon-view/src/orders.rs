//! Requests to the running level, in order of arrival.
//!
//! In: orders through a channel. Out: orders and the clients that wait for their answers, in the order in
//! which they came. Holds: an order that was put back comes before a new one. Not here: obeying (`running`,
//! `debugging`).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::{Value, json};
use walkon_runtime::game::inputs::Input;
use walkon_runtime::script::debug::{Asking, DebugOrder, HitRule, Page};

use crate::client::{Client, Reply};
use crate::question::Question;

/// How fast the level runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// A multiple of real time.
    Times(f64),
    /// As fast as it goes.
    Max,
}

impl Speed {
    /// As the protocol has it.
    #[must_use]
    pub fn json(self) -> Value {
        match self {
            Self::Times(times) => json!(times),
            Self::Max => json!("max"),
        }
    }
}

/// What a client wants of the running level.
#[derive(Debug)]
pub enum Order {
    /// Runs on.
    Play,
    /// Stands still.
    Pause,
    /// So many ticks, then stands still.
    Step(u64),
    /// Runs so fast.
    Speed(Speed),
    /// From tick 0, with the texts as they are now and perhaps another seed.
    Restart(Option<u64>),
    /// From a tick of the past.
    GoOn(u64),
    /// The game as it is now, as a file to go on from.
    Save,
    /// Something to say to the level.
    Input(Input),
    /// Something to find out.
    Ask(Question),
    /// Something of the debugger.
    Debug(DebugAsk),
    /// Tells a client all that it has to know.
    Welcome(Arc<Client>),
    /// Draws everything again for a client, which wants to see something else.
    Draw(Arc<Client>),
    /// The end.
    Stop,
}

/// What a client asks the debugger.
#[derive(Clone, Debug)]
pub enum DebugAsk {
    /// These take the place of the breakpoints of a file.
    Breakpoints {
        /// Below the script folders.
        file: String,
        /// Where.
        lines: Vec<LineWish>,
    },
    /// What else to stop at; what is not said stays.
    Stops {
        /// Names of events.
        events: Option<Vec<String>>,
        /// Whether at every fault.
        faults: Option<bool>,
    },
    /// The lines where a file can stop.
    Lines {
        /// Below the script folders.
        file: String,
    },
    /// Stops wherever code is.
    Pause,
    /// Goes on.
    Go(DebugOrder),
    /// The tasks, and the calls that are none.
    Threads,
    /// The frames of one of them.
    Frames {
        /// Its number; without one, that which has stopped.
        thread: Option<u64>,
    },
    /// The groups of names in a frame.
    Scopes {
        /// Its number.
        frame: u64,
    },
    /// What is inside something.
    Variables {
        /// What it was handed out by.
        reference: u64,
        /// Which of it.
        page: Page,
    },
    /// What a text comes to.
    Evaluate {
        /// The text.
        text: String,
        /// Where; without one, among the globals of the level.
        frame: Option<u64>,
        /// Whether it may change anything.
        asking: Asking,
    },
}

/// A breakpoint that a client wants.
#[derive(Clone, Debug)]
pub struct LineWish {
    /// The line, from 1.
    pub line: u32,
    /// As in [`walkon_runtime::script::debug::BreakpointWish`].
    pub condition: Option<String>,
    /// As it was written, and what it means.
    pub hits: Option<(String, HitRule)>,
    /// As in [`walkon_runtime::script::debug::BreakpointWish`].
    pub log: Option<String>,
}

/// An order, and the client that waits for its answer.
#[derive(Debug)]
pub struct Ordered {
    /// The order.
    pub order: Order,
    /// Where its answer goes.
    pub reply: Option<Reply>,
}

/// Orders as they come.
#[derive(Debug)]
pub struct Orders {
    incoming: Receiver<Ordered>,
    put_back: RefCell<VecDeque<Ordered>>,
}

impl Orders {
    /// Those that come through `incoming`.
    #[must_use]
    pub fn new(incoming: Receiver<Ordered>) -> Self {
        Self { incoming, put_back: RefCell::default() }
    }

    /// The next, waiting for one for a while.
    ///
    /// # Errors
    /// When none has come, or nobody is left to give any.
    pub fn next(&self, patience: Duration) -> Result<Ordered, RecvTimeoutError> {
        let before = self.put_back.borrow_mut().pop_front();
        before.map_or_else(|| self.incoming.recv_timeout(patience), Ok)
    }

    /// One that has just come, past all that were put back.
    ///
    /// # Errors
    /// As for [`Orders::next`].
    pub fn newest(&self, patience: Duration) -> Result<Ordered, RecvTimeoutError> {
        self.incoming.recv_timeout(patience)
    }

    /// One that is to be obeyed later, behind those that were put back before.
    pub fn put_back(&self, ordered: Ordered) {
        self.put_back.borrow_mut().push_back(ordered);
    }
}
