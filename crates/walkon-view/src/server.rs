//! The HTTP and WebSocket server of the page, on this machine alone.
//!
//! In: connections. Out: the files of the page, a WebSocket for each client. Holds: it listens on 127.0.0.1
//! only; a socket needs the token of the address, and a request a `Host` and an `Origin` of this server, so
//! that no other page in the same browser can speak to it; nothing is served but what the program carries; a
//! client has a thread of its own, and what it does not read is kept within bounds. Not here: the commands.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tungstenite::error::ProtocolError;
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::http::StatusCode;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tungstenite::{Message as Packet, WebSocket};

use crate::client::{Client, Message};
use crate::commands::{COMMAND_BYTES_MAX, Doers};
use crate::orders::{Order, Ordered};
use crate::page;

/// Longest wait for something from a client, and so the longest that a frame waits for its client.
const READ_PATIENCE: Duration = Duration::from_millis(3);
/// Longest wait for a client to take something in.
const WRITE_PATIENCE: Duration = Duration::from_millis(50);
/// How long a browser may take to say what it wants.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);
/// How long a client that is let go may take to read what is on its way to it, and why.
const PARTING_PATIENCE: Duration = Duration::from_secs(30);
/// How long all clients together may take to be told that it ends.
const GOODBYE: Duration = Duration::from_millis(250);
/// Longest head of a request, bytes.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Most connections at the same time, those that have not said what they want included.
const VISITS_MAX: usize = 64;
/// Most clients at the same time.
const CLIENTS_MAX: usize = 32;

/// The listening server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    token: Arc<str>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Listens on a port of this machine; 0 for any that is free.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn bind(port: u16, token: String) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, token: token.into(), is_over: Arc::default() })
    }

    /// The address of the page.
    #[must_use]
    pub fn address(&self) -> String {
        let port = self.listener.local_addr().map_or(0, |address| address.port());
        format!("http://127.0.0.1:{port}/?token={}", self.token)
    }

    /// Set to end it.
    #[must_use]
    pub fn over(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_over)
    }

    /// Serves until it is over.
    pub fn run(&self, doers: &Doers) {
        let port = self.listener.local_addr().map_or(0, |address| address.port());
        let mut visits: Vec<JoinHandle<()>> = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    visits.retain(|visit| !visit.is_finished());
                    if visits.len() >= VISITS_MAX {
                        turn_away(&stream);
                        continue;
                    }
                    let visit = Visit {
                        stream,
                        port,
                        token: Arc::clone(&self.token),
                        doers: doers.clone(),
                        is_over: Arc::clone(&self.is_over),
                    };
                    let begun =
                        std::thread::Builder::new().name("client".to_owned()).spawn(move || visit.run());
                    match begun {
                        Ok(visit) => visits.push(visit),
                        Err(error) => log::warn!("no thread for a client: {error}"),
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(error) => {
                    log::warn!("a connection failed: {error}");
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
        }
        // Pages are told why it ends, if that does not take long.
        let began = Instant::now();
        while began.elapsed() < GOODBYE && visits.iter().any(|visit| !visit.is_finished()) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A connection.
struct Visit {
    stream: TcpStream,
    port: u16,
    token: Arc<str>,
    doers: Doers,
    is_over: Arc<AtomicBool>,
}

impl Visit {
    fn run(self) {
        let prepared = self
            .stream
            .set_nonblocking(false)
            .and_then(|()| self.stream.set_read_timeout(Some(HEAD_PATIENCE)));
        if prepared.is_err() {
            return;
        }
        let Some(head) = peek_head(&self.stream) else { return };
        let request = Head::of(&head);
        let refusal = request.refusal(self.port);
        match (request.path.as_str(), refusal) {
            (_, Some(why)) => answer(&self.stream, 403, &page::plain(why)),
            ("/socket", None) => self.socket(),
            (path, None) if request.method == "GET" => match page::file(path) {
                Some(file) => answer(&self.stream, 200, &file),
                None => answer(&self.stream, 404, &page::plain("there is no such page")),
            },
            _ => answer(&self.stream, 405, &page::plain("only GET is answered")),
        }
    }

    fn socket(self) {
        let Self { stream, token, doers, is_over, .. } = self;
        #[allow(clippy::result_large_err, reason = "the form that the handshake asks for")]
        let check = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
            let asked = request
                .uri()
                .query()
                .unwrap_or_default()
                .split('&')
                .find_map(|part| part.strip_prefix("token="));
            if asked.is_some_and(|asked| is_same(asked.as_bytes(), token.as_bytes())) {
                return Ok(response);
            }
            let mut refused = ErrorResponse::new(Some(
                "the token is wrong: open the address that walkon printed".to_owned(),
            ));
            *refused.status_mut() = StatusCode::FORBIDDEN;
            Err(refused)
        };
        let config = WebSocketConfig::default()
            .max_message_size(Some(COMMAND_BYTES_MAX))
            .max_frame_size(Some(COMMAND_BYTES_MAX));
        let Ok(mut socket) = tungstenite::accept_hdr_with_config(stream, check, Some(config)) else { return };
        if doers.shared.clients.all().len() >= CLIENTS_MAX {
            let why = format!("{CLIENTS_MAX} pages are open already, the most allowed; close one");
            Farewell::new(&is_over).part(&mut socket, CloseCode::Again, &why);
            return;
        }
        let client = doers.shared.clients.join();
        let welcome = Ordered { order: Order::Welcome(Arc::clone(&client)), reply: None };
        let is_welcome = doers.running.send(welcome).is_ok();
        let mut conversation = Conversation { socket, client, doers };
        let parting = if is_welcome { conversation.run(&is_over) } else { Parting::Gone };
        // Nothing more is kept for it while it takes its leave.
        let Conversation { mut socket, client, doers } = conversation;
        doers.shared.clients.leave(&client);
        drop(client);
        match parting {
            Parting::Gone => {}
            // Its own reason is sent back to it.
            Parting::Answered => Farewell::new(&is_over).flush(&mut socket),
            Parting::Refused(code, why) => Farewell::new(&is_over).part(&mut socket, code, &why),
        }
    }
}

/// A client with its socket.
struct Conversation {
    socket: WebSocket<TcpStream>,
    client: Arc<Client>,
    doers: Doers,
}

impl Conversation {
    /// Speaks until one of both ends it.
    fn run(&mut self, is_over: &AtomicBool) -> Parting {
        let stream = self.socket.get_ref();
        let prepared = stream
            .set_read_timeout(Some(READ_PATIENCE))
            .and_then(|()| stream.set_write_timeout(Some(WRITE_PATIENCE)))
            .and_then(|()| stream.set_nodelay(true));
        if prepared.is_err() {
            return Parting::Gone;
        }
        while !is_over.load(Ordering::Relaxed) && !self.client.is_closed() {
            if let Err(parting) = self.hear().and_then(|()| self.say()) {
                return parting;
            }
        }
        let (code, why) = match self.client.is_behind() {
            true => (CloseCode::Policy, "this page did not read its messages for too long"),
            false => (CloseCode::Away, "walkon has ended"),
        };
        Parting::Refused(code, why.to_owned())
    }

    /// Takes in what has come.
    fn hear(&mut self) -> Result<(), Parting> {
        match self.socket.read() {
            Ok(Packet::Text(text)) => self.doers.perform(&self.client, text.as_str()),
            Ok(Packet::Close(_)) => return Err(Parting::Answered),
            Ok(_) => {}
            Err(error) => return Parting::of(error),
        }
        Ok(())
    }

    /// Sends what waits.
    fn say(&mut self) -> Result<(), Parting> {
        loop {
            if let Err(error) = self.socket.flush() {
                return Parting::of(error);
            }
            let Some(message) = self.client.next(Duration::ZERO) else { return Ok(()) };
            let packet = match message {
                Message::Text(text) => Packet::text(text),
                Message::Frame(frame, number) => Packet::binary(frame.bytes(number)),
                Message::Tracks(tracks) => Packet::binary(tracks.bytes()),
            };
            if let Err(error) = self.socket.write(packet) {
                return Parting::of(error);
            }
        }
    }
}

/// How a conversation ends.
enum Parting {
    /// The client is not there any more.
    Gone,
    /// The client has said goodbye.
    Answered,
    /// The program ends it, for a reason.
    Refused(CloseCode, String),
}

impl Parting {
    /// What comes of an error of a socket: one that is only slow goes on.
    fn of(error: tungstenite::Error) -> Result<(), Self> {
        Err(match error {
            tungstenite::Error::Io(error) if is_only_slow(&error) => return Ok(()),
            tungstenite::Error::Capacity(_) => Self::Refused(
                CloseCode::Size,
                format!("a message may have {COMMAND_BYTES_MAX} bytes at most"),
            ),
            tungstenite::Error::Utf8(_) => {
                Self::Refused(CloseCode::Invalid, "a text was no UTF-8".to_owned())
            }
            tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Self::Gone,
            tungstenite::Error::Protocol(error) => Self::Refused(CloseCode::Protocol, error.to_string()),
            _ => Self::Gone,
        })
    }
}

/// The leave of a client that is let go, in one stretch of time for all that is still said and heard.
struct Farewell<'a> {
    is_over: &'a AtomicBool,
    until: Instant,
}

impl<'a> Farewell<'a> {
    fn new(is_over: &'a AtomicBool) -> Self {
        Self { is_over, until: Instant::now() + PARTING_PATIENCE }
    }

    fn has_time(&self) -> bool {
        Instant::now() < self.until
    }

    /// Sends what is on its way, as long as the client may take for it.
    fn flush(&self, socket: &mut WebSocket<TcpStream>) {
        let is_slow = |outcome: &tungstenite::Result<()>| match outcome {
            Err(tungstenite::Error::Io(error)) => is_only_slow(error),
            _ => false,
        };
        // Bounded by the time.
        while is_slow(&socket.flush()) && self.has_time() && !self.is_over.load(Ordering::Relaxed) {}
    }

    /// Ends a socket with a reason, behind what is on its way, and waits a moment for the other side, which
    /// else might not read it.
    fn part(&self, socket: &mut WebSocket<TcpStream>, code: CloseCode, why: &str) {
        let _ = socket.close(Some(CloseFrame { code, reason: why.to_owned().into() }));
        self.flush(socket);
        let stream = socket.get_mut();
        let patience = if self.is_over.load(Ordering::Relaxed) { WRITE_PATIENCE } else { GOODBYE };
        let _ = stream.shutdown(Shutdown::Write).and_then(|()| stream.set_read_timeout(Some(patience)));
        let mut rest = [0; HEAD_BYTES_MAX];
        // Bounded by the time; what comes until the other side has closed as well is of no use.
        while self.has_time() && stream.read(&mut rest).is_ok_and(|count| count > 0) {}
    }
}

/// Tells a client that there is no room for it, without waiting.
fn turn_away(stream: &TcpStream) {
    let _ = stream.set_nonblocking(true);
    answer(stream, 503, &page::plain("too many connections: close some pages of this level"));
}

fn is_only_slow(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Whether two texts are the same, in a time that does not tell how far they are.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// The head of a request, left in the stream for the next reader.
fn peek_head(stream: &TcpStream) -> Option<String> {
    let mut bytes = vec![0; HEAD_BYTES_MAX];
    let began = Instant::now();
    // Bounded by the time.
    while began.elapsed() < HEAD_PATIENCE {
        let count = stream.peek(&mut bytes).ok().filter(|count| *count > 0)?;
        if let Some(end) = bytes[..count].windows(4).position(|window| window == b"\r\n\r\n") {
            return String::from_utf8(bytes[..end].to_vec()).ok();
        }
        if count == bytes.len() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}

/// What matters of the head of a request.
#[derive(Debug, Default)]
struct Head {
    method: String,
    path: String,
    host: Option<String>,
    origin: Option<String>,
}

impl Head {
    fn of(text: &str) -> Self {
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let path = words.next().unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
        let mut head = Self { method, path, ..Self::default() };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = Some(value.trim().to_ascii_lowercase());
            match name.to_ascii_lowercase().as_str() {
                "host" => head.host = value,
                "origin" => head.origin = value,
                _ => {}
            }
        }
        head
    }

    /// Why the request is refused, if it is: it comes from another page, or by another name of this machine.
    fn refusal(&self, port: u16) -> Option<&'static str> {
        let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        if !self.host.as_ref().is_some_and(|host| own.contains(host)) {
            return Some("the host is not this server");
        }
        let is_foreign = self
            .origin
            .as_ref()
            .is_some_and(|origin| !own.iter().any(|host| *origin == format!("http://{host}")));
        is_foreign.then_some("the origin is not this server")
    }
}

/// Answers a request and ends the connection.
fn answer(mut stream: &TcpStream, status: u16, file: &page::File) {
    let reason = match status {
        200 => "OK",
        403 => "Forbidden",
        404 => "Not Found",
        503 => "Service Unavailable",
        _ => "Method Not Allowed",
    };
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Content-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Cache-Control: no-store\r\n\r\n",
        file.kind,
        file.bytes.len(),
        page::POLICY,
    );
    // What was peeked at is read, or closing would reset the connection before the answer is.
    let _ = stream.set_read_timeout(Some(READ_PATIENCE));
    let _ = stream.set_write_timeout(Some(HEAD_PATIENCE));
    let mut rest = [0; HEAD_BYTES_MAX];
    let _ = stream.read(&mut rest);
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&file.bytes));
    let _ = stream.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(lines: &str) -> Option<&'static str> {
        Head::of(&format!("GET /socket?token=x HTTP/1.1\r\n{lines}")).refusal(4000)
    }

    #[test]
    fn all_of_a_farewell_has_one_end() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut talker = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let talking = std::thread::spawn(move || while talker.write_all(&[0; 1024]).is_ok() {});
        let mut socket = WebSocket::from_raw_socket(stream, tungstenite::protocol::Role::Server, None);
        let is_over = AtomicBool::new(false);
        // Its time is over before it says why: nothing more is heard of a client that goes on talking.
        let farewell = Farewell { is_over: &is_over, until: Instant::now() };
        farewell.part(&mut socket, CloseCode::Away, "the end");
        drop(socket);
        talking.join().unwrap();
    }

    #[test]
    fn only_requests_of_its_own_pages_are_answered() {
        assert_eq!(refusal("Host: 127.0.0.1:4000"), None);
        assert_eq!(refusal("host: localhost:4000\r\nOrigin: http://localhost:4000"), None);
        for lines in [
            "",
            "Host: evil.example:4000",
            "Host: 127.0.0.1:4001",
            "Host: 127.0.0.1:4000\r\nOrigin: http://evil.example",
            "Host: 127.0.0.1:4000\r\nOrigin: null",
            "Host: 127.0.0.1:4000\r\nOrigin: https://127.0.0.1:4000",
        ] {
            assert!(refusal(lines).is_some(), "{lines}");
        }
    }
}
