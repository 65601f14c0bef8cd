//! Reading arbitrary bytes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockfree_cuckoo_fuzz::check_any(bytes);
    lockfree_cuckoo_fuzz::check(bytes);
});
