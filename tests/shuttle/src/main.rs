//! Runs the tests of random schedules, then the mutants that they must kill.
//!
//! The tests are built apart from everything else, with `--cfg lockfree_cuckoo_shuttle`. A run fails if a test
//! fails, if no test runs, or if a mutant survives.

mod mutants;

use std::process::ExitCode;

use mutation::Suite;

const SHUTTLE: Suite = Suite {
    name: "shuttle",
    checks: "tests",
    unit: "schedules",
    command: "cargo run --package shuttle-tests",
    about: "SHUTTLE_ITERATIONS sets the number of schedules of each test; a mutant gets up to eight times as many.",
    package: "shuttle-tests",
    directory: "tests/shuttle",
    flags: "--cfg lockfree_cuckoo_shuttle",
    profile: "release",
    arguments: &[],
    mutants: mutants::MUTANTS,
};

fn main() -> ExitCode {
    mutation::main(&SHUTTLE)
}
