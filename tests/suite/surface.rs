//! The size of the public surface: limits the number of methods, and checks that each has an
//! example.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The maximum number of methods of a filter.
const MOST: usize = 55;

/// Returns the filters that have the methods of an `impl` with this header.
fn filters_of(header: &str) -> &'static [&'static str] {
    const ALL: &[&str] = &["fixed", "growing", "rotating", "chosen at run time"];
    match header {
        _ if header.contains(" for ") || header.contains("FilterBuilder<") => &[],
        _ if header.contains("DynFilter<") => &ALL[3..],
        _ if header.contains(" Filter<Fixed<") => &ALL[..1],
        _ if header.contains(" Filter<Rotating<") => &ALL[2..3],
        _ if header.contains("E: Grows") => &["growing", "chosen at run time"],
        _ if header.contains("E: Buildable") => &ALL[..3],
        _ => ALL,
    }
}

#[test]
fn a_filter_has_few_methods_and_each_has_an_example() {
    let mut methods: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/filter");
    for source in fs::read_dir(sources).expect("the facade") {
        let text = fs::read_to_string(source.expect("a file").path()).expect("a text");
        let (mut filters, mut documentation): (&[&str], _) = (&[], String::new());
        for line in text.lines() {
            if line.starts_with("impl") {
                filters = filters_of(line);
            }
            let trimmed = line.trim_start();
            if let Some(method) = line.strip_prefix("    pub fn ") {
                let name = method.split(['(', '<']).next().expect("a name");
                assert!(documentation.contains("```"), "`{name}` has no example");
                for filter in filters {
                    methods.entry(filter).or_default().push(name.to_owned());
                }
            }
            if trimmed.starts_with("///") {
                documentation.push_str(trimmed);
            } else if !trimmed.starts_with("#[") && !trimmed.starts_with("// ") {
                documentation.clear();
            }
        }
    }
    assert_eq!(methods.len(), 4);
    for (filter, methods) in methods {
        assert!(methods.len() > 40, "{filter}: {methods:?} are not all");
        assert!(methods.len() <= MOST, "{filter}: {} methods", methods.len());
    }
}
