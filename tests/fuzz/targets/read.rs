//! Bytes as they come.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let filters = lockfree_cuckoo_fuzz::check_each(bytes);
    assert!(filters <= 1, "it is of one kind and one layout");
    let any_layout = lockfree_cuckoo_fuzz::check_any_layout(bytes);
    assert!(filters == 1 || !any_layout, "any layout is one of them");
});
