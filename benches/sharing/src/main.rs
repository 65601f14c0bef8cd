//! cache-lines: counts the cache lines that change hands between processors for an operation, by
//! the parts of the filter.
//!
//! Times on two processors say little about sixty-four. Code becomes slower with each processor
//! because processors take lines from each other, and this can be counted. A build with `--cfg
//! lockfree_cuckoo_steps` records each access of the filter to its atomics. Threads take turns, one
//! operation at a time, and their accesses go to simulated caches ([`cache_lines`]). The result
//! does not depend on the machine:
//!
//! ```text
//! RUSTFLAGS="--cfg lockfree_cuckoo_steps" cargo run --release -p cache-lines --target-dir target/steps
//! ```
//!
//! A part scales if its number stays the same from 2 processors to 128, and if no single line passes
//! too often: passes of one line wait for each other ([`queue`](cache_lines::queue)). Only the
//! sharing between operations is counted, not the further cost of two operations at the same
//! moment: a lost exchange and another attempt. The last
//! table has that cost too, for a filter that grows.

#[cfg(lockfree_cuckoo_steps)]
mod beside;
#[cfg(lockfree_cuckoo_steps)]
mod report;
#[cfg(lockfree_cuckoo_steps)]
mod tables;
#[cfg(lockfree_cuckoo_steps)]
mod work;

#[cfg(lockfree_cuckoo_steps)]
fn main() -> std::io::Result<()> {
    report::run()
}

#[cfg(not(lockfree_cuckoo_steps))]
fn main() {
    println!("build it with RUSTFLAGS=\"--cfg lockfree_cuckoo_steps\"");
}
