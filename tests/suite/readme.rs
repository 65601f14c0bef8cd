//! The README: its tables, its links, its length. Registries show it too, without the files of the repository.

use std::fs;
use std::path::Path;
use std::thread;

use lockfree_cuckoo::{CuckooFilter, Shape};
use model::mix;

fn text_of(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(path).expect("readable")
}

fn readme() -> String {
    text_of("README.md")
}

/// A user decides in a minute. What is longer has a place in the guide, or beside the benches.
#[test]
fn it_is_short() {
    assert!(readme().lines().count() <= 120);
}

/// The rows of the table that begins like this.
fn rows<'a>(text: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let (_, table) = text.split_once(head).expect("a table");
    table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect()
}

/// With more processors a large filter has more descriptors.
fn is_common_machine() -> bool {
    thread::available_parallelism().is_ok_and(|threads| threads.get() <= 16)
}

/// Two digits, with a power of ten if it is small.
fn percent(rate: f64) -> String {
    let percent = 100.0 * rate;
    if percent < 0.001 {
        return format!("{percent:.1e} %");
    }
    let decimals = (1.0 - percent.log10().floor()).max(0.0) as usize;
    format!("{percent:.decimals$} %")
}

/// In the README and in the guide. `cargo run --release -p lockfree-cuckoo-benches --bin sizes` prints the right ones.
#[test]
fn the_tables_of_layouts_are_those_of_the_filters() {
    const ITEMS: usize = 1_000_000;
    let guide = include_str!("../../src/guide/layouts.rs").replace("//! ", "");
    let expected: Vec<String> = Shape::ALL
        .iter()
        .copied()
        .filter(|shape| shape.value_bits() == 0)
        .map(|shape| {
            let filter = CuckooFilter::builder().capacity(ITEMS).build_shape(shape);
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
    let (some, all) = (told(&readme()), told(&guide));
    assert!(some.len() >= 4, "{some:?}");
    if is_common_machine() {
        assert_eq!(all, expected);
        assert!(some.iter().all(|row| expected.contains(row)), "{some:?}");
    }
}

/// What depends on no seed: the memory, and the rate that is expected of a filter that holds its capacity.
#[test]
fn the_table_of_sizes_is_that_of_the_filters() {
    let is_common = is_common_machine();
    let text = text_of("benches/README.md");
    let rows = rows(&text, "| items | bits per item");
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let items: usize = row[1].replace(',', "").parse().expect("a number");
        let filter = CuckooFilter::with_capacity(items);
        if is_common {
            let bits = filter.memory_usage() as f64 * 8.0 / items as f64;
            assert_eq!(row[2], format!("{bits:.1}"), "bits for {items} items");
        }
        for item in 0..items {
            filter.insert(&item).expect("sized for it");
        }
        let expected = format!("{:.4} %", 100.0 * filter.false_positive_rate());
        let (told, _) = row[4].split_once(", ").expect("two rates");
        assert_eq!(told, expected, "the rate for {items} items");
    }
}

#[test]
fn links_lead_to_the_web_or_to_a_heading() {
    let text = readme();
    let targets: Vec<&str> = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    assert!(!targets.is_empty(), "there are links");
    for target in targets {
        let is_absolute = target.starts_with("https://") || target.starts_with('#');
        assert!(is_absolute, "{target} is a file of the repository");
    }
}
