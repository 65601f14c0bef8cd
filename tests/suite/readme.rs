//! The README: checks its tables. `tests/pages.rs` checks its links.

use std::fs;
use std::path::Path;

use lockfree_cuckoo::testing::on_processors;
use lockfree_cuckoo::{CuckooFilter, layout::Shape};
use model::mix;

fn text_of(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    fs::read_to_string(path).expect("readable")
}

fn readme() -> String {
    text_of("README.md")
}

/// Returns the rows of the table with this beginning.
fn rows<'a>(text: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let (_, table) = text.split_once(head).expect("a table");
    table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect()
}

/// Builds as on a common machine: with more processors a large filter has more descriptors.
fn on_a_common_machine<R>(build: impl FnOnce() -> R) -> R {
    on_processors(16, build)
}

/// Formats a rate with two digits, and with a power of ten if it is small.
fn percent(rate: f64) -> String {
    let percent = 100.0 * rate;
    if percent < 0.001 {
        return format!("{percent:.1e} %");
    }
    let decimals = (1.0 - percent.log10().floor()).max(0.0) as usize;
    format!("{percent:.decimals$} %")
}

/// Checks the README and the guide. `cargo run --release -p lockfree-cuckoo-benches --bin sizes`
/// prints the right tables.
#[test]
fn the_tables_of_layouts_match_the_filters() {
    const ITEMS: usize = 1_000_000;
    let guide = include_str!("../../docs/guide/layouts.md");
    let expected: Vec<String> = Shape::ALL
        .iter()
        .copied()
        .filter(|shape| shape.value_bits() == 0)
        .map(|shape| {
            let builder = CuckooFilter::builder().capacity(ITEMS);
            let filter = on_a_common_machine(|| builder.build_shape(shape));
            let filter = filter.expect("memory");
            let bits = filter.memory_usage() as f64 * 8.0 / ITEMS as f64;
            for item in 0..ITEMS as u64 {
                filter.insert_hash(mix(item)).expect("sized for it");
            }
            let rate = filter.false_positive_rate();
            let bloom = -std::f64::consts::LOG2_E * rate.log2();
            format!("`{shape}` {bits:.1} {} {bloom:.1}", percent(rate))
        })
        .collect();
    let told = |text: &str| -> Vec<String> {
        let rows = rows(text, "| layout | bits per item, in all").into_iter();
        rows.map(|row| row[1..5].join(" ").replace("**", ""))
            .collect()
    };
    let (some, all) = (told(&readme()), told(guide));
    assert!(some.len() >= 4, "{some:?}");
    assert_eq!(all, expected);
    assert!(some.iter().all(|row| expected.contains(row)), "{some:?}");
}

/// The table of sizes is that of the filters. Checks the figures that depend on no seed: the
/// memory, and the expected rate of a filter at its capacity.
#[test]
fn table_of_sizes() {
    let text = text_of("benches/README.md");
    let rows = rows(&text, "| items | bits per item");
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let items: usize = row[1].replace(',', "").parse().expect("a number");
        let filter = on_a_common_machine(|| CuckooFilter::with_capacity(items));
        let bits = filter.memory_usage() as f64 * 8.0 / items as f64;
        assert_eq!(row[2], format!("{bits:.1}"), "bits for {items} items");
        for item in 0..items {
            filter.insert(&item).expect("sized for it");
        }
        let expected = format!("{:.4} %", 100.0 * filter.false_positive_rate());
        let (told, _) = row[4].split_once(", ").expect("two rates");
        assert_eq!(told, expected, "the rate for {items} items");
    }
}
