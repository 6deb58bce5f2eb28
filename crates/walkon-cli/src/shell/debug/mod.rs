//! Debuggers of editors: the Debug Adapter Protocol on standard input and output, or on a port of this
//! machine.
//!
//! In: requests of a client. Out: answers and events; what the client wants of the levels that run. Holds:
//! one client; a run waits for it while it stands still, and ends or goes on alone when it leaves. Not here:
//! what is to be seen of a level (`walkon_runtime::script::debug::Paused`).

mod adapter;
mod wire;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::script::debug::{BreakpointWish, Debugger, Pauses};
use walkon_runtime::script::vm::fuel::Signals;
use walkon_shell::CommandFailure;

use super::interrupts::Interrupts;
use super::output::tell;
use crate::shell::debug::adapter::Adapter;

/// Longest sleep while a level stands still: signals are heard that soon.
const NAP: Duration = Duration::from_millis(50);
/// How long a stop waits for the request that asked for it, to answer that first.
const ANSWER_PATIENCE: Duration = Duration::from_secs(1);

/// Where the files of a project lie: the path of each script below the script folders, and that on disk.
pub(super) type ScriptPlaces = BTreeMap<String, PathBuf>;

/// A client that is connected.
pub(super) struct Connection {
    incoming: Mutex<Incoming>,
    outgoing: Mutex<Box<dyn Write + Send>>,
    sent: AtomicU64,
    flags: Arc<Flags>,
    wanted: Mutex<ClientWishes>,
    interrupts: Interrupts,
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
struct Flags {
    /// How many requests have come.
    come: AtomicU64,
    /// Those of them that want everything to stop where it is.
    pauses: Pauses,
    /// It has left.
    has_left: AtomicBool,
    /// The run is to end.
    is_ending: AtomicBool,
}

/// What the client wants of every level.
#[derive(Debug, Default)]
struct ClientWishes {
    /// Breakpoints by file.
    breakpoints: BTreeMap<String, Vec<BreakpointWish>>,
    /// The numbers of breakpoints, by file and line.
    numbers: BTreeMap<(String, u32), u64>,
    events: BTreeSet<String>,
    stops_at_faults: bool,
    stops_on_entry: bool,
    is_attached: bool,
    /// Whether `configurationDone` came.
    is_ready: bool,
    /// What lines are counted from.
    first_line: u32,
    told_of: BTreeSet<String>,
}

impl ClientWishes {
    fn number_of(&mut self, file: &str, line: u32) -> u64 {
        let next = self.numbers.len() as u64 + 1;
        *self.numbers.entry((file.to_owned(), line)).or_insert(next)
    }
}

impl Connection {
    /// The client on standard input and output.
    pub fn stdio(interrupts: Interrupts) -> Arc<Self> {
        Self::over(std::io::stdin(), Box::new(std::io::stdout()), interrupts)
    }

    /// Waits for a client at a port of this machine; 0 takes any free one and prints it on stderr.
    pub fn listen(port: u16, interrupts: Interrupts) -> Result<Arc<Self>, CommandFailure> {
        let failed = |error: std::io::Error| CommandFailure::io(format!("port {port}: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        tell(&format!("debugger: waiting for a client on {address}"));
        listener.set_nonblocking(true).map_err(failed)?;
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).map_err(failed)?;
                    // Small messages that the client waits for.
                    let _ = stream.set_nodelay(true);
                    let reading = stream.try_clone().map_err(failed)?;
                    return Ok(Self::over(reading, Box::new(stream), interrupts));
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    if let Some(exit) = interrupts.asked() {
                        return Err(CommandFailure::Told(exit));
                    }
                    std::thread::sleep(NAP);
                }
                Err(error) => return Err(failed(error)),
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

    /// A debugger for one level, whose scripts lie at `places`; `signals` end what runs in it.
    pub fn debugger(self: &Arc<Self>, places: ScriptPlaces, signals: Arc<Signals>) -> Debugger {
        Debugger::new(Box::new(Adapter::new(Arc::clone(self), places, signals)))
    }

    /// Whether the client has asked for the end of the run.
    pub fn is_ending(&self) -> bool {
        self.flags.is_ending.load(Ordering::Relaxed)
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
                "initialize" => {
                    self.answer(&request, adapter::capabilities());
                    self.event("initialized", json!({}));
                }
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

    fn wanted(&self) -> std::sync::MutexGuard<'_, ClientWishes> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn incoming(&self) -> std::sync::MutexGuard<'_, Incoming> {
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next request; none when the client has left or a signal asked for the end.
    fn next(&self) -> Option<Value> {
        let mut incoming = self.incoming();
        if let Some(request) = incoming.put_back.pop_front() {
            return Some(request);
        }
        loop {
            match incoming.receive(NAP) {
                Ok(request) => return Some(request),
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                Err(mpsc::RecvTimeoutError::Timeout) if self.interrupts.asked().is_some() => return None,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A request that has come already.
    fn come(&self) -> Option<Value> {
        let mut incoming = self.incoming();
        let before = incoming.put_back.pop_front();
        before.or_else(|| incoming.receive(Duration::ZERO).ok())
    }

    /// Whether a request has come that nobody has read.
    fn has_more(&self) -> bool {
        let incoming = self.incoming();
        !incoming.put_back.is_empty() || incoming.received < self.flags.come.load(Ordering::Acquire)
    }

    /// Requests that are to be read again.
    fn put_back(&self, requests: VecDeque<Value>) {
        self.incoming().put_back.extend(requests);
    }

    fn pauses(&self) -> &Pauses {
        &self.flags.pauses
    }

    /// Answers the pauses that stop the level, before that is told; the requests that came between them.
    fn answer_pauses(&self) -> VecDeque<Value> {
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
            self.flags.has_left.store(true, Ordering::Relaxed);
        }
    }

    fn answer(&self, request: &Value, body: Value) {
        self.send(json!({
            "type": "response", "request_seq": request["seq"], "success": true,
            "command": request["command"], "body": body,
        }));
    }

    fn fail(&self, request: &Value, why: &str) {
        self.send(json!({
            "type": "response", "request_seq": request["seq"], "success": false,
            "command": request["command"], "message": why,
            "body": { "error": { "id": 1, "format": "{why}", "variables": { "why": why } } },
        }));
    }

    fn event(&self, name: &str, body: Value) {
        self.send(json!({ "type": "event", "event": name, "body": body }));
    }
}

fn command(request: &Value) -> &str {
    request["command"].as_str().unwrap_or_default()
}

fn read_all(stream: &mut impl std::io::BufRead, sender: &mpsc::Sender<Value>, flags: &Flags) {
    loop {
        match wire::read(stream) {
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
