//! A client of the Debug Adapter Protocol: its requests, the messages to it, its requirements of running
//! levels.
//!
//! In: messages. Out: requests, in order; answers and events. Holds: a request is kept until it is read. Not
//! here: the meaning of requests (`adapter`), the encoding of messages (`wire`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::script::debug::{BreakpointWish, Pauses};
use walkon_shell::{CommandFailure, Exit};

use crate::shell::debug::wire;
use crate::shell::interrupts::Interrupts;
use crate::shell::output::tell;

/// Longest sleep while a level stands still: signals are heard that soon.
const NAP: Duration = Duration::from_millis(50);
/// The same while somebody is connected who has not yet begun.
const VISITED_NAP: Duration = Duration::from_millis(5);
/// Longest time that writing to one of them may take: greetings fit into the buffers of the system.
const VISITOR_PATIENCE: Duration = Duration::from_millis(50);
/// Most who are connected and have not begun; the one that came first makes room for another.
const VISITORS_MAX: usize = 16;
/// How long a stop waits for the request that asked for it, to answer that first.
const ANSWER_PATIENCE: Duration = Duration::from_secs(1);
/// How long a signal is waited for that may have come as the client left, and the time between two looks.
const SIGNAL_PATIENCE: Duration = Duration::from_millis(100);
const SIGNAL_NAP: Duration = Duration::from_millis(5);

/// A client that is connected.
pub(in crate::shell) struct Connection {
    incoming: Mutex<Incoming>,
    outgoing: Mutex<Box<dyn Write + Send>>,
    sent: AtomicU64,
    pub(super) flags: Arc<Flags>,
    wanted: Mutex<ClientWishes>,
    interrupts: Interrupts,
}

/// What somebody wants who has connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intent {
    /// Nothing yet but to be greeted.
    Unknown,
    /// Something of the level.
    Stays,
    /// Nothing any more.
    Leaves,
}

/// Those who are connected to the port, in order of their coming.
#[derive(Default)]
struct Visitors(VecDeque<Visitor>);

/// One of them; its socket is closed unless it becomes the client.
struct Visitor {
    connection: Arc<Connection>,
    is_greeted: bool,
    /// None once it is the client.
    socket: Option<TcpStream>,
}

impl Visitor {
    /// How far it has come that may leave again before it wants anything. One request is looked at, so that
    /// nobody who goes on talking keeps others waiting; who wants to be greeted again is no client.
    fn intent(&mut self) -> Intent {
        let connection = &self.connection;
        let outcome = connection.incoming().receive(Duration::ZERO);
        let request = match outcome {
            Ok(request) => request,
            Err(mpsc::RecvTimeoutError::Timeout) => return Intent::Unknown,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Intent::Leaves,
        };
        match command(&request) {
            "initialize" if self.is_greeted => Intent::Leaves,
            "initialize" => {
                self.is_greeted = true;
                connection.greet(&request);
                let takes_nothing = connection.flags.takes_nothing.load(Ordering::Relaxed);
                if takes_nothing { Intent::Leaves } else { Intent::Unknown }
            }
            "disconnect" | "terminate" => {
                connection.answer(&request, json!({}));
                Intent::Leaves
            }
            _ => {
                connection.put_back(VecDeque::from([request]));
                Intent::Stays
            }
        }
    }

    /// Its connection, which stays open, and on which writing takes as long as the client has us wait.
    fn become_client(&mut self) -> Arc<Connection> {
        if let Some(socket) = self.socket.take() {
            let _ = socket.set_write_timeout(None);
        }
        Arc::clone(&self.connection)
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        if let Some(socket) = &self.socket {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

impl Visitors {
    fn welcome(&mut self, stream: TcpStream, interrupts: &Interrupts) -> std::io::Result<()> {
        stream.set_nonblocking(false)?;
        // Small messages that the client waits for.
        let _ = stream.set_nodelay(true);
        stream.set_write_timeout(Some(VISITOR_PATIENCE))?;
        let (reading, socket) = (stream.try_clone()?, stream.try_clone()?);
        let connection = Connection::over(reading, Box::new(stream), interrupts.clone());
        // It goes on alone, whatever its client asks for first.
        connection.wanted().is_attached = true;
        if self.0.len() >= VISITORS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(Visitor { connection, is_greeted: false, socket: Some(socket) });
        Ok(())
    }

    /// The first of them that wants something of the level. Those that want nothing any more are let go.
    fn client(&mut self) -> Option<Arc<Connection>> {
        let mut found = None;
        self.0.retain_mut(|visitor| match visitor.intent() {
            Intent::Stays if found.is_none() => {
                found = Some(visitor.become_client());
                false
            }
            intent => intent != Intent::Leaves,
        });
        found
    }
}

/// Requests as they come.
struct Incoming {
    receiver: mpsc::Receiver<Value>,
    /// Those that were taken too early.
    put_back: VecDeque<Value>,
    /// How many were received.
    received: u64,
}

impl Incoming {
    fn receive(&mut self, patience: Duration) -> Result<Value, mpsc::RecvTimeoutError> {
        let request = self.receiver.recv_timeout(patience)?;
        self.received += 1;
        Ok(request)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a client of the debugger")
    }
}

/// What the thread that reads tells at once.
#[derive(Debug, Default)]
pub(super) struct Flags {
    /// How many requests have come.
    come: AtomicU64,
    /// Those of them that want everything to stop where it is.
    pauses: Pauses,
    /// It has left.
    pub(super) has_left: AtomicBool,
    /// Nothing more can be written to it.
    takes_nothing: AtomicBool,
    /// The run is to end.
    pub(super) is_ending: AtomicBool,
}

/// What the client wants of every level.
#[derive(Debug, Default)]
pub(super) struct ClientWishes {
    /// Breakpoints by file.
    pub(super) breakpoints: BTreeMap<String, Vec<BreakpointWish>>,
    /// The numbers of breakpoints, by file and line.
    numbers: BTreeMap<(String, u32), u64>,
    pub(super) events: BTreeSet<String>,
    pub(super) stops_at_faults: bool,
    pub(super) stops_on_entry: bool,
    pub(super) is_attached: bool,
    /// Whether `configurationDone` came.
    pub(super) is_ready: bool,
    /// What lines are counted from.
    pub(super) first_line: u32,
    pub(super) told_of: BTreeSet<String>,
}

impl ClientWishes {
    pub(super) fn number_of(&mut self, file: &str, line: u32) -> u64 {
        let next = self.numbers.len() as u64 + 1;
        *self.numbers.entry((file.to_owned(), line)).or_insert(next)
    }
}

impl Connection {
    /// The client on standard input and output.
    pub fn stdio(interrupts: Interrupts) -> Arc<Self> {
        Self::over(std::io::stdin(), Box::new(std::io::stdout()), interrupts)
    }

    /// Waits for a client at a port of this machine; 0 takes any free one and prints it on stderr. Of several
    /// that connect, the first that wants anything of the level is the client; the others are let go.
    pub fn listen(port: u16, interrupts: Interrupts) -> Result<Arc<Self>, CommandFailure> {
        let failed = |error: std::io::Error| CommandFailure::io(format!("port {port}: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        tell(&format!("debugger: waiting for a client on {address}"));
        listener.set_nonblocking(true).map_err(failed)?;
        let mut visitors = Visitors::default();
        loop {
            match listener.accept() {
                Ok((stream, _)) => visitors.welcome(stream, &interrupts).map_err(failed)?,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    if let Some(exit) = interrupts.asked() {
                        return Err(CommandFailure::Told(exit));
                    }
                    std::thread::sleep(if visitors.0.is_empty() { NAP } else { VISITED_NAP });
                }
                Err(error) => return Err(failed(error)),
            }
            if let Some(client) = visitors.client() {
                return Ok(client);
            }
        }
    }

    fn over(
        reading: impl Read + Send + 'static,
        writing: Box<dyn Write + Send>,
        interrupts: Interrupts,
    ) -> Arc<Self> {
        let (sender, receiver) = mpsc::channel();
        let flags = Arc::new(Flags::default());
        let seen = Arc::clone(&flags);
        let read = move || read_all(&mut BufReader::new(reading), &sender, &seen);
        // It ends with the stream; nobody waits for it.
        if let Err(error) = std::thread::Builder::new().name("debugger".to_owned()).spawn(read) {
            tell(&format!("debugger: no thread to read: {error}"));
        }
        let incoming = Incoming { receiver, put_back: VecDeque::new(), received: 0 };
        Arc::new(Self {
            incoming: Mutex::new(incoming),
            outgoing: Mutex::new(writing),
            sent: AtomicU64::new(0),
            flags,
            wanted: Mutex::new(ClientWishes { first_line: 1, ..ClientWishes::default() }),
            interrupts,
        })
    }

    /// Answers `initialize`.
    pub(super) fn greet(&self, request: &Value) {
        let first = request["arguments"]["linesStartAt1"].as_bool().unwrap_or(true);
        self.wanted().first_line = u32::from(first);
        self.answer(request, capabilities());
        // Behind the answer, as the protocol wants it.
        self.event("initialized", json!({}));
    }

    /// Whether the client has asked for the end of the run.
    pub fn is_ending(&self) -> bool {
        self.flags.is_ending.load(Ordering::Relaxed)
    }

    /// Whether a signal has asked for the end of the run.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted().is_some()
    }

    /// The code to end with, once a signal has asked for the end of the run.
    pub fn interrupted(&self) -> Option<Exit> {
        self.interrupts.asked()
    }

    /// The same once the client has left. A signal that was sent before that may still be on its way: any
    /// thread may handle it, and a busy machine may keep that one waiting.
    pub fn interrupted_as_it_left(&self) -> Option<Exit> {
        let until = Instant::now() + SIGNAL_PATIENCE;
        while !self.is_interrupted() && Instant::now() < until {
            std::thread::sleep(SIGNAL_NAP);
        }
        self.interrupted()
    }

    /// Tells the client a line.
    pub fn output(&self, category: &str, line: &str) {
        self.event("output", json!({ "category": category, "output": format!("{line}\n") }));
    }

    /// The run is over.
    pub fn finish(&self, code: u8) {
        self.event("exited", json!({ "exitCode": code }));
        self.event("terminated", json!({}));
    }

    /// There is nothing to run: answers until the client knows why.
    pub fn refuse(&self, why: &str) {
        while let Some(request) = self.next() {
            match command(&request) {
                "initialize" => self.greet(&request),
                "launch" | "attach" => {
                    self.fail(&request, why);
                    self.event("terminated", json!({}));
                }
                "disconnect" | "terminate" => {
                    self.answer(&request, json!({}));
                    return;
                }
                _ => self.answer(&request, json!({})),
            }
        }
    }

    pub(super) fn wanted(&self) -> std::sync::MutexGuard<'_, ClientWishes> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn incoming(&self) -> std::sync::MutexGuard<'_, Incoming> {
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next request; none when the client has left or a signal asked for the end.
    pub(super) fn next(&self) -> Option<Value> {
        let mut incoming = self.incoming();
        if let Some(request) = incoming.put_back.pop_front() {
            return Some(request);
        }
        loop {
            match incoming.receive(NAP) {
                Ok(request) => return Some(request),
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                Err(mpsc::RecvTimeoutError::Timeout) if self.is_interrupted() => return None,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A request that has come already.
    pub(super) fn come(&self) -> Option<Value> {
        let mut incoming = self.incoming();
        let before = incoming.put_back.pop_front();
        before.or_else(|| incoming.receive(Duration::ZERO).ok())
    }

    /// Whether a request has come that nobody has read.
    pub(super) fn has_more(&self) -> bool {
        let incoming = self.incoming();
        !incoming.put_back.is_empty() || incoming.received < self.flags.come.load(Ordering::Acquire)
    }

    /// Requests that are to be read again.
    pub(super) fn put_back(&self, requests: VecDeque<Value>) {
        self.incoming().put_back.extend(requests);
    }

    pub(super) fn pauses(&self) -> &Pauses {
        &self.flags.pauses
    }

    /// Answers the pauses that stop the level, before that is told; the requests that came between them.
    pub(super) fn answer_pauses(&self) -> VecDeque<Value> {
        let (mut held, mut answered) = (VecDeque::new(), Vec::new());
        let pauses = self.pauses();
        let asked = pauses.asked();
        let until = Instant::now() + ANSWER_PATIENCE;
        let mut incoming = self.incoming();
        held.append(&mut incoming.put_back);
        // It is told of a pause before its request is here, a moment later.
        while pauses.answered() < asked && Instant::now() < until {
            match incoming.receive(NAP) {
                Ok(request) if command(&request) == "pause" => {
                    pauses.answer();
                    answered.push(request);
                }
                Ok(request) => held.push_back(request),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        pauses.take(asked);
        drop(incoming);
        answered.iter().for_each(|request| self.answer(request, json!({})));
        held
    }

    fn send(&self, mut message: Value) {
        message["seq"] = json!(self.sent.fetch_add(1, Ordering::Relaxed) + 1);
        let mut outgoing = self.outgoing.lock().unwrap_or_else(PoisonError::into_inner);
        if wire::write(&mut **outgoing, &message).is_err() {
            self.flags.takes_nothing.store(true, Ordering::Relaxed);
            self.flags.has_left.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn answer(&self, request: &Value, body: Value) {
        self.send(json!({
            "type": "response", "request_seq": request["seq"], "success": true,
            "command": request["command"], "body": body,
        }));
    }

    pub(super) fn fail(&self, request: &Value, why: &str) {
        self.send(json!({
            "type": "response", "request_seq": request["seq"], "success": false,
            "command": request["command"], "message": why,
            "body": { "error": { "id": 1, "format": "{why}", "variables": { "why": why } } },
        }));
    }

    pub(super) fn event(&self, name: &str, body: Value) {
        self.send(json!({ "type": "event", "event": name, "body": body }));
    }
}

pub(super) fn command(request: &Value) -> &str {
    request["command"].as_str().unwrap_or_default()
}

fn read_all(stream: &mut impl std::io::BufRead, sender: &mpsc::Sender<Value>, flags: &Flags) {
    loop {
        match wire::read(stream) {
            Ok(Some(message)) if !message.is_object() => {
                tell("debugger: a message that is not a JSON object was ignored");
            }
            Ok(Some(message)) => {
                if command(&message) == "pause" {
                    flags.pauses.ask();
                }
                flags.come.fetch_add(1, Ordering::AcqRel);
                if sender.send(message).is_err() {
                    return;
                }
            }
            Ok(None) => break,
            Err(error) => {
                tell(&format!("debugger: {error}"));
                break;
            }
        }
    }
    flags.has_left.store(true, Ordering::Relaxed);
}

/// What this adapter can do: the answer to `initialize`.
fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsTerminateRequest": true,
        "supportTerminateDebuggee": true,
        "supportsVariablePaging": true,
        "exceptionBreakpointFilters": [{
            "filter": "faults", "label": "Faults", "default": true,
            "description": "Stops where an error that nobody catches, spent fuel or spent memory ends a call",
        }],
    })
}
