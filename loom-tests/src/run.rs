//! Builds and runs the models, on the crate as it is or on a mutated copy.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, io};

use crate::mutants::{MUTANTS, Mutant};

/// What the copy of the project needs in order to build the models.
const PARTS: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "src",
    "benches",
    "loom-tests",
    "tests/checker",
    "tests/shuttle",
    "tests/stress",
];

/// Runs all models whose name contains `name`.
pub(crate) fn models(name: &str) -> Result<(), String> {
    let root = root();
    let output = cargo_test(
        &root,
        &root.join("target/loom"),
        &["--", "--nocapture", name],
        false,
    )?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut executions = 0;
    for line in text.lines() {
        if let Some((count, _)) = line.split_once(" executions: ") {
            // Two tests print at once; the harness may have put its own text before the number.
            let digits = count.rsplit(' ').next().unwrap_or_default();
            executions += digits.parse::<u64>().unwrap_or(0);
            println!("{line}");
        }
    }
    let passed = tests_passed(&text);
    if !output.status.success() {
        eprintln!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
        return Err("a model failed".into());
    }
    if passed == 0 {
        return Err("no model ran".into());
    }
    println!("loom: {passed} tests passed, {executions} executions");
    Ok(())
}

/// Applies each mutant whose name contains `name` to a copy of the crate, and demands that its model fails.
pub(crate) fn mutants(name: &str) -> Result<(), String> {
    let copy = root().join("target/mutants/project");
    let build = root().join("target/mutants/build");
    let mut killed = 0;
    let mut survivors = Vec::new();
    for mutant in MUTANTS.iter().filter(|mutant| mutant.name.contains(name)) {
        refresh(&copy).map_err(|error| format!("cannot copy the project: {error}"))?;
        apply(&copy, mutant)?;
        let (file, test) = mutant
            .killer
            .split_once("::")
            .ok_or("a killer is file::test")?;
        let output = cargo_test(
            &copy,
            &build,
            &["--test", file, "--", "--exact", test],
            true,
        )?;
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
        "loom: {killed} mutants killed, {} survived",
        survivors.len()
    );
    match survivors.as_slice() {
        [] if killed == 0 => Err("no mutant ran".into()),
        [] => Ok(()),
        _ => Err(format!("survivors: {}", survivors.join(", "))),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Runs the test binaries of this package in the project at `project`.
fn cargo_test(
    project: &Path,
    target: &Path,
    arguments: &[&str],
    mutant: bool,
) -> Result<Output, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(project)
        .env("RUSTFLAGS", "--cfg loom")
        .env("RUST_BACKTRACE", "0")
        .args([
            "test",
            "--package",
            "loom-tests",
            "--features",
            "loom",
            "--profile",
            "loom",
        ])
        .arg("--target-dir")
        .arg(target);
    if mutant {
        command.env("LOOM_TESTS_MUTANT", "1");
    } else {
        command.args(["--tests", "--no-fail-fast"]);
    }
    command
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))
}

/// The sum of the "passed" counts that the test harness reports.
fn tests_passed(text: &str) -> u64 {
    text.lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "))
        .filter_map(|line| line.split(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// Makes the copy equal to the project. Only what differs is written, so that little is built again.
fn refresh(copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for part in PARTS {
        copy_changes(&root().join(part), &copy.join(part))?;
    }
    Ok(())
}

fn copy_changes(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_changes(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    let content = fs::read(from)?;
    if fs::read(to).ok().as_ref() != Some(&content) {
        fs::write(to, content)?;
    }
    Ok(())
}

fn apply(copy: &Path, mutant: &Mutant) -> Result<(), String> {
    for (file, original, mutated) in mutant.changes {
        let path = copy.join("src").join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        match text.matches(original).count() {
            1 => {}
            count => {
                return Err(format!(
                    "mutant {}: {count} places match in {file}, not 1",
                    mutant.name
                ));
            }
        }
        fs::write(&path, text.replacen(original, mutated, 1)).map_err(|error| error.to_string())?;
    }
    Ok(())
}
