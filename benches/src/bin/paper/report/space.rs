//! Bits an item for a rate of false positives.

use lockfree_cuckoo_benches::layout::{Layout, or_dash};

use super::{heading, note};
use crate::evaluation::Evaluation;
use crate::published::FORMULAS;

pub(super) fn print(evaluation: &Evaluation) {
    heading("Bits per item by rate of false positives (their Table 2, Figures 3 and 4)");
    let head = [
        "",
        "load",
        "million items",
        "rate",
        "expected",
        "bits per item",
    ];
    let mut table = Layout::new(head.into_iter().chain(FORMULAS.map(|formula| formula.name)));
    for space in &evaluation.spaces {
        let measured = [
            space.name.to_owned(),
            format!("{:.4}", space.load),
            million(space.items),
            rate(space.false_positive_rate),
            rate(space.expected_rate),
            format!("{:.2}", space.bits_per_item),
        ];
        table.row(measured.into_iter().chain(formulas(space.expected_rate)));
    }
    for life in evaluation.lives.iter().filter(|life| !life.is_cuckoo) {
        let measured = [
            life.name.to_owned(),
            "-".to_owned(),
            million(life.items),
            rate(life.false_positive_rate),
            or_dash(life.expected_rate, rate),
            format!("{:.2}", life.bits_per_item()),
        ];
        table.row(
            measured
                .into_iter()
                .chain(formulas(life.false_positive_rate)),
        );
    }
    table.print();
    note(
        "The left half is measured: a cuckoo filter of each layout (CF, or ss-CF with semi-sorted buckets; slots x bits) is
filled until it refuses an item, the others as for Table 3; the rate is that of lookups of absent items, beside what it
should be; bits are of all memory.
The right half is what the paper has for the rate: the least that any filter needs, the best Bloom filter, cuckoo
filters with b = 4 at its load of 0.955, and 1.5 and 4 times a Bloom filter for those that count.
A bucket here is one word of 64 bits, so a layout with more slots has shorter fingerprints: the rows are its points on
their curves. Figures 3 and 4 are plots and are not quoted.
Comparable: all of it.",
    );
}

fn formulas(rate: f64) -> impl Iterator<Item = String> {
    let bits = move |formula: fn(f64) -> f64| format!("{:.2}", formula(rate));
    FORMULAS.iter().map(move |formula| bits(formula.bits))
}

fn million(items: usize) -> String {
    format!("{:.2}", items as f64 / 1e6)
}

/// In percent. Rates differ by seven powers of ten.
fn rate(rate: f64) -> String {
    match 100.0 * rate {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.001 => format!("{percent:.1e} %"),
        percent => format!("{percent:.4} %"),
    }
}
