//! Stress tests: call `lockfree-cuckoo` from real threads, in the build that can stop a thread
//! before any of its accesses.
//!
//! ```text
//! RUSTFLAGS="--cfg lockfree_cuckoo_steps" cargo run --release --target-dir target/steps -p stress-tests -- \
//!     histories|soak|lives [--seconds N] [--seed N] [--layout SLOTSxBITS]
//! cargo run --release -p stress-tests -- signals|storm [--seconds N] [--seed N]
//! ```
//!
//! `--help` describes each part. `signals` runs in the shipping build: threads stop permanently at
//! any instruction. So does `storm`, where processes are killed.
//!
//! A run fails, with exit code 1, if an answer was wrong, or if the races that it must cause did
//! not happen. A seed selects the calls; the machine decides the schedule, so a failure prints the
//! calls and answers.

#[cfg(lockfree_cuckoo_steps)]
mod stepped;

#[cfg(lockfree_cuckoo_steps)]
fn main() -> std::process::ExitCode {
    stepped::main()
}

#[cfg(all(not(lockfree_cuckoo_steps), target_os = "linux"))]
mod signals;
#[cfg(all(not(lockfree_cuckoo_steps), target_os = "linux"))]
mod storm;

#[cfg(all(not(lockfree_cuckoo_steps), target_os = "linux"))]
fn main() -> std::process::ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("storm") => storm::main(),
        _ => signals::main(),
    }
}

#[cfg(all(not(lockfree_cuckoo_steps), not(target_os = "linux")))]
fn main() -> std::process::ExitCode {
    eprintln!("SKIPPED: only Linux is known to stop a single thread by a signal");
    std::process::ExitCode::SUCCESS
}
