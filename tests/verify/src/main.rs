//! `cargo verify`: runs the checks of lockfree-cuckoo and prints a line for each: what ran, how much, how long.
//!
//! Each layer is a program of its own, with a log under `target/verify`. The run fails if one of them does.

mod layers;
mod run;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use layers::{LAYERS, Layer};
use run::{Outcome, run};

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

fn main() -> ExitCode {
    let options = Options::parse();
    if options.list {
        for layer in LAYERS {
            println!("{:<10}  {}", layer.name, layer.finds);
        }
        return ExitCode::SUCCESS;
    }
    match select(&options.layers) {
        Ok(layers) => verify(&layers, options.long),
        Err(unknown) => {
            eprintln!("there is no layer {unknown}: `cargo verify --list` lists the layers");
            ExitCode::from(2)
        }
    }
}

fn select(names: &[String]) -> Result<Vec<&'static Layer>, &str> {
    let known = |name: &str| LAYERS.iter().any(|layer| layer.name == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(unknown);
    }
    let wanted = |layer: &&Layer| names.is_empty() || names.iter().any(|name| name == layer.name);
    Ok(LAYERS.iter().filter(wanted).collect())
}

fn verify(layers: &[&Layer], long: bool) -> ExitCode {
    let start = Instant::now();
    let outcomes: Vec<Outcome> = layers.iter().map(|layer| run(layer, long)).collect();
    let count = |outcome| outcomes.iter().filter(|&&is| is == outcome).count();
    let failed = count(Outcome::Failed);
    println!(
        "verify: {} layers passed, {failed} failed, {} skipped something, in {} s",
        count(Outcome::Passed),
        count(Outcome::Skipped),
        start.elapsed().as_secs(),
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
