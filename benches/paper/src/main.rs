//! paper: repeats the evaluation of Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter:
//! Practically Better Than Bloom", CoNEXT 2014.
//!
//! It makes a table for each of their Tables 2 and 3 and Figures 2 to 8, with the published values
//! beside the measured ones, and draws the figures. `docs/paper.md` has these tables and says what
//! can be compared. Everything runs on one thread, as in the paper. Each contender has the same
//! memory and lives the same [life], in turns with the bare limit. The loads of Figure 2 come from
//! a [simulation], because it has fingerprints and buckets that no filter here has.
//!
//! The contenders: cuckoo filters of this library, plain and semi-sorted (CF and ss-CF, as in the
//! paper); a Bloom, a blocked Bloom and a quotient filter from the registry; a
//! [counting](counting_bloom) and a [d-left](d_left) counting Bloom filter, which no registry has.
//!
//! `cargo run --release -p paper -- --into docs/paper.md` takes some minutes and writes the page;
//! `--quick` takes about one. `--large` uses the paper's size, 192 MiB, and takes much longer.

mod counting_bloom;
mod d_left;
mod evaluation;
mod figures;
mod keys;
mod layouts;
mod life;
mod load;
mod options;
mod published;
mod report;
mod rivals;
mod simulation;
mod space;
mod subject;
mod turns;

use std::error::Error;
use std::fs;

use clap::Parser;
use lockfree_cuckoo_benches::{machine, markdown};

use crate::evaluation::Evaluation;
use crate::options::Options;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    fs::create_dir_all(&options.out)?;
    let machine = machine();
    let command: Vec<String> = std::env::args().skip(1).collect();
    let source = format!("{machine}; `paper {}`.\n", command.join(" "));
    let evaluation = Evaluation::run(&options.effort())?;
    let mut tables = report::tables(&evaluation);
    tables.insert(0, ("machine", source));
    for (name, table) in &tables {
        println!("{name}\n\n{table}");
    }
    for (name, chart) in figures::all(&evaluation, &machine) {
        let path = options.out.join(format!("paper-{name}.svg"));
        chart.write_svg(&path)?;
        println!("{}", path.display());
    }
    let write = |file| markdown::write_between_marks(file, &tables);
    options.into.iter().try_for_each(|file| write(file))
}
