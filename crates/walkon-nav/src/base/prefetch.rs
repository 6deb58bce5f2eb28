//! Asks the processor to fetch memory before it is read.
//!
//! In: addresses, which may be any. Out: nothing. Holds: no result depends on it; nothing is read here, so an
//! address that has become stale does no harm. Not here: what is read next, and how far ahead to ask.

/// Bytes that a processor fetches at once.
pub const LINE_BYTES: usize = 64;

/// Asks for the line of memory around an address. Costs an instruction; does nothing on processors other than
/// x86-64 and AArch64.
#[inline]
#[allow(unsafe_code)]
pub fn line(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint reads and writes nothing and never faults; every x86-64 processor has it.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(core::ptr::without_provenance(address));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{address}]",
            address = in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Asks for so many bytes from an address on.
#[inline]
pub fn bytes(address: usize, count: usize) {
    // The lines from the one of the first byte to the one of the last.
    let first = address / LINE_BYTES;
    let last = address.saturating_add(count.max(1) - 1) / LINE_BYTES;
    (first..=last).for_each(|number| line(number * LINE_BYTES));
}

/// Asks for a value, without what it points to.
#[inline]
pub fn value<T: ?Sized>(value: &T) {
    bytes((&raw const *value).addr(), size_of_val(value));
}

/// How many items ahead memory is asked for: it takes as long to come as some of them take.
pub const AHEAD: usize = 12;

/// The items in order; `fetch` asks for the memory of each some items before it is its turn.
pub fn ahead<T>(items: &[T], fetch: impl Fn(&T)) -> impl Iterator<Item = &T> {
    items.iter().enumerate().map(move |(place, item)| {
        items.get(place + AHEAD).into_iter().for_each(&fetch);
        item
    })
}

/// How many rows are worked on while the memory of the next as many is asked for.
pub const TOGETHER: usize = 12;

/// Does `work` on chunks of rows, in order; `fetch` asks for the memory of each chunk before the one ahead of
/// it is worked on.
#[inline]
pub fn chunks_ahead<I: Iterator>(chunks: I, fetch: impl Fn(&I::Item), mut work: impl FnMut(I::Item)) {
    let mut chunks = chunks.peekable();
    while let Some(chunk) = chunks.next() {
        chunks.peek().into_iter().for_each(&fetch);
        work(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each chunk is worked on once and in order, and is asked for before, if it is not the first.
    #[test]
    fn chunks_come_in_order_and_are_asked_for_before() {
        for count in [0, 1, 5] {
            let asked = std::cell::RefCell::new(Vec::new());
            let mut seen = Vec::new();
            let work = |chunk| {
                assert!(chunk == 0 || asked.borrow().contains(&chunk));
                seen.push(chunk);
            };
            chunks_ahead(0..count, |&chunk| asked.borrow_mut().push(chunk), work);
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
            assert_eq!(asked.into_inner(), (1..count).collect::<Vec<_>>());
        }
    }

    /// Each item has its turn once and in order, and is asked for before, if it is not among the first.
    #[test]
    fn items_come_in_order_and_are_asked_for_before() {
        for count in [0, 1, AHEAD, AHEAD + 1, 100] {
            let items: Vec<usize> = (0..count).collect();
            let asked = std::cell::RefCell::new(Vec::new());
            let seen: Vec<usize> = ahead(&items, |&item| asked.borrow_mut().push(item)).copied().collect();
            assert_eq!(seen, items);
            assert_eq!(asked.into_inner(), items.get(AHEAD..).unwrap_or_default());
        }
    }

    /// Whatever the address, nothing happens that a program could see.
    #[test]
    fn any_address_may_be_asked_for() {
        let numbers = vec![7_u64; 100];
        value(&numbers[..]);
        value(&numbers[..0]);
        for address in [0, 1, 4095, usize::MAX / 2, usize::MAX - 1, usize::MAX] {
            line(address);
            bytes(address, 0);
            bytes(address, 200);
        }
        assert_eq!(numbers, [7; 100]);
    }
}
