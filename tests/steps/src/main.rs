//! Runs the tests of stopped threads, then the mutants that they must kill.
//!
//! The tests are built apart from everything else, with `--cfg lockfree_cuckoo_steps`. A run fails if a test fails, if
//! no test runs, or if a mutant survives.

mod mutants;

use std::process::ExitCode;

use mutation::Suite;

const STEPS: Suite = Suite {
    name: "steps",
    checks: "tests",
    unit: "scenes",
    command: "cargo run --package step-tests",
    about: "A scene is one race with its stops at certain accesses.",
    package: "step-tests",
    directory: "tests/steps",
    flags: "--cfg lockfree_cuckoo_steps",
    profile: "release",
    arguments: &[],
    mutants: mutants::MUTANTS,
};

fn main() -> ExitCode {
    mutation::main(&STEPS)
}
