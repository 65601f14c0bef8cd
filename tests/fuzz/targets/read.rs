//! Bytes as they come.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let fixed = lockfree_cuckoo_fuzz::check(bytes);
    let growing = lockfree_cuckoo_fuzz::check_growing(bytes);
    let rotating = lockfree_cuckoo_fuzz::check_rotating(bytes);
    let any_layout = lockfree_cuckoo_fuzz::check_any_layout(bytes);
    assert!(any_layout || !fixed, "a layout is one of any");
    let kinds = [fixed, growing, rotating].into_iter().filter(|&kind| kind);
    assert!(kinds.count() <= 1, "it is of one kind");
});
