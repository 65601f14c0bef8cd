//! `cargo verify`: runs the suites that try to refute the claims of lockfree-cuckoo, and prints a
//! line for each: what ran, how much, how long.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use verify::progress::Progress;
use verify::{Suite, mutation, program, suites};

/// Runs suites that try to refute the claims of lockfree-cuckoo, and prints a line for each.
///
/// Without names: the usual suites, in less than ten minutes on two cores. With names: these
/// suites. `cargo verify loom steps` runs two suites. `cargo verify loom tests NAME...` runs the
/// tests of one suite whose names contain one of these. `cargo verify steps mutants NAME...` runs
/// the mutants that it must kill: the crate without one necessary thing, so that a test must fail.
/// `cargo verify mutants` runs the mutants of all suites.
///
/// The log of a suite is in `target/verify`. `LOOM_MAX_PREEMPTIONS` sets the preemption bound of
/// the models.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo verify")]
struct Options {
    /// Suites, and for suites of tests `tests` or `mutants`, and names
    words: Vec<String>,
    /// Gives each suite its long run, and runs all suites and mutants if none is named: some hours
    #[arg(long)]
    long: bool,
    /// Lists the suites: which are usual, their usual time, and the defects that only they find
    #[arg(long)]
    list: bool,
}

/// The part of a suite to run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// All of it, or the tests with these names.
    Tests(Vec<String>),
    /// Its mutants, or those with these names.
    Mutants(Vec<String>),
}

/// A suite, and the part of it to run.
type Job<'a> = (&'a Suite, Part);

/// The lines of a log that are shown if its suite fails.
const TAIL: usize = 60;

/// The word that a program prints if a tool that it needs is not installed.
const SKIPPED: &str = "SKIPPED";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// Everything that ran has passed, but not everything could run.
    Skipped,
}

fn main() -> ExitCode {
    let Options { words, long, list } = Options::parse();
    let all = suites();
    if list {
        print!("{}", listed(&all));
        return ExitCode::SUCCESS;
    }
    let jobs = match jobs(&all, &words, long) {
        Ok(jobs) => jobs,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let outcomes: Vec<Outcome> = jobs.iter().map(|job| run(job, long)).collect();
    let count = |outcome| outcomes.iter().filter(|&&is| is == outcome).count();
    let failed = count(Outcome::Failed);
    println!(
        "verify: {} passed, {failed} failed, {} skipped something, in {} s",
        count(Outcome::Passed),
        count(Outcome::Skipped),
        start.elapsed().as_secs(),
    );
    ExitCode::from(u8::from(failed > 0))
}

/// Returns the table of the suites.
fn listed(all: &[Suite]) -> String {
    let line = |name: String, seconds: u64, usual: bool, finds: &str| {
        let usual = if usual { "usual" } else { "" };
        format!("{name:<19} {usual:<5} {seconds:>5} s  {finds}\n")
    };
    let mut lines = String::new();
    for suite in all {
        lines += &line(suite.name.clone(), suite.seconds, suite.usual, &suite.finds);
        if let Some(tests) = &suite.tests {
            let finds = "a piece of the crate without which none of its tests fails";
            lines += &line(
                format!("{} mutants", suite.name),
                tests.seconds,
                false,
                finds,
            );
        }
    }
    lines
}

/// Returns the jobs that the words select.
fn jobs<'a>(all: &'a [Suite], words: &[String], long: bool) -> Result<Vec<Job<'a>>, String> {
    let verb = words
        .iter()
        .position(|word| word == "tests" || word == "mutants");
    let (names, rest) = words.split_at(verb.unwrap_or(words.len()));
    let known = |name: &String| all.iter().any(|suite| suite.name == *name);
    if let Some(unknown) = names.iter().find(|&name| !known(name)) {
        return Err(format!(
            "there is no suite {unknown}: `cargo verify --list` lists the suites"
        ));
    }
    let whole = || Part::Tests(Vec::new());
    let named = |suite: &&Suite| names.contains(&suite.name);
    let Some((verb, of)) = rest.split_first() else {
        let wanted = |suite: &&Suite| {
            if names.is_empty() {
                suite.usual || long
            } else {
                named(suite)
            }
        };
        let mut jobs: Vec<Job<'_>> = all.iter().filter(wanted).map(|s| (s, whole())).collect();
        if long && names.is_empty() {
            let with_mutants = all.iter().filter(|suite| suite.tests.is_some());
            jobs.extend(with_mutants.map(|suite| (suite, Part::Mutants(Vec::new()))));
        }
        return Ok(jobs);
    };
    let part = match &**verb {
        "mutants" => Part::Mutants(of.to_vec()),
        _ => Part::Tests(of.to_vec()),
    };
    let mut chosen = all.iter().filter(|suite| names.is_empty() || named(suite));
    let is_program = |suite: &&Suite| !names.is_empty() && suite.tests.is_none();
    if let Some(suite) = chosen.clone().find(is_program) {
        return Err(format!("{} is a program: it has no {verb}", suite.name));
    }
    let chosen = chosen.by_ref().filter(|suite| suite.tests.is_some());
    Ok(chosen.map(|suite| (suite, part.clone())).collect())
}

/// Runs a suite, or its mutants, and prints the line.
fn run((suite, part): &Job<'_>, long: bool) -> Outcome {
    let (name, seconds) = match (part, &suite.tests) {
        (Part::Mutants(_), Some(tests)) => (format!("{} mutants", suite.name), tests.seconds),
        _ => (suite.name.clone(), suite.seconds),
    };
    let progress = match Progress::begin(&name, seconds) {
        Ok(progress) => progress,
        Err(error) => {
            eprintln!("{name}: cannot keep a log: {error}");
            return Outcome::Failed;
        }
    };
    let done = match (part, &suite.program) {
        (Part::Tests(_), Some(program)) => {
            program::run(program, long, &progress).map(|()| String::new())
        }
        (Part::Tests(names), None) => mutation::tests(suite, names, &progress),
        (Part::Mutants(names), _) => mutation::mutants(suite, names, &progress),
    };
    let (took, log) = progress.end();
    let skipped: Vec<&str> = log.lines().filter(|line| line.contains(SKIPPED)).collect();
    let (outcome, word) = match (&done, skipped.is_empty()) {
        (Err(_), _) => (Outcome::Failed, "FAILED"),
        (Ok(_), false) => (Outcome::Skipped, SKIPPED),
        (Ok(_), true) => (Outcome::Passed, "passed"),
    };
    let says = suite
        .program
        .as_ref()
        .map(|program| program::summary(program, &log));
    let (Ok(what) | Err(what)) = &done;
    let said = [says.unwrap_or_default(), skipped.join("; "), what.clone()];
    let said: Vec<&str> = said
        .iter()
        .map(String::as_str)
        .filter(|text| !text.is_empty())
        .collect();
    println!(
        "{name:<17}  {word:<7}  {:>4} s  {}",
        took.as_secs(),
        said.join("; ")
    );
    if done.is_err() {
        let lines: Vec<&str> = log.lines().collect();
        for line in &lines[lines.len().saturating_sub(TAIL)..] {
            eprintln!("    {line}");
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str, long: bool) -> Result<Vec<String>, String> {
        let words: Vec<String> = words.split_whitespace().map(String::from).collect();
        let all = suites();
        let jobs = jobs(&all, &words, long)?.into_iter();
        let told = jobs.map(|(suite, part)| match part {
            Part::Tests(names) => [vec![suite.name.clone()], names].concat().join(" "),
            Part::Mutants(names) => [vec![format!("{}!", suite.name)], names].concat().join(" "),
        });
        Ok(told.collect())
    }

    #[test]
    fn the_words_select_suites_and_their_parts() {
        for (words, jobs) in [
            ("loom", "loom"),
            ("steps states", "states,steps"),
            ("loom tests a_remove pairs", "loom a_remove pairs"),
            ("steps mutants memory", "steps! memory"),
            ("mutants", "steps!,loom!,ordinary!"),
        ] {
            assert_eq!(
                asked(words, false).map(|told| told.join(",")),
                Ok(jobs.into()),
                "{words}"
            );
        }
        let usual = asked("", false).expect("the usual ones");
        assert!(usual.contains(&"loom".into()) && !usual.contains(&"fuzzing".into()));
        let long = asked("", true).expect("all");
        assert!(long.contains(&"fuzzing".into()) && long.contains(&"loom!".into()));
        for wrong in ["lom", "soak mutants", "loom lom"] {
            assert!(asked(wrong, false).is_err(), "{wrong}");
        }
    }

    /// The builds take the rest of the ten minutes.
    #[test]
    fn the_usual_suites_take_minutes() {
        let usual = suites().into_iter().filter(|suite| suite.usual);
        assert!(usual.map(|suite| suite.seconds).sum::<u64>() <= 400);
    }
}
