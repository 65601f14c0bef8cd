//! How does the filter compare, with the bare limit and with its rivals, on one thread and on many?
//!
//! In one process, slices of a contender's work and of the limit's take turns, so a disturbance of the
//! machine meets both, and the paired ratios hold where the rates do not. The ratio to a rival is the
//! quotient of two ratios to the limit of the same process. What the cores of a virtual machine are worth to
//! each other changes from process to process, so each measurement is repeated in several processes, which
//! this program starts as its children; what counts is the median over processes.
//!
//! Up to the number of cores, rates are operations per second with a processor; beyond, per second of wall
//! time. The last table compares with the goals that the crate has set itself.
//!
//! With `RUSTFLAGS="-C target-cpu=native"` the compiler may use what else the processor has.
//!
//! `--quick` takes less than three minutes instead of about an hour: the smaller size, once. `--sizes 100M` measures
//! large filters, without the sets. `--contenders filter` leaves out the rivals.

mod child;
mod goals;
mod options;
mod plots;
mod results;
mod tables;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;

use clap::Parser;
use lockfree_cuckoo_benches::{have_done, machine, print_goals};

use self::options::Options;
use self::results::{Results, Size};

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    if let Some(job) = &options.common.child {
        let process = child::run(&serde_json::from_str(job)?);
        println!("{}", serde_json::to_string(&process)?);
        return Ok(());
    }
    // Before an hour is spent on what nobody could keep.
    fs::create_dir_all(&options.out)?;
    let program = env::current_exe()?;
    let size = |&items: &usize| Size {
        items,
        threads: options.threads.clone(),
        processes: Vec::new(),
    };
    let mut results = Results {
        machine: machine(),
        sizes: options.common.sizes().iter().map(size).collect(),
    };
    let jobs = options.jobs();
    for (at, job) in jobs.iter().enumerate() {
        eprintln!("process {} of {}", at + 1, jobs.len());
        let mut sizes = results.sizes.iter_mut();
        let size = sizes.find(|size| size.items == job.items);
        let size = size.ok_or("a job of no size")?;
        size.processes.push(have_done(&program, job)?);
    }
    println!("{}", results.machine);
    results.sizes.iter().for_each(tables::print);
    print_goals(&goals::judge(&results.sizes));

    let json = BufWriter::new(File::create(options.out.join("scaling.json"))?);
    serde_json::to_writer_pretty(json, &results)?;
    for (name, chart) in plots::draw(&results) {
        chart.write_svg(&options.out.join(name))?;
    }
    println!("\nJSON and plots: {}", options.out.display());
    Ok(())
}
