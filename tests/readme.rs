//! The README: its table of sizes, and its links. Registries show it too, without the files of the repository.

use std::fs;
use std::path::Path;
use std::thread;

use lockfree_cuckoo::CuckooFilter;

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    fs::read_to_string(path).expect("readable")
}

/// What depends on no seed: the memory, and the rate that is expected of a filter that holds its capacity.
#[test]
fn the_table_of_sizes_is_that_of_the_filters() {
    // With more processors a large filter has more descriptors.
    let is_common = thread::available_parallelism().is_ok_and(|threads| threads.get() <= 16);
    let text = readme();
    let (_, table) = text.split_once("| items | bits per item").expect("a table");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
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
