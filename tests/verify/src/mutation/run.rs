//! Builds and runs the tests, on the crate as it is or on mutated copies of it.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::build::{Build, Test};
use super::copy::{apply, refresh};
use super::crew::work;
use super::{Mutant, Suite};

/// Runs all tests whose name contains `name`.
pub(crate) fn tests(suite: &Suite, name: &str) -> Result<(), String> {
    let Suite { checks, unit, .. } = suite;
    let build = Build::of_the_crate(suite);
    let tests = build.list(name)?;
    let (done, failed) = (AtomicU64::new(0), AtomicUsize::new(0));
    work(&tests, |_, test| {
        let (passed, text) = build.run(test)?;
        for line in text.lines() {
            if let Some(number) = leading_number(line, unit) {
                done.fetch_add(number, Ordering::Relaxed);
                println!("{line}");
            }
        }
        if !passed {
            eprintln!("{text}");
            failed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })?;
    let (done, failed) = (done.into_inner(), failed.into_inner());
    let passed = tests.len() - failed;
    let share = match *unit {
        "" => String::new(),
        unit => format!(", {done} {unit}"),
    };
    println!("{}: {passed} {checks} passed{share}", suite.name);
    match (passed, failed) {
        (_, 1..) => Err(format!("{failed} {checks} failed")),
        (0, 0) => Err(format!("no {checks} have this name")),
        _ => Ok(()),
    }
}

/// Applies each mutant whose name contains `name` to a copy of the crate, and demands that its test fails.
pub(crate) fn mutants(suite: &Suite, name: &str) -> Result<(), String> {
    let chosen = |mutant: &&Mutant| mutant.piece.name.contains(name);
    let mutants: Vec<_> = suite.mutants.iter().filter(chosen).collect();
    if mutants.is_empty() {
        return Err("no mutant has this name".into());
    }
    let build = Build::of_the_crate(suite);
    build.prepare(&files(&mutants)?)?;
    let survivors = Mutex::new(Vec::new());
    work(&mutants, |worker, mutant| {
        let copy = Build::of_a_copy(suite, worker);
        copy.share(&build)
            .map_err(|error| format!("cannot share what is built: {error}"))?;
        let (dies, text) = dies(&copy, mutant)?;
        let word = if dies { "killed  " } else { "SURVIVED" };
        println!("{word} {} by {}", mutant.piece.name, mutant.killer);
        if !dies {
            eprintln!("{text}");
            let mut survivors = survivors.lock().map_err(|error| error.to_string())?;
            survivors.push(mutant.piece.name);
        }
        Ok(())
    })?;
    let survivors = survivors.into_inner().map_err(|error| error.to_string())?;
    let killed = mutants.len() - survivors.len();
    println!(
        "{}: {killed} mutants killed, {} survived",
        suite.name,
        survivors.len()
    );
    match survivors.as_slice() {
        [] => Ok(()),
        _ => Err(format!("survivors: {}", survivors.join(", "))),
    }
}

/// Whether the test that is to kill the mutant fails, and for the reason that is expected.
fn dies(build: &Build<'_>, mutant: &Mutant) -> Result<(bool, String), String> {
    refresh(&build.project).map_err(|error| format!("cannot copy the project: {error}"))?;
    apply(&build.project, mutant.piece)?;
    let (name, killer) = (mutant.piece.name, mutant.killer);
    let test = killer_of(mutant)?;
    let (passed, text) = build.run(&test)?;
    if !text.contains("running 1 test") {
        eprintln!("{text}");
        return Err(format!(
            "mutant {name}: did not build, or {killer} is no test"
        ));
    }
    // Not "test result: FAILED": a test that fails may abort the process, if more fails while it unwinds.
    let dies = !passed && text.contains(mutant.message);
    Ok((dies, text))
}

fn killer_of(mutant: &Mutant) -> Result<Test, String> {
    Test::parse(mutant.killer).ok_or_else(|| format!("{} is no file::test", mutant.killer))
}

/// The files that the killers are in.
fn files(mutants: &[&Mutant]) -> Result<Vec<String>, String> {
    let tests = mutants.iter().map(|mutant| killer_of(mutant));
    let files: Result<BTreeSet<_>, _> = tests.map(|test| test.map(|test| test.file)).collect();
    Ok(files?.into_iter().collect())
}

/// The number in "  123 schedules: of what", if the unit is that.
fn leading_number(line: &str, unit: &str) -> Option<u64> {
    if unit.is_empty() {
        return None;
    }
    let (number, _) = line.split_once(&format!(" {unit}: "))?;
    // The harness may have put its own text before it.
    number.rsplit(' ').next()?.parse().ok()
}
