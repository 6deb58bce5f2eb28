//! A level under view, driven by a test over the socket that the page uses.
//!
//! Goal: tests say what a client asks for and wait for what they expect. Method: the program as it is
//! shipped, on a copy of the shipped project; whatever does not come within a generous time is a failure with
//! everything that was heard.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

/// What is waited for at most: a deadline for a hang, not a measure.
const PATIENCE: Duration = Duration::from_secs(120);

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// `walkon view` at work on a project of its own.
pub struct Viewed {
    child: Child,
    /// The project.
    pub project: tempfile::TempDir,
    /// The address that it printed.
    pub address: String,
}

impl Viewed {
    /// A shipped level, paused at tick 0, in a copy of the project.
    pub fn level(name: &str) -> Self {
        Self::with(name, &["--paused"])
    }

    /// The same with other arguments.
    pub fn with(name: &str, args: &[&str]) -> Self {
        let project = shipped();
        Self::of(project, &format!("levels/{name}.json"), args)
    }

    /// A level of any project.
    pub fn of(project: tempfile::TempDir, level: &str, args: &[&str]) -> Self {
        let mut child = Command::new(crate::place::program())
            .args(["view", level])
            .args(args)
            .current_dir(project.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut heard = Vec::new();
        let address = loop {
            let line = told.next().unwrap_or_else(|| panic!("no address: {heard:?}")).unwrap();
            if line.starts_with("http://") {
                break line;
            }
            heard.push(line);
        };
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || told.for_each(drop));
        Self { child, project, address }
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> String {
        self.address["http://".len()..].split('/').next().unwrap().to_owned()
    }

    pub fn token(&self) -> String {
        self.address.split("token=").nth(1).unwrap().to_owned()
    }

    /// A client that has been welcomed.
    pub fn client(&self) -> Hand {
        let mut hand = self.connect(&[]).unwrap();
        hand.wait(|message| message["tell"] == "welcome");
        hand
    }

    /// A client whose request has these headers too; or how it is refused.
    pub fn connect(&self, headers: &[(&'static str, &str)]) -> Result<Hand, String> {
        self.connect_with(&self.token(), headers)
    }

    /// The same with some token.
    pub fn connect_with(&self, token: &str, headers: &[(&'static str, &str)]) -> Result<Hand, String> {
        let host = self.host();
        let mut request = format!("ws://{host}/socket?token={token}").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let stream = TcpStream::connect(&host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(request, stream).map_err(|error| error.to_string())?;
        Ok(Hand { socket, next: 1, heard: Vec::new(), frames: Vec::new() })
    }

    /// What a plain request is answered: head and body.
    pub fn get(&self, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The place of a file of the project.
    pub fn file(&self, path: &str) -> PathBuf {
        self.project.path().join(path)
    }

    /// Saves a file of the project as editors do: whoever looks sees the old text or the new one.
    pub fn save(&self, path: &str, text: &str) {
        let beside = self.file("half-saved");
        std::fs::write(&beside, text).unwrap();
        std::fs::rename(beside, self.file(path)).unwrap();
    }

    /// Asks it to end, and waits for that.
    #[cfg(unix)]
    pub fn end(mut self) -> (std::process::ExitStatus, tempfile::TempDir) {
        crate::place::send_signal("-INT", &self.child);
        let status = self.child.wait().unwrap();
        let project = std::mem::replace(&mut self.project, tempfile::tempdir().unwrap());
        (status, project)
    }
}

impl Drop for Viewed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The shipped project in a folder of its own.
pub fn shipped() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    for folder in ["levels", "scripts"] {
        copy(&crate::place::root().join(folder), &project.path().join(folder));
    }
    std::fs::copy(crate::place::root().join("walkon.json"), project.path().join("walkon.json")).unwrap();
    project
}

/// A client.
pub struct Hand {
    socket: WebSocket<TcpStream>,
    next: u64,
    /// Everything that was told and that nobody has waited for.
    heard: Vec<Value>,
    /// Number and tick of frames.
    pub frames: Vec<(u32, u32, Vec<u8>)>,
}

impl Hand {
    /// Sends a command; its number.
    pub fn send(&mut self, mut command: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        command["id"] = id.into();
        self.socket.send(Message::text(command.to_string())).unwrap();
        id
    }

    /// What a command is answered with.
    pub fn ask(&mut self, command: Value) -> Result<Value, String> {
        let shown = command.to_string();
        let id = self.send(command);
        let answer = self.wait(|message| message["id"] == id);
        match answer.get("error") {
            Some(error) => Err(error.as_str().unwrap_or_default().to_owned()),
            None => answer.get("ok").cloned().ok_or_else(|| panic!("{shown}: {answer}")),
        }
    }

    /// The same, which has to succeed.
    pub fn get(&mut self, command: Value) -> Value {
        let shown = command.to_string();
        self.ask(command).unwrap_or_else(|error| panic!("{shown}: {error}"))
    }

    /// The first message that fits, also one that was heard before; those before it stay.
    pub fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().position(&fits) {
            return self.heard.remove(at);
        }
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let Some(message) = self.hear() else { continue };
            if fits(&message) {
                return message;
            }
            self.heard.push(message);
        }
        let tells: Vec<String> =
            self.heard.iter().map(|one| one.to_string().chars().take(300).collect()).collect();
        panic!("what was waited for did not come; heard: {tells:#?}");
    }

    /// The first message that fits; none where the program ends the connection instead.
    pub fn wait_or_end(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        loop {
            let Message::Text(text) = self.socket.read().ok()? else { continue };
            let message: Value = serde_json::from_str(text.as_str()).ok()?;
            if fits(&message) {
                return Some(message);
            }
        }
    }

    /// What was told so far, and that nobody has waited for.
    pub fn heard_all(&self) -> &[Value] {
        &self.heard
    }

    /// Forgets what was told so far.
    pub fn forget(&mut self) {
        self.heard.clear();
    }

    /// Sends bytes that may be no message at all.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        // The program may have ended the connection meanwhile.
        let _ = self.socket.get_mut().write_all(bytes);
    }

    /// Says goodbye.
    pub fn close(&mut self, reason: &'static str) {
        let frame = CloseFrame { code: CloseCode::Normal, reason: reason.into() };
        self.socket.close(Some(frame)).unwrap();
    }

    /// Why the program ended the connection.
    pub fn farewell(mut self) -> String {
        loop {
            match self.socket.read() {
                Ok(Message::Close(Some(frame))) => return frame.reason.to_string(),
                Ok(_) => {}
                Err(error) => return format!("without a word: {error}"),
            }
        }
    }

    fn hear(&mut self) -> Option<Value> {
        match self.socket.read().unwrap() {
            Message::Text(text) => serde_json::from_str(text.as_str()).ok(),
            Message::Binary(bytes) if bytes[0] == 1 => {
                let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
                let frame = number(4);
                self.frames.push((frame, number(8), bytes.to_vec()));
                let ack = json!({ "do": "ack", "frame": frame });
                self.socket.send(Message::text(ack.to_string())).unwrap();
                None
            }
            _ => None,
        }
    }

    /// Runs so many ticks; the state after them.
    pub fn step(&mut self, ticks: u64) -> Value {
        let before = self.get(json!({ "do": "pause" }))["tick"].as_u64().unwrap();
        self.get(json!({ "do": "step", "ticks": ticks }));
        self.state_at(before + ticks)
    }

    /// The state of the level at a tick, standing still.
    pub fn state_at(&mut self, tick: u64) -> Value {
        self.wait(|message| {
            message["tell"] == "state" && message["tick"] == tick && message["hash"].is_string()
        })
    }
}
