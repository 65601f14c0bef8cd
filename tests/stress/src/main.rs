//! Stresses `lockfree-cuckoo` with real threads, in the build that can stop a thread before any of its accesses.
//!
//! ```text
//! RUSTFLAGS="--cfg lockfree_cuckoo_steps" cargo run --release --target-dir target/steps -p stress-tests -- \
//!     histories|faults|stalls|soak|lives [--seconds N] [--seed N] [--layout SLOTSxBITS]
//! ```
//!
//! `--help` says what each part does.
//!
//! A run fails, with exit code 1, if an answer was wrong, and also if the races that it is for did not happen.
//! A seed decides what is called; the schedule is the machine's own, so a failure prints what was seen.

#[cfg(lockfree_cuckoo_steps)]
mod stepped;

#[cfg(lockfree_cuckoo_steps)]
fn main() -> std::process::ExitCode {
    stepped::main()
}

#[cfg(not(lockfree_cuckoo_steps))]
fn main() -> std::process::ExitCode {
    eprintln!(
        "this build cannot stop threads; build it with\n\n    RUSTFLAGS=\"--cfg lockfree_cuckoo_steps\" \
         cargo run --release --target-dir target/steps -p stress-tests -- --help"
    );
    std::process::ExitCode::FAILURE
}
