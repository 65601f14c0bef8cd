//! Bytes as they come.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let filters = lockfree_cuckoo_fuzz::check_each(bytes);
    assert!(filters <= 1, "it is of one kind and one layout");
});
