//! Builds and runs the tests, on the crate as it is or on a mutated copy.

use std::path::Path;
use std::process::{Command, Output};

use crate::copy::{apply, refresh, root};
use crate::mutants::MUTANTS;

/// Runs all tests whose name contains `name`.
pub(crate) fn schedules(name: &str) -> Result<(), String> {
    let root = root();
    let output = cargo_test(&root, &root.join("target/shuttle"), &["--nocapture", name])?;
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines().filter(|line| line.contains(" schedules: ")) {
        println!("{line}");
    }
    if !output.status.success() {
        eprintln!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
        return Err("a test failed".into());
    }
    match tests_passed(&text) {
        0 => Err("no test ran".into()),
        passed => {
            println!("shuttle: {passed} tests passed");
            Ok(())
        }
    }
}

/// Applies each mutant whose name contains `name` to a copy of the crate, and demands that its test fails.
pub(crate) fn mutants(name: &str) -> Result<(), String> {
    let copy = root().join("target/shuttle-mutants/project");
    let build = root().join("target/shuttle-mutants/build");
    let mut killed = 0;
    let mut survivors = Vec::new();
    for mutant in MUTANTS.iter().filter(|mutant| mutant.name.contains(name)) {
        refresh(&copy).map_err(|error| format!("cannot copy the project: {error}"))?;
        apply(&copy, mutant)?;
        let output = cargo_test(&copy, &build, &["--exact", mutant.killer])?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !text.contains("running 1 test") {
            eprintln!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
            return Err(format!(
                "mutant {}: did not build, or {} is no test",
                mutant.name, mutant.killer
            ));
        }
        let as_said = text.contains("test result: FAILED") && text.contains(mutant.message);
        println!(
            "{} {} by {}",
            if as_said { "killed  " } else { "SURVIVED" },
            mutant.name,
            mutant.killer
        );
        if as_said {
            killed += 1;
        } else {
            eprintln!("{text}");
            survivors.push(mutant.name);
        }
    }
    println!(
        "shuttle: {killed} mutants killed, {} survived",
        survivors.len()
    );
    match survivors.as_slice() {
        [] if killed == 0 => Err("no mutant ran".into()),
        [] => Ok(()),
        _ => Err(format!("survivors: {}", survivors.join(", "))),
    }
}

/// Runs the tests of this package in the project at `project`.
fn cargo_test(project: &Path, target: &Path, arguments: &[&str]) -> Result<Output, String> {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(project)
        .env("RUSTFLAGS", "--cfg lockfree_cuckoo_shuttle")
        .env("RUST_BACKTRACE", "0")
        .args(["test", "--release", "--package", "shuttle-tests"])
        .args(["--test", "schedules", "--target-dir"])
        .arg(target)
        .arg("--")
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))
}

/// The "passed" count that the test harness reports.
fn tests_passed(text: &str) -> u64 {
    text.lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "))
        .filter_map(|line| line.split(' ').next()?.parse::<u64>().ok())
        .sum()
}
