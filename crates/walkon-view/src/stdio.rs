//! The protocol on standard input and output, a message a line, for tools without a browser.
//!
//! In: lines. Out: lines. Holds: the program ends when its input does, and is never kept from ending by a
//! reader that does not read. Not here: the commands.

use std::io::{BufRead, BufWriter, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::client::{Client, Message};
use crate::commands::{COMMAND_BYTES_MAX, Doers};
use crate::orders::{Order, Ordered};

/// Longest wait for something to say.
const PATIENCE: Duration = Duration::from_millis(100);
/// Longest wait for answers after the end of the input.
const ANSWERS_PATIENCE: Duration = Duration::from_secs(10);

/// Speaks with the program at the other end of standard input, until that input ends.
pub fn run(doers: &Doers) {
    let client = doers.shared.clients.join();
    let welcome = Ordered { order: Order::Welcome(Arc::clone(&client)), reply: None };
    if doers.running.send(welcome).is_err() {
        return;
    }
    let speaker = Arc::clone(&client);
    let speaking = std::thread::Builder::new().name("speaker".to_owned()).spawn(move || speak(&speaker));
    let mut input = std::io::stdin().lock();
    // Bounded by the input.
    loop {
        let mut bytes = Vec::new();
        let read = input.by_ref().take(COMMAND_BYTES_MAX as u64).read_until(b'\n', &mut bytes);
        if !read.is_ok_and(|count| count > 0) {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        if !line.trim().is_empty() {
            doers.perform(&client, &line);
        }
        if client.is_closed() {
            break;
        }
    }
    // What was asked for is answered before the end, if that does not take too long.
    let until = Instant::now() + ANSWERS_PATIENCE;
    while !client.is_content() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    doers.shared.clients.leave(&client);
    if let Ok(speaking) = speaking {
        let _ = speaking.join();
    }
}

/// Standard output as a file of its own: the lock of the program's own is not held while nobody reads, so
/// that the program can end.
fn output() -> Box<dyn Write> {
    #[cfg(unix)]
    if let Ok(own) = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned() {
        return Box::new(BufWriter::new(std::fs::File::from(own)));
    }
    Box::new(std::io::stdout())
}

fn speak(client: &Client) {
    let mut out = output();
    loop {
        let Some(message) = client.next(PATIENCE) else {
            if client.is_closed() {
                return;
            }
            continue;
        };
        let line = match message {
            Message::Text(text) => text,
            Message::Frame(frame, number) => frame.json(number).to_string(),
            Message::Tracks(tracks) => tracks.json().to_string(),
        };
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            client.close();
            return;
        }
    }
}
