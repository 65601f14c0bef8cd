//! `cargo verify`: runs the checks of lockfree-cuckoo and prints a line for each: what ran, how much, how long.
//!
//! Each layer is a program of its own, with a log under `target/verify`. The run fails if one of them does.

use std::fs;
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::Parser;
use serde::Deserialize;
use verify::root;

/// All layers.
const LAYERS: &str = include_str!("../layers.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    layer: Vec<Layer>,
}

/// One check: a program with a log of its own, as `layers.toml` tells it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    name: String,
    finds: String,
    command: String,
    #[serde(default)]
    long: String,
    #[serde(default)]
    short: String,
    #[serde(default)]
    stops_threads: bool,
    #[serde(default = "sums_of_a_suite")]
    says: Vec<String>,
}

fn sums_of_a_suite() -> Vec<String> {
    [" tests passed, ", " mutants killed, "]
        .map(String::from)
        .into()
}

/// Runs the checks of lockfree-cuckoo and prints one line per layer.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo verify")]
struct Options {
    /// The layers to run; all layers unless set.
    layers: Vec<String>,
    /// Runs for some hours instead of a quarter of an hour.
    #[arg(long)]
    long: bool,
    /// Lists the layers, and what each can find.
    #[arg(long)]
    list: bool,
}

/// Lines of a log that are shown when its layer fails.
const TAIL: usize = 60;

/// What a program prints where something that it needs is not installed.
const SKIPPED: &str = "SKIPPED";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// What ran has passed, but not all could run.
    Skipped,
}

fn main() -> ExitCode {
    let Options { layers, long, list } = Options::parse();
    let Layers { layer: all } = toml::from_str(LAYERS).expect("a list of layers");
    if list {
        for layer in &all {
            println!("{:<10}  {}", layer.name, layer.finds);
        }
        return ExitCode::SUCCESS;
    }
    let known = |name: &String| all.iter().any(|layer| layer.name == *name);
    if let Some(unknown) = layers.iter().find(|name| !known(name)) {
        eprintln!("there is no layer {unknown}: `cargo verify --list` lists the layers");
        return ExitCode::from(2);
    }
    let start = Instant::now();
    let wanted = |layer: &&Layer| layers.is_empty() || layers.contains(&layer.name);
    let outcomes = all.iter().filter(wanted).map(|layer| run(layer, long));
    let outcomes: Vec<Outcome> = outcomes.collect();
    let count = |outcome| outcomes.iter().filter(|&&is| is == outcome).count();
    let failed = count(Outcome::Failed);
    println!(
        "verify: {} layers passed, {failed} failed, {} skipped something, in {} s",
        count(Outcome::Passed),
        count(Outcome::Skipped),
        start.elapsed().as_secs(),
    );
    ExitCode::from(u8::from(failed > 0))
}

/// Runs a layer and prints its line.
fn run(layer: &Layer, long: bool) -> Outcome {
    let start = Instant::now();
    let (succeeded, log) = match output(layer, long) {
        Ok(output) => output,
        Err(error) => (false, format!("cannot run {}: {error}", layer.command)),
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
    let (root, target) = (root(), root().join("target"));
    let more = if long { &layer.long } else { &layer.short };
    let mut words = layer.command.split(' ').chain(more.split_terminator(' '));
    let mut command = Command::new(words.next().unwrap_or_default());
    command
        .current_dir(&root)
        .args(words)
        // The layers choose their builds themselves.
        .env_remove("RUSTFLAGS");
    if layer.stops_threads {
        command
            .env("RUSTFLAGS", "--cfg lockfree_cuckoo_steps")
            .env("CARGO_TARGET_DIR", target.join("steps"));
    }
    let output = command.output()?;
    let mut log = String::from_utf8_lossy(&output.stdout).into_owned();
    log.push_str(&String::from_utf8_lossy(&output.stderr));
    let logs = target.join("verify");
    fs::create_dir_all(&logs)?;
    fs::write(logs.join(&layer.name).with_extension("log"), &log)?;
    Ok((output.status.success(), log))
}

/// What it says of itself, and what it skipped.
fn summary(layer: &Layer, log: &str) -> String {
    let skipped = log.lines().filter(|line| line.contains(SKIPPED));
    let says = |text: &String| log.lines().rfind(|line| line.contains(text));
    let lines: Vec<&str> = layer.says.iter().filter_map(says).chain(skipped).collect();
    lines.join("; ")
}
