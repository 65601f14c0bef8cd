//! How many cache lines change hands between processors for an operation, and whose?
//!
//! Times on two processors say little about sixty-four. But what makes code slower with each processor is that they
//! take lines from each other, and that can be counted. In a build with `--cfg lockfree_cuckoo_steps` each access of the
//! filter to its atomics is seen. Threads take turns, one operation at a time, and their accesses go to simulated
//! caches ([`cache_lines`]). What comes out does not depend on the machine:
//!
//! ```text
//! RUSTFLAGS="--cfg lockfree_cuckoo_steps" cargo run --release -p cache-lines --target-dir target/steps
//! ```
//!
//! A number that stays the same from 2 processors to 128 says that the part scales: the others do not disturb it more the
//! more they are. What is counted is the sharing between operations. What two operations at the same moment cost besides,
//! a lost exchange and another attempt, is not.

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
