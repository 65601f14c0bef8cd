//! sizes: measures memory, the load at the first refused insert, and expected and observed false
//! positives of filters of different sizes and layouts.
//!
//! `cargo run --release -p lockfree-cuckoo-benches --bin sizes`

use std::hash::BuildHasher;
use std::iter;

use lockfree_cuckoo::{
    BuildError, CuckooFilter, RandomState,
    layout::{Lanes, Shape},
};
use lockfree_cuckoo_benches::{Table, median};

/// The sizes of the default layout.
const SIZES: [usize; 7] = [
    100, 1_000, 10_000, 100_000, 1_000_000, 1_100_000, 10_700_000,
];

/// The sizes of every layout.
const LAYOUT_SIZES: [usize; 3] = [10_000, 1_000_000, 10_700_000];

/// The filters of each size, with different seeds. The program shows the median, and for the
/// observed rate the mean.
const FILTERS: u64 = 5;

/// The lookups of absent items, of all filters of a size together.
const PROBES: u64 = 20_000_000;

struct Outcome {
    bytes: usize,
    first_refusal: f64,
    expected: f64,
    observed: f64,
}

fn main() -> Result<(), BuildError> {
    let shape = Shape::of::<Lanes<4, 16>>();
    let rows = SIZES.map(|items| (items.to_string(), shape, items));
    let percent = |rate| format!("{:.4} %", 100.0 * rate);
    print(&shape.to_string(), "items", &rows, percent)?;
    for items in LAYOUT_SIZES {
        let row = |&shape: &Shape| (shape.to_string(), shape, items);
        let rows: Vec<_> = Shape::ALL.iter().map(row).collect();
        print(&format!("{items} items"), "layout", &rows, two_digits)?;
    }
    Ok(())
}

/// Prints a row for each shape and number of items. The last columns are the bits of a Bloom filter
/// of the same rate, and the fewest bits of any filter of that rate.
fn print(
    caption: &str,
    first: &str,
    rows: &[(String, Shape, usize)],
    percent: fn(f64) -> String,
) -> Result<(), BuildError> {
    let head =
        "bits/item in all,load at the first refusal,expected,observed,Bloom filter,log2 of 1/rate";
    let mut table = Table::new(iter::once(first).chain(head.split(',')));
    for (name, shape, items) in rows {
        let outcome = measure_all(*shape, *items)?;
        let least = -outcome.expected.log2();
        table.row([
            name.clone(),
            format!("{:.1}", outcome.bytes as f64 * 8.0 / *items as f64),
            format!("{:.3}", outcome.first_refusal),
            percent(outcome.expected),
            percent(outcome.observed),
            format!("{:.1}", std::f64::consts::LOG2_E * least),
            format!("{least:.1}"),
        ]);
    }
    table.print(&format!("{caption}; false positives at capacity"));
    Ok(())
}

/// Shows two digits, with a power of ten if the rate is small.
fn two_digits(rate: f64) -> String {
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

/// Returns the medians of several filters, and the mean of the rates that were observed.
fn measure_all(shape: Shape, items: usize) -> Result<Outcome, BuildError> {
    let outcomes: Vec<Outcome> = (0..FILTERS)
        .map(|seed| measure(shape, items, seed))
        .collect::<Result<_, _>>()?;
    let median_of =
        |of: fn(&Outcome) -> f64| median(outcomes.iter().map(of)).expect("several filters");
    Ok(Outcome {
        bytes: outcomes[0].bytes,
        first_refusal: median_of(|outcome| outcome.first_refusal),
        expected: median_of(|outcome| outcome.expected),
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
