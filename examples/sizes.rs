//! Prints the cost of filters of different sizes, and how much they hold: memory, the load at the first refused
//! insert, and false positives, expected and observed.
//!
//! `cargo run --release --example sizes`

use std::env;
use std::process;

use lockfree_cuckoo::{BuildError, CuckooFilter};

const USAGE: &str = "usage: sizes

Prints the cost of filters of different sizes, and how much they hold. Takes no arguments.";

const SIZES: [usize; 7] = [
    100, 1_000, 10_000, 100_000, 1_000_000, 1_100_000, 10_700_000,
];

/// Filters of each size, with different seeds. The program shows the median, and for the observed rate the mean.
const FILTERS: u64 = 5;

/// Lookups of absent items, all filters of a size together.
const PROBES: u64 = 20_000_000;

struct Outcome {
    bytes: usize,
    first_refusal: f64,
    expected: f64,
    observed: f64,
}

fn main() -> Result<(), BuildError> {
    if let Some(argument) = env::args_os().nth(1) {
        if argument == "--help" || argument == "-h" {
            println!("{USAGE}");
            process::exit(0);
        }
        eprintln!("unexpected argument: {}\n\n{USAGE}", argument.display());
        process::exit(2);
    }
    println!("     items       bytes  bits/item  first refusal  false positives at capacity");
    println!("                           in all        at load    expected    observed");
    for items in SIZES {
        let outcomes: Vec<Outcome> = (0..FILTERS)
            .map(|seed| measure(items, seed))
            .collect::<Result<_, _>>()?;
        let bytes = outcomes[0].bytes;
        println!(
            "{items:>10}  {bytes:>10}  {:>9.1}  {:>13.3}  {:>8.4} %  {:>8.4} %",
            bytes as f64 * 8.0 / items as f64,
            median(outcomes.iter().map(|outcome| outcome.first_refusal)),
            100.0 * median(outcomes.iter().map(|outcome| outcome.expected)),
            100.0 * outcomes.iter().map(|outcome| outcome.observed).sum::<f64>() / FILTERS as f64,
        );
    }
    Ok(())
}

/// Fills a filter to its capacity, probes it, and fills it until it refuses.
fn measure(items: usize, seed: u64) -> Result<Outcome, BuildError> {
    let filter = CuckooFilter::builder().capacity(items).seed(seed).build()?;
    let mut keys = 0u64..;
    for key in keys.by_ref().take(items) {
        filter
            .insert(&key)
            .expect("a filter holds what it is sized for");
    }
    let expected = filter.false_positive_rate();
    // Stored keys are small numbers, so these are absent.
    let probes = PROBES / FILTERS;
    let found = (0..probes)
        .filter(|probe| filter.contains(&(u64::MAX - probe)))
        .count();
    keys.find(|key| filter.insert(key).is_err());
    Ok(Outcome {
        bytes: filter.memory_usage(),
        first_refusal: filter.load_factor(),
        expected,
        observed: found as f64 / probes as f64,
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
