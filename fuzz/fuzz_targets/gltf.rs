//! See `checks::gltf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    checks::gltf(bytes);
});
