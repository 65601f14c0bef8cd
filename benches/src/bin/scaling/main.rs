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
//! All that is done twice: in the default build, and in one for the processor of this machine (`--builds`).
//!
//! `--quick` takes less than three minutes instead of about two hours, in the default build. `--large` adds filters of 100 million
//! items. `--contenders filter` leaves out the rivals. `--draw FILE` draws the plots of an earlier run again.

mod build;
mod child;
mod duel;
mod goals;
mod job;
mod options;
mod parent;
mod plots;
mod results;
mod summary;
mod tables;

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::Path;

use clap::Parser;

use self::options::Options;
use self::results::Run;
use self::summary::Summary;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    if let Some(job) = &options.child {
        child::run(&serde_json::from_str(job)?)?;
        return Ok(());
    }
    if let Some(path) = &options.draw {
        let json = BufReader::new(File::open(path)?);
        return draw(&serde_json::from_reader(json)?, &options.out);
    }
    let jobs = options.jobs()?;
    let mut run = Run::new();
    for build in options.builds() {
        let results = parent::run(build, &jobs)?;
        let summary = Summary::of(&results);
        tables::print(&summary);
        goals::print(&goals::judge(&summary));
        println!();
        run.push(results);
    }

    fs::create_dir_all(&options.out)?;
    let json = BufWriter::new(File::create(options.out.join("scaling.json"))?);
    serde_json::to_writer_pretty(json, &run)?;
    draw(&run, &options.out)?;
    println!("JSON and plots: {}", options.out.display());
    Ok(())
}

/// Draws the first build.
fn draw(run: &Run, out: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(out)?;
    let charts = run
        .first()
        .map(|results| plots::draw(&Summary::of(results)));
    for (name, chart) in charts.into_iter().flatten() {
        chart.write_svg(&out.join(name))?;
    }
    Ok(())
}
