//! scaling: compares the filter with the bare limit and with its rivals, on one thread and on many.
//!
//! In one process, slices of a contender's work and of the limit's take turns. A disturbance of the
//! machine meets both, so the paired ratios hold where the rates do not. The ratio to a rival is
//! the quotient of two ratios to the limit of the same process. The speed of two virtual processors
//! beside each other changes from process to process, so children of this program repeat each
//! measurement, and the result is the median over processes. Up to the number of cores, rates are
//! operations per second with a processor; beyond, per second of wall time.
//!
//! There is a table for each number of threads: by default powers of two up to the number of
//! processors, and, of hits and mixed work, two numbers beyond it.
//!
//! It takes two hours; `--sizes 1M --processes 1 --seconds 0.06` less than five minutes.
//! `--contenders filter` leaves out the rivals. `--into README.md` writes the table of the README;
//! `benches/measure` makes all figures.

mod child;
mod markdown;
mod options;
mod plots;
mod results;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::PathBuf;

use clap::Parser;
use lockfree_cuckoo_benches::{cores, have_done, machine, print_cores};

use self::options::Options;
use self::results::{Results, Size};

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    if let Some(job) = &options.common.child {
        let process = child::run(&serde_json::from_str(job)?);
        println!("{}", serde_json::to_string(&process)?);
        return Ok(());
    }
    if !options.from.is_empty() {
        let read = |file| Ok(serde_json::from_str(&fs::read_to_string(file)?)?);
        let runs: Result<Vec<Results>, Box<dyn Error>> = options.from.iter().map(read).collect();
        return write_tables(&options.into, &runs?);
    }
    let results = measure(&options)?;
    println!("{}", markdown::contenders(&results, &options.threads));
    println!("{}", markdown::latency(&results));
    for size in &results.sizes {
        let speedups = size.processes.iter().map(|process| process.speedup);
        print_cores(&speedups.collect::<Vec<_>>());
    }
    let json = BufWriter::new(File::create(options.out.join("scaling.json"))?);
    serde_json::to_writer_pretty(json, &results)?;
    for (name, chart) in plots::draw(&results) {
        chart.write_svg(&options.out.join(name))?;
    }
    println!("\nJSON and plots: {}", options.out.display());
    write_tables(&options.into, &[results])
}

/// Runs the children.
fn measure(options: &Options) -> Result<Results, Box<dyn Error>> {
    // Fail before an hour is spent if the results cannot be kept.
    fs::create_dir_all(&options.out)?;
    let program = env::current_exe()?;
    let size = |&items: &usize| Size {
        items,
        threads: options.threads.clone(),
        processes: Vec::new(),
    };
    let arguments: Vec<String> = env::args().skip(1).collect();
    let mut results = Results {
        machine: machine(),
        command: format!("scaling {}", arguments.join(" ")),
        cores: cores(),
        sizes: options.common.sizes.iter().map(size).collect(),
    };
    let jobs = options.jobs();
    for (at, job) in jobs.iter().enumerate() {
        eprintln!("process {} of {}", at + 1, jobs.len());
        let mut sizes = results.sizes.iter_mut();
        let size = sizes.find(|size| size.items == job.items);
        let size = size.ok_or("a job of no size")?;
        size.processes.push(have_done(&program, job)?);
    }
    Ok(results)
}

fn write_tables(files: &[PathBuf], runs: &[Results]) -> Result<(), Box<dyn Error>> {
    files
        .iter()
        .try_for_each(|file| markdown::write(file, runs))
}
