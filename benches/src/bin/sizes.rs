//! Prints the cost of filters of different sizes and layouts, and how much they hold: memory, the load at the first
//! refused insert, and false positives, expected and observed.
//!
//! `cargo run --release -p lockfree-cuckoo-benches --bin sizes`

use std::hash::BuildHasher;

use lockfree_cuckoo::{BuildError, CuckooFilter, Lanes, RandomState, Shape};

/// Of the layout that filters have unless another is chosen.
const SIZES: [usize; 7] = [
    100, 1_000, 10_000, 100_000, 1_000_000, 1_100_000, 10_700_000,
];

/// Of every layout.
const LAYOUT_SIZES: [usize; 3] = [10_000, 1_000_000, 10_700_000];

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
    print_sizes()?;
    println!();
    for items in LAYOUT_SIZES {
        print_layouts(items)?;
    }
    Ok(())
}

/// The sizes of one layout.
fn print_sizes() -> Result<(), BuildError> {
    let shape = Shape::of::<Lanes<4, 16>>();
    println!("{shape}");
    println!("     items       bytes  bits/item  first refusal  false positives at capacity");
    println!("                           in all        at load    expected    observed");
    for items in SIZES {
        let outcome = measure_all(shape, items)?;
        println!(
            "{items:>10}  {:>10}  {:>9.1}  {:>13.3}  {:>8.4} %  {:>8.4} %",
            outcome.bytes,
            outcome.bytes as f64 * 8.0 / items as f64,
            outcome.first_refusal,
            100.0 * outcome.expected,
            100.0 * outcome.observed,
        );
    }
    Ok(())
}

/// The layouts of one size, beside a Bloom filter of the same rate, and the least that any filter of that rate takes.
fn print_layouts(items: usize) -> Result<(), BuildError> {
    println!("{items} items");
    println!(
        "layout            bits/item  first refusal  false positives at capacity  Bloom filter  log2 of"
    );
    println!(
        "                     in all        at load    expected       observed     bits/item   1/rate"
    );
    for &shape in Shape::ALL {
        let outcome = measure_all(shape, items)?;
        let least = -outcome.expected.log2();
        println!(
            "{:<16}  {:>9.1}  {:>13.3}  {:>10}  {:>13}  {:>12.1}  {least:>7.1}",
            shape.to_string(),
            outcome.bytes as f64 * 8.0 / items as f64,
            outcome.first_refusal,
            percent(outcome.expected),
            percent(outcome.observed),
            std::f64::consts::LOG2_E * least,
        );
    }
    println!();
    Ok(())
}

/// Two digits, with a power of ten if it is small.
fn percent(rate: f64) -> String {
    let percent = 100.0 * rate;
    if percent == 0.0 {
        format!("0 of {:.0e}", PROBES as f64)
    } else if percent < 0.001 {
        format!("{percent:.1e} %")
    } else {
        let decimals = (1.0 - percent.log10().floor()).max(0.0) as usize;
        format!("{percent:.decimals$} %")
    }
}

/// The medians of several filters, and the mean of the rates that were observed.
fn measure_all(shape: Shape, items: usize) -> Result<Outcome, BuildError> {
    let outcomes: Vec<Outcome> = (0..FILTERS)
        .map(|seed| measure(shape, items, seed))
        .collect::<Result<_, _>>()?;
    Ok(Outcome {
        bytes: outcomes[0].bytes,
        first_refusal: median(outcomes.iter().map(|outcome| outcome.first_refusal)),
        expected: median(outcomes.iter().map(|outcome| outcome.expected)),
        observed: outcomes.iter().map(|outcome| outcome.observed).sum::<f64>() / FILTERS as f64,
    })
}

/// Fills a filter to its capacity, probes it, and fills it until it refuses.
fn measure(shape: Shape, items: usize, seed: u64) -> Result<Outcome, BuildError> {
    let hasher = RandomState::with_seed(seed);
    let filter = CuckooFilter::builder()
        .capacity(items)
        .seed(seed)
        .build_shape(shape)?;
    let mut keys = 0u64..;
    for key in keys.by_ref().take(items) {
        filter
            .insert_hash(hasher.hash_one(key))
            .expect("a filter holds what it is sized for");
    }
    let expected = filter.false_positive_rate();
    // Stored keys are small numbers, so these are absent.
    let probes = PROBES / FILTERS;
    let found = (0..probes)
        .filter(|probe| filter.contains_hash(hasher.hash_one(u64::MAX - probe)))
        .count();
    keys.find(|key| filter.insert_hash(hasher.hash_one(key)).is_err());
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
