//! `cargo suite`: runs the tests of one suite, then the mutants that they must kill.

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use verify::{Suite, mutation, suites};

/// Runs the tests of a suite, then mutants of the crate, and checks that each makes its test fail.
///
/// `LOOM_MAX_PREEMPTIONS` sets the preemption bound of all models; unless told, it is 2, and 1 for the largest.
/// `SHUTTLE_ITERATIONS` sets the number of schedules of each test; a mutant gets up to eight times as many.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo suite")]
struct Options {
    /// loom, shuttle, steps or ordinary
    #[arg(value_parser = suite_of)]
    suite: Suite,
    /// Only these; both unless set
    part: Option<Part>,
    /// Only those whose name contains this
    #[arg(default_value = "")]
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The tests
    #[value(alias = "models")]
    Tests,
    /// The mutants that they must kill
    Mutants,
}

fn suite_of(name: &str) -> Result<Suite, String> {
    let suite = suites().into_iter().find(|suite| suite.name == name);
    suite.ok_or_else(|| "no suite has this name".into())
}

fn main() -> ExitCode {
    let Options { suite, part, name } = Options::parse();
    let start = Instant::now();
    let mut outcome = Ok(());
    if part != Some(Part::Mutants) {
        outcome = mutation::tests(&suite, &name);
    }
    if part != Some(Part::Tests) {
        outcome = outcome.and_then(|()| mutation::mutants(&suite, &name));
    }
    println!("{}: {:.0} s", suite.name, start.elapsed().as_secs_f64());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}: FAILED: {why}", suite.name);
            ExitCode::FAILURE
        }
    }
}
