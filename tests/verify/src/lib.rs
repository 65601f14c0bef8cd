//! Suites of tests, and the mutants that they must kill.
//!
//! A *piece* is something that the crate cannot do without, and a *mutant* is the crate without it. A *suite* is tests
//! with a list of mutants: each names the test that must fail. [`mutation`] builds and runs both.
//!
//! The programs are `verify`, which runs every check of the crate, and `suite`, which runs one suite.

pub mod mutation;
pub mod pieces;
pub mod project;
pub mod suites;
