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

/// Whether the system gives huge pages to shared memory that asks for them.
fn gives_huge_pages() -> bool {
    let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    setting.is_ok_and(|text| !text.contains("[never]") && !text.contains("[deny]"))
}

/// Large memory is asked for in huge pages, by who makes it, writes to it and reads it; and the
/// pages that are there already are replaced.
#[test]
fn large_memory_asks_for_huge_pages() {
    const MIB: usize = 1 << 10;
    let large = filter(3_000_000);
    let writer: SharedFilter = SharedFilter::attach(&large).expect("a filter");
    let reader: SharedReader = SharedReader::attach(&large).expect("a filter");
    writer.insert("a").expect("room");
    assert!(large.contains("a") && reader.contains("a"));
    // Other tests run in this process, too, with smaller filters.
    let found = mappings(6 * MIB);
    assert!(found.len() >= 3, "{found:?}");
    for (size, huge, flags) in found {
        assert_eq!(
            flags.contains("hg"),
            cfg!(feature = "huge-pages"),
            "{flags}"
        );
        if !gives_huge_pages() {
            eprintln!("skipped: this system gives shared memory no huge pages");
        } else if cfg!(feature = "huge-pages") {
            // All but what is at both ends.
            assert!(huge + 4 * MIB >= size, "{huge} of {size} KiB");
        }
    }
}
