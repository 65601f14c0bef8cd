//! operation-counts: counts the instructions and memory accesses of each operation.
//!
//! Times depend on the machine, and their noise hides small changes. This program counts instead.
//! It runs each operation of each filter step by step, in a process of its own. It adds up the
//! instructions of the program, their loads and stores, the locked ones, and the cache lines
//! outside the stack and the program that they touch and write to. A processor takes the lines that
//! it writes to from the others. Functions of the C library depend on the processor, so only calls
//! to them are counted. Sizes that depend on the number of processors are those of two.
//!
//! ```text
//! cargo run --profile counts -p operation-counts
//! ```
//!
//! compares the counts with `benches/counts/counts.txt`, and fails if they differ. With `--
//! --write` it writes that file. The file names its compiler; with another compiler nothing is
//! compared.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod operations;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod stepper;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod table;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => table::compare(),
        ["--write"] => table::write(),
        ["--child", filter, operation] => operations::run(filter, operation),
        _ => Err("the only argument is --write".into()),
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    println!("SKIPPED: counts instructions of x86-64, on Linux");
}
