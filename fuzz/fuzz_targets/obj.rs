//! See `checks::obj`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    checks::obj(bytes);
});
