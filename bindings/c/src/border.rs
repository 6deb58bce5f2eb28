//! Pointers of callers, and panics of ours: what every function does first and last.
//!
//! In: pointers with lengths, work that may fail or panic. Out: slices, texts, handles; a status. Holds: a null
//! pointer is a status, never a fault; a panic is the status `Bug`; a result that does not fit leaves the memory of
//! the caller alone and says how much it needs. Not here: what functions do.

use crate::status::{self, Failure, WalkonStatus};

/// Runs the work of a function; what is wrong is kept for `walkon_last_error`.
pub fn run(work: impl FnOnce() -> Result<(), Failure>) -> WalkonStatus {
    match caught(work) {
        Ok(()) => WalkonStatus::Ok,
        Err(failure) => {
            status::keep(&failure);
            failure.status
        }
    }
}

/// The same for those who read what was wrong: the text stays.
pub fn quietly(work: impl FnOnce() -> Result<(), Failure>) -> WalkonStatus {
    caught(work).map_or_else(|failure| failure.status, |()| WalkonStatus::Ok)
}

/// A panic as a failure.
pub fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // What a panic leaves half done is behind a handle that answers `Bug` from then on.
    walkon_shell::caught(work).unwrap_or_else(|bug| Err(Failure::new(WalkonStatus::Bug, bug.to_string())))
}

fn null(what: &str) -> Failure {
    Failure::new(WalkonStatus::NullPointer, format!("{what} is a null pointer"))
}

/// What is behind a handle.
///
/// # Safety
/// `handle` is null, or was made by this library and not freed.
pub unsafe fn handle<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { handle.as_ref() }.ok_or_else(|| null(what))
}

/// Text of the caller; it need not end with a zero byte. Nothing at all may be null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WalkonText {
    /// UTF-8.
    pub data: *const u8,
    /// How many bytes.
    pub length: usize,
}

impl WalkonText {
    /// The text; `what` is what messages call it.
    ///
    /// # Safety
    /// `data` is null, or `length` bytes can be read there.
    pub(crate) unsafe fn read<'a>(self, what: &str) -> Result<&'a str, Failure> {
        // SAFETY: as the caller promises.
        let bytes = unsafe { bytes(self.data, self.length, what) }?;
        std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            Failure::new(WalkonStatus::NotUtf8, format!("{what} is not UTF-8 at byte {at}"))
        })
    }
}

/// Bytes of the caller; `what` is what messages call them.
///
/// # Safety
/// `data` is null, or `length` bytes can be read there.
pub unsafe fn bytes<'a>(data: *const u8, length: usize, what: &str) -> Result<&'a [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(null(what));
    }
    // SAFETY: it is not null, and the caller promises its length.
    Ok(unsafe { std::slice::from_raw_parts(data, length) })
}

/// Room of the caller for many of something: `count` is how many are going to be written, not how many the caller has
/// said there is room for, which may be more than any memory has.
///
/// # Safety
/// `room` is null, or `count` of them can be written there.
pub unsafe fn room<'a, T>(room: *mut T, count: usize, what: &str) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    if room.is_null() {
        return Err(null(what));
    }
    // SAFETY: it is not null, and the caller promises its length.
    Ok(unsafe { std::slice::from_raw_parts_mut(room, count) })
}

/// Writes one value.
///
/// # Safety
/// `place` is null, or one can be written there.
pub unsafe fn put<T>(place: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if place.is_null() {
        return Err(null(what));
    }
    // SAFETY: it is not null, and the caller promises the room.
    unsafe { place.write(value) };
    Ok(())
}

/// Memory of the caller that bytes go to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WalkonBuffer {
    /// Where; may be null when `size` is 0.
    pub data: *mut u8,
    /// How many bytes there is room for.
    pub size: usize,
    /// Written: how many bytes the result has. When that is more than `size`, nothing else was written.
    pub length: usize,
}

/// Writes bytes if there is room for all of them, and how many there are in any case.
///
/// # Safety
/// `out` is null, or a buffer whose `data` is null or has room for `size` bytes.
pub unsafe fn fill(out: *mut WalkonBuffer, bytes: &[u8]) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    let out = unsafe { out.as_mut() }.ok_or_else(|| null("out"))?;
    out.length = bytes.len();
    if bytes.len() > out.size {
        let (needed, size) = (bytes.len(), out.size);
        let what = format!("the buffer has room for {size} bytes, and {needed} are needed");
        return Err(Failure::new(WalkonStatus::TooSmall, what));
    }
    if bytes.is_empty() {
        return Ok(());
    }
    if out.data.is_null() {
        return Err(null("out.data"));
    }
    // SAFETY: there is room for so many, and memory of the caller is none of ours.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.data, bytes.len()) };
    Ok(())
}

/// What an object of JSON says; nothing at all is the default.
pub fn json<T: serde::de::DeserializeOwned + Default>(text: &str, what: &str) -> Result<T, Failure> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(T::default());
    }
    // Else a list would be taken for the fields in order.
    if !text.starts_with('{') {
        return Err(Failure::new(WalkonStatus::BadJson, format!("{what}: expected an object")));
    }
    let wrong = |error| Failure::new(WalkonStatus::BadJson, format!("{what}: {error}"));
    serde_json::from_str(text).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use crate::border;
    use crate::status::{Failure, WalkonStatus, walkon_last_error};

    fn last() -> String {
        let mut bytes = [0_u8; 512];
        let mut out = border::WalkonBuffer { data: bytes.as_mut_ptr(), size: bytes.len(), length: 0 };
        // SAFETY: the buffer has the room that it says.
        assert_eq!(unsafe { walkon_last_error(&raw mut out) }, WalkonStatus::Ok);
        String::from_utf8(bytes[..out.length].to_vec()).unwrap()
    }

    #[test]
    fn no_panic_crosses_the_border() {
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(border::run(|| panic!("torn")), WalkonStatus::Bug);
        assert_eq!(last(), "a bug in walkon, please report it: torn");
        assert_eq!(border::run(|| panic!("{} parts", 2)), WalkonStatus::Bug);
        assert_eq!(last(), "a bug in walkon, please report it: 2 parts");
        let _ = std::panic::take_hook();
    }

    #[test]
    fn what_was_wrong_is_kept_for_each_thread_until_something_else_is() {
        let fail = |what: &str| border::run(|| Err(Failure::new(WalkonStatus::Refused, what)));
        assert_eq!(fail("one"), WalkonStatus::Refused);
        assert_eq!(border::run(|| Ok(())), WalkonStatus::Ok);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(last(), ""));
        });
        assert_eq!(last(), "one");
    }
}
