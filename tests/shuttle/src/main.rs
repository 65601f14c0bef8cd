//! Runs the tests of random schedules, then the mutants that they must kill.
//!
//! The tests are built apart from everything else, with `--cfg lockfree_cuckoo_shuttle`. A run fails if a test
//! fails, if no test runs, or if a mutant survives.

mod copy;
mod mutants;
mod run;

use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Runs lockfree-cuckoo under random schedules, then the mutants that the tests must kill.

Usage: cargo run --package shuttle-tests [schedules | mutants] [NAME]

  schedules [NAME]  only the tests, or those whose name contains NAME
  mutants [NAME]    only the mutants, or those whose name contains NAME

Without arguments, both. SHUTTLE_ITERATIONS sets the number of schedules of each test.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.get(1).map_or("", String::as_str);
    let (schedules, mutants) = match arguments.first().map(String::as_str) {
        None => (true, true),
        Some("schedules") => (true, false),
        Some("mutants") => (false, true),
        Some("--help" | "-h") => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some(other) => {
            eprintln!("shuttle: unknown argument {other}\n\n{HELP}");
            return ExitCode::FAILURE;
        }
    };
    let start = Instant::now();
    let outcome = (|| {
        if schedules {
            run::schedules(name)?;
        }
        if mutants {
            run::mutants(name)?;
        }
        Ok::<(), String>(())
    })();
    println!("shuttle: {:.0} s", start.elapsed().as_secs_f64());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("shuttle: FAILED: {why}");
            ExitCode::FAILURE
        }
    }
}
