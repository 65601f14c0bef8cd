//! The evaluation of the paper on this library: Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter:
//! Practically Better Than Bloom", CoNEXT 2014.
//!
//! Prints a table for each of its experiments, with what the authors published beside it, and draws the figures. One
//! thread, as in the paper. Each contender has the same memory and lives the same [life] beside the bare limit, in turns
//! of milliseconds: on a machine that is not quiet, the ratio of the two is what to hold on to. The loads of Figure 2
//! come from a [simulation](partial_key), because it has fingerprints and buckets that no filter here has.
//!
//! The contenders: cuckoo filters of this library, plain and semi-sorted (CF and ss-CF, as in the paper); a Bloom, a
//! blocked Bloom and a quotient filter from the registry; a counting and a d-left counting Bloom filter, written for
//! these benches.
//!
//! Some minutes; `--quick` takes about one. `--large` is the paper's size, 192 MB, and takes much longer.

mod args;
mod evaluation;
mod figures;
mod grid;
mod keys;
mod layouts;
mod life;
mod load;
mod looks;
mod partial_key;
mod published;
mod report;
mod rivals;
mod space;
mod subject;
mod turns;

use std::error::Error;
use std::fs;

use clap::Parser;
use lockfree_cuckoo_benches::machine::machine;

use crate::args::Args;
use crate::evaluation::Evaluation;

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    fs::create_dir_all(&args.out)?;
    let machine = machine();
    println!("{machine}");
    let evaluation = Evaluation::run(&args)?;
    report::print(&evaluation);
    for (name, chart) in figures::all(&evaluation, &machine) {
        let path = args.out.join(name).with_extension("svg");
        chart.write_svg(&path)?;
        println!("{}", path.display());
    }
    Ok(())
}
