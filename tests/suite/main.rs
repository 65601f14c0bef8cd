//! The promises of filters, for all engines and layouts: one program, so that the filters are
//! compiled once.
//!
//! | module | tests |
//! |---|---|
//! | `door`, `accounts`, `seesaw` | helpers: engines as values, ledgers, a hopping token |
//! | `oracle` | every answer, compared with a multiset |
//! | `threads` | exactness while threads race |
//! | `snapshot`, `chunks` | copies, and stored forms piece by piece, taken meanwhile |
//! | `api`, `batch`, `errors` | the public surface: traits, calls for many items, texts, examples |
//! | `sizing`, `rate`, `measures`, `seams` | what a builder is asked, offers, and makes |
//! | `persistence`, `golden`, `hash_bytes`, `damage` | the stored form, its readers, damage |
//! | `layouts`, `replay` | each layout, and the contract with replicas |
//! | `growing`, `rotating`, `values` | the features of some filters only |
//! | `readme` | the tables of the pages |
//!
//! A number of operations bounds every test, not a time. `memory` tests the memory of filters.

#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

mod accounts;
mod api;
mod batch;
mod chunks;
mod damage;
mod door;
mod errors;
mod golden;
mod growing;
mod hash_bytes;
mod layouts;
mod measures;
mod oracle;
mod persistence;
mod rate;
mod readme;
mod replay;
mod rotating;
mod seams;
mod seesaw;
mod sizing;
mod snapshot;
mod threads;
mod values;
