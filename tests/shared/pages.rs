//! The pages of the memory: huge ones, if the feature asks for them.

use std::fs;

use lockfree_cuckoo::{SharedFilter, SharedReader};

use crate::filter;

/// What the system reports of each mapping of a filter's memory that is at least this large, in
/// KiB: its size, its part in huge pages, and its flags.
fn mappings(least: usize) -> Vec<(usize, usize, String)> {
    let report = fs::read_to_string("/proc/self/smaps").expect("Linux");
    let mut found = Vec::new();
    let mut is_of_a_filter = false;
    let (mut size, mut huge) = (0, 0);
    for line in report.lines() {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = || rest.trim().trim_end_matches(" kB").parse().unwrap_or(0);
        match key {
            "Size:" => size = number(),
            "ShmemPmdMapped:" => huge = number(),
            "VmFlags:" if is_of_a_filter && size >= least => {
                found.push((size, huge, rest.to_owned()));
            }
            _ if key.ends_with(':') => {}
            // The first line of a mapping.
            _ => is_of_a_filter = rest.contains("memfd:lockfree-cuckoo"),
        }
    }
    found
}

/// Whether the system gives huge pages to shared memory without a name as soon as it is made: it is
/// told to, and it is Linux 6.1 or later.
fn gives_huge_pages() -> bool {
    let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    let is_told_to =
        setting.is_ok_and(|text| !text.contains("[never]") && !text.contains("[deny]"));
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split('.').map(|number| number.parse().unwrap_or(0));
    is_told_to && (numbers.next(), numbers.next()) >= (Some(6), Some(1))
}

/// Large memory is asked for in huge pages, by who makes it, writes to it and reads it; and it is
/// in such pages from the start, where the system gives them.
#[test]
fn large_memory_asks_for_huge_pages() {
    const MIB: usize = 1 << 10;
    let large = filter(3_000_000);
    let writer: SharedFilter = SharedFilter::attach(&large).expect("a filter");
    let reader: SharedReader = SharedReader::attach(&large).expect("a filter");
    writer.insert("a").expect("room");
    assert!(large.contains("a") && reader.contains("a"));
    // Touch all of it in each mapping.
    for item in 0..10_000 {
        let found = [
            large.contains(&item),
            writer.contains(&item),
            reader.contains(&item),
        ];
        assert!(found[0] == found[1] && found[0] == found[2]);
    }
    // Other tests run in this process, too, with smaller filters.
    let found = mappings(6 * MIB);
    if found.is_empty() {
        eprintln!("skipped: this system does not report its pages");
    }
    for (size, huge, flags) in found {
        assert_eq!(
            flags.contains("hg"),
            cfg!(feature = "huge-pages"),
            "{flags}"
        );
        if cfg!(not(feature = "huge-pages")) {
            assert_eq!(huge, 0, "of {size} KiB");
        } else if gives_huge_pages() {
            // All but what is at both ends.
            assert!(huge + 4 * MIB >= size, "{huge} of {size} KiB");
        } else {
            eprintln!("skipped: this system gives shared memory no huge pages");
        }
    }
}
