//! The command line of a suite.

use std::process::ExitCode;
use std::time::Instant;

use super::{Suite, run};

/// Runs the tests, the mutants, or both, as the arguments say.
#[must_use]
pub fn main(suite: &Suite, arguments: &[String]) -> ExitCode {
    let name = arguments.get(1).map_or("", String::as_str);
    let start = Instant::now();
    let outcome = match arguments.first().map(String::as_str) {
        None => run::tests(suite, "").and_then(|()| run::mutants(suite, "")),
        Some("mutants") => run::mutants(suite, name),
        Some(checks) if checks == suite.checks => run::tests(suite, name),
        Some("--help" | "-h") => {
            println!("{}", help(suite));
            return ExitCode::SUCCESS;
        }
        Some(other) => {
            eprintln!(
                "{}: unknown argument {other}\n\n{}",
                suite.command,
                help(suite)
            );
            return ExitCode::FAILURE;
        }
    };
    println!("{}: {:.0} s", suite.name, start.elapsed().as_secs_f64());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}: FAILED: {why}", suite.name);
            ExitCode::FAILURE
        }
    }
}

fn help(suite: &Suite) -> String {
    let Suite {
        command,
        checks,
        about,
        ..
    } = suite;
    let width = checks.len().max("mutants".len());
    format!(
        "Runs the {checks} of lockfree-cuckoo, then mutants of its code, and checks that each makes one of the {checks} fail.

Usage: {command} [{checks} | mutants] [NAME]

  {checks:width$} [NAME]  only the {checks}, or those whose name contains NAME
  {mutants:width$} [NAME]  only the mutants, or those whose name contains NAME

Without arguments, it runs both. {about}",
        mutants = "mutants"
    )
}
