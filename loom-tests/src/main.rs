//! `cargo loom`: checks the models, then checks the models themselves with mutants.
//!
//! The models are built apart from everything else, with `--cfg loom`. A run fails if a model fails, if no
//! model runs, or if a mutant survives.

mod mutants;
mod run;

use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Checks the models of lockfree-cuckoo under loom, then the mutants that they must kill.

Usage: cargo loom [models | mutants] [NAME]

  models [NAME]    only the models, or those whose name contains NAME
  mutants [NAME]   only the mutants, or those whose name contains NAME

Without arguments, both. LOOM_MAX_PREEMPTIONS sets the preemption bound of all models; unless told, it is 2,
and 1 for the largest.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.get(1).map_or("", String::as_str);
    let (models, mutants) = match arguments.first().map(String::as_str) {
        None => (true, true),
        Some("models") => (true, false),
        Some("mutants") => (false, true),
        Some("--help" | "-h") => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some(other) => {
            eprintln!("cargo loom: unknown argument {other}\n\n{HELP}");
            return ExitCode::FAILURE;
        }
    };
    let start = Instant::now();
    let outcome = (|| {
        if models {
            run::models(name)?;
        }
        if mutants {
            run::mutants(name)?;
        }
        Ok::<(), String>(())
    })();
    println!("loom: {:.0} s", start.elapsed().as_secs_f64());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("loom: FAILED: {why}");
            ExitCode::FAILURE
        }
    }
}
