//! From C and C++: the same filters behind a header.
//!
//! `cargo install cargo-c`, then `cargo cinstall --release -p lockfree-cuckoo-c` in the repository, installs the
//! library, the headers `lockfree_cuckoo.h` and `lockfree_cuckoo.hpp`, and a file for pkg-config. A program:
//!
//! ```c
//! #include <lockfree_cuckoo.h>
//! #include <stdio.h>
//!
//! int main(void)
//! {
//!     lfcf_options options = {.size = sizeof options, .kind = LFCF_GROWING, .capacity = 100000};
//!     lfcf_filter *seen;
//!     if (lfcf_create(&options, &seen) < 0) {
//!         fprintf(stderr, "%s\n", lfcf_last_error());
//!         return 1;
//!     }
//!     for (int turn = 0; turn < 2; turn++) {
//!         int added = lfcf_insert_unique_bytes(seen, "flow", 4);
//!         if (added < 0)
//!             fprintf(stderr, "%s\n", lfcf_last_error());
//!         else
//!             puts(added ? "new" : "known");
//!     }
//!     lfcf_destroy(seen);
//!     return 0;
//! }
//! ```
//!
//! ```sh
//! gcc -std=c11 program.c $(pkg-config --cflags --libs lockfree-cuckoo)
//! ```
//!
//! | here | in C |
//! |---|---|
//! | [`CuckooFilter`](crate::CuckooFilter), [`GrowingCuckooFilter`](crate::GrowingCuckooFilter), [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) | `lfcf_filter`, with the `kind` of `lfcf_options` |
//! | [`insert_hash`](crate::Filter::insert_hash), [`contains_hash`](crate::Filter::contains_hash) ... | `lfcf_insert`, `lfcf_contains` ... |
//! | an item, by [`hash_bytes`](crate::RandomState::hash_bytes) | `lfcf_insert_bytes`, `lfcf_contains_bytes` ... |
//! | [`contains_many_hash`](crate::Filter::contains_many_hash) ... | `lfcf_contains_many` ..., and `lfcf_contains_bulk` ... for up to 64 hashes, with a bit mask |
//! | [`to_bytes`](crate::Filter::to_bytes), [`read_from`](crate::Filter::read_from) ... | `lfcf_to_bytes`, `lfcf_read_fd` ...: the same form |
//! | an error | a negative number, and a text from `lfcf_last_error` |
//!
//! * **Compare answers with 0.** A lookup returns 1, 0, or a negative error: `lfcf_contains(f, hash) > 0`.
//! * **A hash has 64 mixed bits.** A CRC or a Toeplitz hash of a network card has 32. Pass it as an item of four bytes.
//! * **A struct with padding is not bytes.** Set it to 0 first, or put its fields in an array.
//! * **A filter belongs to one process.** To pass it to another process, store it.
//!
//! The guarantees are the same, and so are the [linearization points](crate::design::protocol): any number of threads
//! write, and readers need no grace periods. In DPDK, `rte_member` allows one writer, and does not document concurrent
//! readers. `crates/capi/README.md` compares the speed of both. `examples/c/flows.c` is a program with threads and
//! libpcap.
