//! Runs the ordinary tests of filters that grow, then the mutants that they must kill.
//!
//! ```text
//! cargo run --package mutation [-- tests|mutants [NAME]]
//! ```
//!
//! These tests need no build of their own, so their driver is here. What only a rare schedule brings to light is
//! left to the models.

mod growing;

use std::process::ExitCode;

use mutation::Suite;

const GROWING: Suite = Suite {
    name: "growing",
    checks: "tests",
    unit: "",
    command: "cargo run --package mutation",
    about: "The tests are those of `cargo test`.",
    package: "lockfree-cuckoo",
    directory: ".",
    flags: "",
    profile: "test",
    arguments: &[],
    mutants: growing::MUTANTS,
};

fn main() -> ExitCode {
    mutation::main(&GROWING)
}
