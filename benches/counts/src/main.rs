//! Which instructions does an operation cost, and how many accesses to memory?
//!
//! Times depend on the machine, and small changes drown in their noise. So this program counts: it runs each operation of each
//! filter step by step, in a process of its own, and adds up the instructions of the program, their loads and stores, those
//! with a lock, and the cache lines that they touch and write to outside the stack and the program. A line that an operation writes to is one
//! that a processor takes from the others. Functions of the C library depend on the processor, so only their calls are
//! counted.
//!
//! ```text
//! cargo run --profile counts -p operation-counts
//! ```
//!
//! compares the counts with `benches/counts/counts.txt`, and fails if they differ. With `-- --write` it writes that file. The
//! counts are those of one compiler, for which the file has a line: another one is told, and compares nothing.

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
