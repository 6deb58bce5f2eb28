//! Encodes and decodes messages of the Debug Adapter Protocol: a length, an empty line, JSON.
//!
//! In: bytes. Out: objects, and back. Holds: a message is bounded; one that is not JSON is null, and anything
//! else ends the reading. Not here: the meaning of messages (`adapter`).

use std::io::{self, BufRead, Write};

use serde_json::Value;

/// Bytes of a message, at most.
const MESSAGE_MAX: usize = 16 * 1024 * 1024;
/// Bytes of a line of its head.
const HEAD_LINE_MAX: u64 = 4096;
/// Lines of a head.
const HEAD_LINES_MAX: usize = 32;

/// The next message, null for one that is no JSON; none at the end of the stream.
///
/// # Errors
/// When the stream fails, or gives something that is no message.
pub(super) fn read(stream: &mut impl BufRead) -> io::Result<Option<Value>> {
    let Some(length) = head(stream)? else { return Ok(None) };
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    Ok(Some(serde_json::from_slice(&text).unwrap_or_default()))
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// The length of the message that follows.
fn head(stream: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    for _ in 0..HEAD_LINES_MAX {
        let mut line = Vec::new();
        io::Read::take(&mut *stream, HEAD_LINE_MAX).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            let length = length.ok_or_else(|| wrong("a head without Content-Length"))?;
            return if length <= MESSAGE_MAX {
                Ok(Some(length))
            } else {
                Err(wrong("a message is too long"))
            };
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse().map_err(|_| wrong("Content-Length is not a number"))?);
        }
    }
    Err(wrong("a head without end"))
}

/// Writes a message.
///
/// # Errors
/// When the stream fails.
pub(super) fn write(stream: &mut (impl Write + ?Sized), message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(stream, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::shell::debug::wire::{read, write};

    #[test]
    fn what_is_written_is_read_and_anything_else_is_refused() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({ "seq": 1, "text": "ä" })).unwrap();
        write(&mut bytes, &json!([])).unwrap();
        let mut stream = bytes.as_slice();
        assert_eq!(read(&mut stream).unwrap(), Some(json!({ "seq": 1, "text": "ä" })));
        assert_eq!(read(&mut stream).unwrap(), Some(json!([])));
        assert_eq!(read(&mut stream).unwrap(), None);
        for wrong in [
            "x\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n{}",
            "Content-Length: 5\r\n\r\n{}",
        ] {
            assert!(read(&mut wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(read(&mut "a: b\r\n".repeat(40).as_bytes()).is_err());
        let mut torn = "Content-Length: 2\r\n\r\n{]Content-Length: 2\r\n\r\n{}".as_bytes();
        assert_eq!(read(&mut torn).unwrap(), Some(json!(null)));
        assert_eq!(read(&mut torn).unwrap(), Some(json!({})), "the next one is read");
    }
}
