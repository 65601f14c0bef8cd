//! Runs one layer, and says in one line what came of it.

use std::fs;
use std::process::Command;
use std::time::Instant;

use verify::project::root;

use crate::layers::Layer;

/// Lines of a log that are shown when its layer fails.
const TAIL: usize = 60;

/// What a program prints where something that it needs is not installed.
const SKIPPED: &str = "SKIPPED";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// What ran has passed, but not all could run.
    Skipped,
}

/// Runs a layer and prints its line.
pub(crate) fn run(layer: &Layer, long: bool) -> Outcome {
    let start = Instant::now();
    let (succeeded, log) = match output(layer, long) {
        Ok(output) => output,
        Err(error) => (false, format!("cannot run {}: {error}", layer.program)),
    };
    let (outcome, word) = match (succeeded, log.contains(SKIPPED)) {
        (false, _) => (Outcome::Failed, "FAILED"),
        (true, true) => (Outcome::Skipped, SKIPPED),
        (true, false) => (Outcome::Passed, "passed"),
    };
    let seconds = start.elapsed().as_secs();
    let said = summary(layer, &log);
    println!("{:<10}  {word:<7}  {seconds:>4} s  {said}", layer.name);
    if !succeeded {
        let lines: Vec<&str> = log.lines().collect();
        for line in &lines[lines.len().saturating_sub(TAIL)..] {
            eprintln!("    {line}");
        }
    }
    outcome
}

/// Whether it succeeded, and all that it printed, which is also kept in a file.
fn output(layer: &Layer, long: bool) -> std::io::Result<(bool, String)> {
    let root = root();
    let target = root.join("target");
    let mut command = Command::new(layer.program);
    command
        .current_dir(&root)
        .args(layer.arguments)
        .args(if long { layer.long } else { layer.short })
        // The layers choose their builds themselves.
        .env_remove("RUSTFLAGS");
    if let Some((build, flags)) = layer.build {
        command
            .env("RUSTFLAGS", flags)
            .env("CARGO_TARGET_DIR", target.join(build));
    }
    let output = command.output()?;
    let mut log = String::from_utf8_lossy(&output.stdout).into_owned();
    log.push_str(&String::from_utf8_lossy(&output.stderr));
    let logs = target.join("verify");
    fs::create_dir_all(&logs)?;
    fs::write(logs.join(layer.name).with_extension("log"), &log)?;
    Ok((output.status.success(), log))
}

/// What it says of itself, and what it skipped.
fn summary(layer: &Layer, log: &str) -> String {
    let skipped = log.lines().filter(|line| line.contains(SKIPPED));
    let says = |text: &&str| log.lines().rfind(|line| line.contains(text));
    let lines: Vec<&str> = layer.says.iter().filter_map(says).chain(skipped).collect();
    lines.join("; ")
}
