//! `cargo loom`: checks the models, then checks the models themselves with mutants.
//!
//! The models are built apart from everything else, with `--cfg loom`. A run fails if a model fails, if no
//! model runs, or if a mutant survives.

mod mutants;

use std::process::ExitCode;

use mutation::Suite;

const LOOM: Suite = Suite {
    name: "loom",
    checks: "models",
    unit: "executions",
    command: "cargo loom",
    about: "LOOM_MAX_PREEMPTIONS sets the preemption bound of all models. Unless set, it is 2,
and 1 for the largest.",
    package: "loom-tests",
    directory: "loom-tests",
    flags: "--cfg loom --cfg crossbeam_loom",
    profile: "loom",
    arguments: &["--features", "loom"],
    mutants: mutants::MUTANTS,
};

fn main() -> ExitCode {
    mutation::main(&LOOM)
}
