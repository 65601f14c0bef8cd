//! Bytes as they come.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let fixed = lockfree_cuckoo_fuzz::check(bytes);
    let growing = lockfree_cuckoo_fuzz::check_growing(bytes);
    assert!(!(fixed && growing), "it is of one kind");
});
