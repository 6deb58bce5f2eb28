//! A client of the Debug Adapter Protocol that drives the real program.
//!
//! Holds: whatever the program does, a test ends: an answer that does not come within a minute fails it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client and the program it talks to.
pub struct Client {
    process: Child,
    writing: Option<Box<dyn Write>>,
    /// Its socket, where it has one.
    connection: Option<TcpStream>,
    incoming: Receiver<Value>,
    /// Events that nobody has asked for yet.
    events: VecDeque<Value>,
    /// What it says on stderr, once that is over.
    errors: Option<JoinHandle<String>>,
    sequence: u64,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read_all(stream: impl Read) -> impl Iterator<Item = Value> {
    let mut stream = BufReader::new(stream);
    std::iter::from_fn(move || {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some((_, number)) => length = number.parse().ok()?,
                None => break,
            }
        }
        let mut text = vec![0; length];
        stream.read_exact(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    })
}

/// All that a stream says, so that nobody waits for a reader.
fn read_to_end(mut stream: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn listening(stream: impl Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || read_all(stream).all(|message| sender.send(message).is_ok()));
    receiver
}

impl Client {
    /// The program with these arguments, on its standard streams.
    pub fn stdio(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(crate::place::program());
        command.current_dir(folder).args(arguments).stderr(Stdio::piped());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let writing = process.stdin.take().unwrap();
        let incoming = listening(process.stdout.take().unwrap());
        let writing: Option<Box<dyn Write>> = Some(Box::new(writing));
        let errors = Some(read_to_end(process.stderr.take().unwrap()));
        Self { process, writing, connection: None, incoming, events: VecDeque::new(), errors, sequence: 0 }
    }

    /// The program with these arguments, which waits on a port that it tells.
    pub fn tcp(folder: &Path, arguments: &[&str]) -> Self {
        Self::tcp_after(folder, arguments, |_| {})
    }

    /// The same after others have been at its port.
    pub fn tcp_after(folder: &Path, arguments: &[&str], others: impl FnOnce(&str)) -> Self {
        let mut command = Command::new(crate::place::program());
        command.current_dir(folder).args(arguments).stdin(Stdio::null());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(told.read_line(&mut line).unwrap() > 0, "the program waits for nobody");
            if let Some(address) = line.trim().strip_prefix("debugger: waiting for a client on ") {
                break address.to_owned();
            }
        };
        let errors = Some(read_to_end(told));
        others(&address);
        let stream = TcpStream::connect(address).unwrap();
        let incoming = listening(stream.try_clone().unwrap());
        let connection = Some(stream.try_clone().unwrap());
        let writing: Option<Box<dyn Write>> = Some(Box::new(stream));
        Self { process, writing, connection, incoming, events: VecDeque::new(), errors, sequence: 0 }
    }

    /// The code that the program ends with after a signal, and what it was still told.
    #[cfg(unix)]
    pub fn end_by(&mut self, signal: &str) -> (Option<i32>, Vec<Value>) {
        crate::place::send_signal(signal, &self.process);
        self.left()
    }

    /// The same where the client leaves without a word at the moment of the signal.
    #[cfg(unix)]
    pub fn end_by_and_leave(&mut self, signal: &str) -> (Option<i32>, Vec<Value>) {
        crate::place::send_signal(signal, &self.process);
        self.hang_up();
        self.left()
    }

    #[cfg(unix)]
    fn left(&mut self) -> (Option<i32>, Vec<Value>) {
        // Until its streams are closed.
        let told: Vec<Value> = std::iter::from_fn(|| self.incoming.recv_timeout(PATIENCE).ok()).collect();
        (self.process.wait().unwrap().code(), told)
    }

    fn next(&self) -> Value {
        self.incoming.recv_timeout(PATIENCE).expect("a message of the program")
    }

    /// Sends bytes that are no request.
    pub fn send(&mut self, text: &str) {
        let stream = self.writing.as_mut().unwrap();
        write!(stream, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        stream.flush().unwrap();
    }

    /// Sends a request; its answer, as it comes.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.sequence += 1;
        let message = json!({
            "seq": self.sequence, "type": "request", "command": command, "arguments": arguments,
        });
        let text = message.to_string();
        let stream = self.writing.as_mut().unwrap();
        write!(stream, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        stream.flush().unwrap();
        loop {
            let message = self.next();
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], json!(self.sequence), "{message}");
                assert_eq!(message["command"], json!(command));
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// The body of the answer to a request that has to succeed.
    pub fn request(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], json!(true), "{answer}");
        answer["body"].clone()
    }

    /// Why a request is refused.
    pub fn refusal(&mut self, command: &str, arguments: Value) -> String {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], json!(false), "{answer}");
        answer["message"].as_str().unwrap().to_owned()
    }

    /// The next event of that name; others stay for later.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|event| event["event"] == name) {
                return self.events.remove(at).unwrap()["body"].clone();
            }
            let message = self.next();
            assert!(
                message["event"] != "terminated" || name == "terminated",
                "the run is over, and {name} did not come; {:?}",
                self.events
            );
            self.events.push_back(message);
        }
    }

    /// Whether an event was told that nobody has waited for yet.
    pub fn has_event(&self, name: &str) -> bool {
        self.events.iter().any(|event| event["event"] == name)
    }

    /// What was told so far and nobody asked for.
    pub fn output(&self) -> String {
        let told = self.events.iter().filter(|event| event["event"] == "output");
        told.map(|event| event["body"]["output"].as_str().unwrap()).collect()
    }

    /// Begins as editors do: `kind` is `launch` or `attach`.
    pub fn begin(&mut self, kind: &str) {
        self.request("initialize", json!({ "adapterID": "walkon", "linesStartAt1": true }));
        self.event("initialized");
        self.request(kind, json!({}));
    }

    /// Sets breakpoints; what came of them.
    pub fn breakpoints(&mut self, file: &Path, breakpoints: Value) -> Vec<Value> {
        let given = json!({ "source": { "path": file }, "breakpoints": breakpoints });
        self.request("setBreakpoints", given)["breakpoints"].as_array().unwrap().clone()
    }

    pub fn ready(&mut self) {
        self.request("configurationDone", json!({}));
    }

    /// Goes on; where it stops next.
    pub fn go(&mut self, how: &str) -> Stop {
        self.request(how, json!({ "threadId": 1 }));
        self.stop()
    }

    /// The next stop.
    pub fn stop(&mut self) -> Stop {
        let event = self.event("stopped");
        let thread = event["threadId"].as_u64().unwrap();
        let stack = self.request("stackTrace", json!({ "threadId": thread }));
        Stop { event, thread, frames: stack["stackFrames"].as_array().unwrap().clone() }
    }

    /// The names and values of a scope of a frame.
    pub fn scope(&mut self, frame: u64, name: &str) -> Vec<Value> {
        let scopes = self.request("scopes", json!({ "frameId": frame }));
        let scope = scopes["scopes"].as_array().unwrap().iter().find(|scope| scope["name"] == name).cloned();
        let scope = scope.unwrap_or_else(|| panic!("no {name} in {scopes}"));
        self.inside(&scope)
    }

    /// What is inside a scope or a variable.
    pub fn inside(&mut self, of: &Value) -> Vec<Value> {
        let reference = of["variablesReference"].as_u64().unwrap();
        assert!(reference > 0, "nothing is inside {of}");
        let found = self.request("variables", json!({ "variablesReference": reference }));
        found["variables"].as_array().unwrap().clone()
    }

    /// What a text comes to in a frame.
    pub fn evaluate(&mut self, frame: u64, text: &str) -> String {
        let given = json!({ "expression": text, "frameId": frame, "context": "repl" });
        let answer = self.ask("evaluate", given);
        let told =
            if answer["success"] == json!(true) { &answer["body"]["result"] } else { &answer["message"] };
        told.as_str().unwrap().to_owned()
    }

    /// Goes on to the end; the exit code that is told and that of the process, and what was told meanwhile.
    pub fn finish(mut self) -> (i64, Option<i32>, String) {
        let code = self.event("exited")["exitCode"].as_i64().unwrap();
        self.event("terminated");
        let told = self.output();
        self.writing = None;
        (code, self.process.wait().unwrap().code(), told)
    }

    /// Ends with the program: its exit code, and what it has said on stderr.
    pub fn end(mut self) -> (Option<i32>, String) {
        self.hang_up();
        let code = self.process.wait().unwrap().code();
        (code, self.errors.take().unwrap().join().unwrap())
    }

    /// Sends the program a signal: `-INT`.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        crate::place::send_signal(signal, &self.process);
    }

    /// Leaves without a word.
    pub fn hang_up(&mut self) {
        self.writing = None;
        self.connection
            .take()
            .into_iter()
            .for_each(|stream| stream.shutdown(std::net::Shutdown::Both).unwrap());
    }

    /// Leaves without a word; the exit code.
    pub fn vanish(mut self) -> Option<i32> {
        self.writing = None;
        while self.incoming.recv_timeout(PATIENCE).is_ok() {}
        self.process.wait().unwrap().code()
    }

    /// What the program has printed, once it has ended.
    pub fn printed(&mut self) -> String {
        let mut text = String::new();
        self.process.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        self.process.wait().unwrap();
        text
    }
}

/// Where a level stands still.
pub struct Stop {
    pub event: Value,
    pub thread: u64,
    pub frames: Vec<Value>,
}

impl Stop {
    pub fn why(&self) -> &str {
        self.event["reason"].as_str().unwrap()
    }

    /// File and line of the innermost frame: `guard.lua:12`.
    pub fn place(&self) -> String {
        let frame = &self.frames[0];
        format!("{}:{}", frame["source"]["name"].as_str().unwrap(), frame["line"])
    }

    pub fn frame(&self) -> u64 {
        self.frames[0]["id"].as_u64().unwrap()
    }
}

/// The value of a name among variables.
pub fn value(variables: &[Value], name: &str) -> String {
    let found = variables.iter().find(|variable| variable["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {variables:?}"))["value"].as_str().unwrap().to_owned()
}
