//! The filters of [`lockfree_cuckoo`] for C and C++.
//!
//! `include/lockfree_cuckoo.h` is made from these files by cbindgen: the comments of what is public
//! are the documentation that C programmers read. `include/lockfree_cuckoo.hpp` wraps it for C++.
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `status` | what a call answers if it fails, and where panics end |
//! | `cancellation` | threads that are cancelled |
//! | `pointer` | what callers pass, checked |
//! | `processes` | filters that processes share, on systems that have them |
//! | `handle` | what a pointer to a filter stands for |
//! | `create`, `single`, `bulk`, `values`, `ageing`, `clock`, `measures`, `stored`, `shared` | the calls |

// The names are those of the header.
#![allow(unsafe_code, non_camel_case_types)]
// A call passes on what it is passed: what its callers promise for all pointers is said in the
// header, once.
#![allow(unsafe_op_in_unsafe_fn, clippy::missing_safety_doc)]

pub mod status;

mod cancellation;

mod pointer;

mod processes;

pub mod handle;

pub mod create;

pub mod single;

pub mod bulk;

pub mod values;

pub mod ageing;

pub mod clock;

pub mod measures;

pub mod stored;

pub mod shared;
