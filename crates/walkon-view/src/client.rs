//! A client: what it wants to see, and its queue of messages.
//!
//! In: texts and frames of every part that sends some. Out: messages in order, frames only as fast as they
//! are acknowledged. Holds: telling a client never waits: of frames and overlays only the newest is kept, and
//! a client that leaves too many texts lying is dropped. Not here: sockets (`server`), standard input and
//! output (`stdio`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::view::{Parts, PicturePart, Slant};

use crate::frame::Frame;
use crate::tracks::Tracks;

/// Most frames that are on their way and not acknowledged.
const UNACKNOWLEDGED_MAX: u32 = 2;
/// Most bytes of messages that wait for a client, the largest of them left out: it may have asked for that.
const TEXT_BYTES_MAX: usize = 64 << 20;
/// Time between two words about how far long work has come.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// The answer to what was called off.
pub const CALLED_OFF: &str = "this was called off; nothing was changed";

/// What a client wants to see.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// Layers of pictures.
    pub parts: Parts,
    /// Where maps with heights are looked at from.
    pub view: Viewpoint,
    /// The layer of the map.
    pub layer: u8,
    /// The characters whose paths are shown; empty: all characters.
    pub selected: BTreeSet<u32>,
    /// The tick of the past that is shown; none for the running level.
    pub tick: Option<u64>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            parts: STILL.into_iter().fold(Parts::NONE, Parts::with),
            view: Viewpoint::From(Slant::Top),
            layer: 0,
            selected: BTreeSet::new(),
            tick: None,
        }
    }
}

/// Where a map with heights is looked at from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewpoint {
    /// From there: what is higher is moved in the picture already.
    From(Slant),
    /// From anywhere: the client is told how high everything lies, and turns it itself.
    Anywhere,
}

impl Viewpoint {
    /// The one of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "top" => Some(Self::From(Slant::Top)),
            "oblique" => Some(Self::From(Slant::Oblique)),
            "space" => Some(Self::Anywhere),
            _ => None,
        }
    }
}

/// Parts of a picture that change seldom.
pub const STILL: [PicturePart; 7] = [
    PicturePart::Cells,
    PicturePart::Areas,
    PicturePart::Links,
    PicturePart::Doors,
    PicturePart::Regions,
    PicturePart::Routes,
    PicturePart::Marks,
];

/// Parts of a picture that move.
pub const MOVING: [PicturePart; 7] = [
    PicturePart::Watches,
    PicturePart::Paths,
    PicturePart::Requests,
    PicturePart::Obstacles,
    PicturePart::Steering,
    PicturePart::Nudges,
    PicturePart::Replans,
];

impl Wishes {
    /// Those of the wished parts that are among `some`.
    #[must_use]
    pub fn among(&self, some: &[PicturePart]) -> Parts {
        some.iter().filter(|part| self.parts.has(**part)).fold(Parts::NONE, |all, part| all.with(*part))
    }
}

/// A message for a client.
#[derive(Clone, Debug)]
pub enum Message {
    /// JSON.
    Text(String),
    /// A frame, and its number.
    Frame(Arc<Frame>, u32),
    /// Bytes, and the same as JSON.
    Tracks(Arc<Tracks>),
}

/// What waits for a client.
#[derive(Debug, Default)]
struct Outbox {
    messages: VecDeque<Message>,
    text_bytes: usize,
    frame: Option<Arc<Frame>>,
    overlay: Option<String>,
    /// Number of the last frame that was handed out, and of the last that came back.
    sent: u32,
    acknowledged: u32,
    is_closed: bool,
    /// Whether more waited than is kept.
    is_behind: bool,
}

/// Bytes of a message that count for what waits.
fn size(message: &Message) -> usize {
    match message {
        Message::Text(text) => text.len(),
        Message::Tracks(tracks) => tracks.size(),
        Message::Frame(..) => 0,
    }
}

impl Outbox {
    /// Lays a message down. Where too many lie the client does not read at all: what it missed it could never
    /// catch up with.
    fn put(&mut self, message: Message) {
        self.text_bytes += size(&message);
        self.messages.push_back(message);
        if self.text_bytes > TEXT_BYTES_MAX {
            let largest = self.messages.iter().map(size).max().unwrap_or_default();
            self.is_behind |= self.text_bytes - largest > TEXT_BYTES_MAX;
        }
        self.is_closed |= self.is_behind;
    }

    fn next(&mut self) -> Option<Message> {
        if let Some(message) = self.messages.pop_front() {
            self.text_bytes -= size(&message);
            return Some(message);
        }
        if self.sent.wrapping_sub(self.acknowledged) >= UNACKNOWLEDGED_MAX {
            return None;
        }
        if let Some(overlay) = self.overlay.take() {
            return Some(Message::Text(overlay));
        }
        let frame = self.frame.take()?;
        self.sent = self.sent.wrapping_add(1);
        Some(Message::Frame(frame, self.sent))
    }
}

/// A client. `Default` has seen nothing yet.
#[derive(Debug, Default)]
pub struct Client {
    wishes: Mutex<Wishes>,
    outbox: Mutex<Outbox>,
    filled: Condvar,
    /// Frames that were given up for newer ones.
    pub missed: AtomicU64,
    /// Commands that are not answered yet.
    unanswered: AtomicU64,
    /// How many times it has called off what takes long.
    called_off: AtomicU64,
}

impl Client {
    /// What it wants to see.
    pub fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells it something.
    pub fn tell(&self, message: &Value) {
        self.text(message.to_string());
    }

    /// Tells it a JSON text.
    pub fn text(&self, text: String) {
        self.put(Message::Text(text));
    }

    /// Hands it where every character goes in the future.
    pub fn tracks(&self, tracks: Arc<Tracks>) {
        self.put(Message::Tracks(tracks));
    }

    fn put(&self, message: Message) {
        self.outbox().put(message);
        self.filled.notify_all();
    }

    /// Shows it a frame; one that waits is forgotten.
    pub fn frame(&self, frame: Arc<Frame>) {
        if self.outbox().frame.replace(frame).is_some() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
        self.filled.notify_all();
    }

    /// Shows it moving parts; those that wait are forgotten.
    pub fn overlay(&self, overlay: String) {
        self.outbox().overlay = Some(overlay);
        self.filled.notify_all();
    }

    /// Whether another overlay would be looked at before long.
    pub fn wants_overlay(&self) -> bool {
        let outbox = self.outbox();
        outbox.overlay.is_none() && outbox.sent.wrapping_sub(outbox.acknowledged) < UNACKNOWLEDGED_MAX
    }

    /// It has seen a frame, and all before it.
    pub fn acknowledge(&self, frame: u32) {
        let mut outbox = self.outbox();
        // One that was never sent acknowledges nothing.
        if outbox.sent.wrapping_sub(frame) < UNACKNOWLEDGED_MAX {
            outbox.acknowledged = frame;
        }
        drop(outbox);
        self.filled.notify_all();
    }

    /// The next message, waiting for one for a while.
    pub fn next(&self, patience: Duration) -> Option<Message> {
        let mut outbox = self.outbox();
        if let Some(message) = outbox.next() {
            return Some(message);
        }
        if patience.is_zero() || outbox.is_closed {
            return None;
        }
        let (mut outbox, _) =
            self.filled.wait_timeout(outbox, patience).unwrap_or_else(PoisonError::into_inner);
        outbox.next()
    }

    /// Whether every command of it was answered, and the answers were taken.
    pub fn is_content(&self) -> bool {
        self.unanswered.load(Ordering::Acquire) == 0 && self.outbox().messages.is_empty()
    }

    /// What it asked for and takes long is wanted no more.
    pub fn call_off(&self) {
        self.called_off.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether it left more lying than is kept for it.
    pub fn is_behind(&self) -> bool {
        self.outbox().is_behind
    }

    /// Ends it.
    pub fn close(&self) {
        self.outbox().is_closed = true;
        self.filled.notify_all();
    }

    /// Whether it is to be let go.
    pub fn is_closed(&self) -> bool {
        self.outbox().is_closed
    }
}

/// Why a command was not done.
#[derive(Clone, Debug)]
pub struct CommandError {
    /// A sentence.
    pub message: String,
    /// What is wrong with the texts that it would have made, as `check` tells it; null where it made none.
    pub diagnostics: Value,
    /// The file whose conflict has to be decided first, where that is why.
    pub conflict: Option<String>,
}

impl From<String> for CommandError {
    fn from(message: String) -> Self {
        Self { message, diagnostics: Value::Null, conflict: None }
    }
}

/// The way back to the client that waits for the answer to a command. Where nobody answers, because the
/// thread that was to has failed, the client is told so.
#[derive(Clone, Debug)]
pub struct Reply(Arc<Waiting>);

#[derive(Debug)]
struct Waiting {
    client: Arc<Client>,
    /// The number it gave to its command.
    id: Value,
    is_answered: AtomicBool,
    /// How many times the client had called something off when it asked.
    called_off: u64,
    /// When it was told last how far the work has come.
    told: Mutex<Instant>,
}

impl Reply {
    /// To a command of that number.
    #[must_use]
    pub fn new(client: &Arc<Client>, id: Value) -> Self {
        client.unanswered.fetch_add(1, Ordering::AcqRel);
        Self(Arc::new(Waiting {
            client: Arc::clone(client),
            id,
            is_answered: AtomicBool::new(false),
            called_off: client.called_off.load(Ordering::Acquire),
            told: Mutex::new(Instant::now()),
        }))
    }

    /// Answers; once.
    pub fn send(self, answer: Result<Value, String>) {
        self.0.answer(answer.map_err(CommandError::from));
    }

    /// Tells the client something beside the answer.
    pub fn tell(&self, message: &Value) {
        self.0.client.tell(message);
    }

    /// Says why not, and where; once.
    pub fn refuse(self, refusal: CommandError) {
        self.0.answer(Err(refusal));
    }

    /// Tells now and then how far the work has come; whether it is still wanted.
    #[must_use]
    pub fn progress(&self, of: &str, done: u64, all: u64) -> bool {
        let Waiting { client, id, called_off, told, .. } = &*self.0;
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() > PROGRESS_EVERY {
            *told = Instant::now();
            client.tell(&json!({ "tell": "progress", "command": id, "of": of, "done": done, "all": all }));
        }
        client.called_off.load(Ordering::Acquire) == *called_off && !client.is_closed()
    }
}

impl Waiting {
    fn answer(&self, answer: Result<Value, CommandError>) {
        if self.is_answered.swap(true, Ordering::AcqRel) {
            return;
        }
        match answer {
            Ok(value) => self.client.tell(&json!({ "id": &self.id, "ok": value })),
            Err(CommandError { message, diagnostics: Value::Null, .. }) => {
                self.client.tell(&json!({ "id": &self.id, "error": message }));
            }
            Err(CommandError { message, diagnostics, .. }) => {
                self.client.tell(&json!({ "id": &self.id, "error": message, "diagnostics": diagnostics }));
            }
        }
        self.client.unanswered.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let message = "this was not answered: the part of walkon that does it has failed; start it again, \
                       and report what you did";
        self.answer(Err(message.to_owned().into()));
    }
}

/// All clients.
#[derive(Debug, Default)]
pub struct Clients {
    all: Mutex<Audience>,
}

#[derive(Debug, Default)]
struct Audience {
    clients: Vec<Arc<Client>>,
    /// What clients have to know as long as it lasts, by what it is about.
    lasting: BTreeMap<String, String>,
}

impl Clients {
    /// A new one, which hears nothing yet of what all clients hear.
    pub fn join(&self) -> Arc<Client> {
        Arc::new(Client::default())
    }

    /// From now on it hears what all clients hear, unless it has left already; first of all what lasts.
    pub fn add(&self, client: Arc<Client>) {
        if !client.is_closed() {
            let mut all = self.lock();
            all.lasting.values().for_each(|text| client.text(text.clone()));
            all.clients.push(client);
        }
    }

    /// Lets one go.
    pub fn leave(&self, client: &Arc<Client>) {
        client.close();
        self.lock().clients.retain(|other| !Arc::ptr_eq(other, client));
    }

    fn lock(&self) -> MutexGuard<'_, Audience> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All there are now.
    pub fn all(&self) -> Vec<Arc<Client>> {
        self.lock().clients.clone()
    }

    /// Tells all of them.
    pub fn tell(&self, message: &Value) {
        let text = message.to_string();
        self.all().iter().for_each(|client| client.text(text.clone()));
    }

    /// Tells all of them, and each that comes until that is over.
    pub fn tell_lasting(&self, about: &str, message: &Value) {
        let text = message.to_string();
        let mut all = self.lock();
        all.clients.iter().for_each(|client| client.text(text.clone()));
        all.lasting.insert(about.to_owned(), text);
    }

    /// Tells all of them that something that lasted is over.
    pub fn tell_over(&self, about: &str, message: &Value) {
        let text = message.to_string();
        let mut all = self.lock();
        all.lasting.remove(about);
        all.clients.iter().for_each(|client| client.text(text.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tick: u64) -> Arc<Frame> {
        Arc::new(Frame { tick, ..Frame::default() })
    }

    fn next_tick(client: &Client) -> Option<u64> {
        match client.next(Duration::ZERO)? {
            Message::Frame(frame, _) => Some(frame.tick),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_lasts_is_told_to_each_that_comes_until_it_is_over() {
        let clients = Clients::default();
        let joined = || {
            let client = clients.join();
            clients.add(Arc::clone(&client));
            client
        };
        let heard = |client: &Client| {
            let texts = std::iter::from_fn(|| client.next(Duration::ZERO));
            let text = |message| match message {
                Message::Text(text) => text,
                other => panic!("{other:?}"),
            };
            texts.map(text).collect::<Vec<_>>()
        };
        let first = joined();
        clients.tell_lasting("a", &json!(1));
        clients.tell_lasting("a", &json!(2));
        clients.tell(&json!(3));
        let second = joined();
        clients.tell_over("a", &json!(4));
        let third = joined();
        assert_eq!(heard(&first), ["1", "2", "3", "4"]);
        assert_eq!(heard(&second), ["2", "4"]);
        assert!(heard(&third).is_empty());
    }

    #[test]
    fn no_more_than_two_frames_are_under_way_and_the_newest_waits() {
        let client = Client::default();
        for tick in 0..10 {
            client.frame(frame(tick));
            match tick {
                0 | 1 => assert_eq!(next_tick(&client), Some(tick)),
                _ => assert_eq!(next_tick(&client), None, "two are under way"),
            }
        }
        client.acknowledge(7);
        assert_eq!(next_tick(&client), None, "the seventh was never sent");
        client.acknowledge(1);
        assert_eq!(next_tick(&client), Some(9), "the newest");
        assert_eq!(client.missed.load(Ordering::Relaxed), 7);
    }

    #[test]
    fn texts_come_in_order_and_before_frames() {
        let client = Client::default();
        client.frame(frame(1));
        client.tell(&json!(1));
        client.tell(&json!(2));
        for expected in ["1", "2"] {
            assert!(matches!(client.next(Duration::ZERO), Some(Message::Text(text)) if text == expected));
        }
        assert_eq!(next_tick(&client), Some(1));
    }

    fn next_text(client: &Client) -> Option<Value> {
        match client.next(Duration::ZERO)? {
            Message::Text(text) => serde_json::from_str(&text).ok(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_command_is_answered_once_also_where_its_thread_fails() {
        let client = Arc::new(Client::default());
        let reply = Reply::new(&client, json!(7));
        let failed = std::thread::spawn(move || {
            let _kept = reply;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(failed.join().is_err());
        let told = next_text(&client).unwrap();
        assert_eq!(told["id"], 7);
        assert!(
            told["error"].as_str().is_some_and(|error| error.starts_with("this was not answered")),
            "{told}"
        );
        let reply = Reply::new(&client, json!(8));
        reply.clone().send(Ok(json!({})));
        drop(reply);
        assert_eq!(next_text(&client), Some(json!({ "id": 8, "ok": {} })));
        assert!(next_text(&client).is_none() && client.is_content());
    }

    #[test]
    fn what_is_called_off_is_not_wanted_and_what_is_asked_later_is() {
        let client = Arc::new(Client::default());
        let reply = Reply::new(&client, json!(1));
        assert!(reply.progress("trace", 1, 2));
        client.call_off();
        assert!(!reply.progress("trace", 1, 2));
        assert!(Reply::new(&client, json!(2)).progress("trace", 1, 2));
    }

    #[test]
    fn a_client_that_never_reads_is_dropped_in_the_end() {
        let client = Client::default();
        let text = "x".repeat(1 << 20);
        (0..70).for_each(|_| client.text(text.clone()));
        assert!(client.is_closed());
    }

    #[test]
    fn one_answer_of_any_size_ends_no_client_that_reads() {
        let client = Client::default();
        for _ in 0..3 {
            client.tell(&json!(1));
            client.text("x".repeat(TEXT_BYTES_MAX + 1));
            client.tell(&json!(2));
            assert!(!client.is_closed() && !client.is_behind());
            (0..3).for_each(|_| assert!(client.next(Duration::ZERO).is_some()));
        }
        (0..2).for_each(|_| client.text("x".repeat(TEXT_BYTES_MAX + 1)));
        assert!(client.is_closed() && client.is_behind(), "it does not read");
    }
}
