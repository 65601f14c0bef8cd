//! Stresses `lockfree-cuckoo` with real threads, in the build that can stop a thread before any of its accesses.
//!
//! ```text
//! RUSTFLAGS="--cfg lockfree_cuckoo_steps" cargo run --release --target-dir target/steps -p stress-tests -- \
//!     histories|faults|stalls|soak|lives [--seconds N] [--seed N] [--layout SLOTSxBITS]
//! ```
//!
//! * `histories`: random calls race for a handful of tokens in a few buckets, and each class of tokens must have
//!   a history that some order of the calls explains.
//! * `faults`: threads die or stop for good at every step of every operation, and nobody else may notice.
//! * `stalls`: the same seen from outside, beside sets behind locks that get the same treatment.
//! * `soak`: churn at high load for as long as there is time, with everything checked at each pause.
//! * `lives`: filters that double, from a few buckets to their last level and back to nothing, again and again.
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
