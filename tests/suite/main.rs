//! What filters promise, of all engines and layouts. One program, so that the filters are compiled once for all of it.
//!
//! | room | what is asked |
//! |---|---|
//! | `door`, `accounts`, `seesaw` | engines and layouts by value, what threads did together, a token that hops |
//! | `oracle` | every answer, beside a multiset of what is in |
//! | `threads`, `snapshot`, `chunks` | what stays exact while threads race, and of copies made meanwhile |
//! | `batch`, `api`, `errors` | the public surface: calls, traits, texts |
//! | `sizing`, `rate`, `readme` | what fits, what it takes, which limits are refused, and which layout is the smallest |
//! | `persistence`, `golden`, `damage` | the stored form, and what nobody stored |
//! | `layouts`, `replay` | what holds of each layout, and what never changes |
//! | `growing`, `rotating`, `values` | what only some filters have |
//!
//! Every test is bounded by a number of operations, none by time. What filters take of memory is in `memory`.

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
mod layouts;
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
mod surface;
mod threads;
mod values;
