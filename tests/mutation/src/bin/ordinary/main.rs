//! Runs the ordinary tests that must kill a mutant, then those mutants; but for the filter that grows, which has a list
//! of its own.
//!
//! ```text
//! cargo run --package mutation --bin ordinary [-- tests|mutants [NAME]]
//! ```
//!
//! What only a rare schedule brings to light is left to the other suites.

mod mutants;

use std::process::ExitCode;

use mutation::Suite;

const ORDINARY: Suite = Suite {
    name: "ordinary",
    checks: "tests",
    unit: "",
    command: "cargo run --package mutation --bin ordinary",
    about: "The tests are some of those of `cargo test`.",
    package: "lockfree-cuckoo",
    directory: ".",
    flags: "",
    profile: "test",
    arguments: &[],
    mutants: mutants::MUTANTS,
};

fn main() -> ExitCode {
    mutation::main(&ORDINARY)
}
