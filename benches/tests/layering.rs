//! Layering: checks which modules of the benches import from each other.
//!
//! * A module of the library imports only from modules below it in [`ORDER`].
//! * No modules of a program, or of the harness, import from each other in a circle.
//!
//! A module is a file directly under `src`, with the folder of its name. Unit tests may import what
//! they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of the library, from the lowest up.
const ORDER: [&str; 13] = [
    "tally",
    "keys",
    "options",
    "mixed",
    "contender",
    "limit",
    "work",
    "rivals",
    "latency",
    "rig",
    "duel",
    "report",
    "tables",
];

/// The modules that each module imports from.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Appends the code of a file, or of all files in a folder: without comments and unit tests.
fn read(path: &Path, code: &mut String) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            read(&entry.expect("readable").path(), code);
        }
        return;
    }
    let text = fs::read_to_string(path).expect("readable");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.starts_with("//"))
        .for_each(|line| {
            code.push_str(line);
            code.push('\n');
        });
}

/// Returns the names that follow `prefix` in the code, also those in braces.
fn names_after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let name = |text: &'a str| {
        let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        &text[..end.unwrap_or(text.len())]
    };
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(rest) => {
                let list = rest.split(';').next().unwrap_or_default();
                names.extend(list.split(',').map(|item| name(item.trim_start())));
            }
            None => names.push(name(rest)),
        }
    }
    names
}

/// Returns the imports between the modules of a folder, without `lib` and `main`, which name them
/// all.
fn arrows(folder: &Path) -> Arrows {
    let mut codes = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let module = path.file_stem().expect("a name").to_string_lossy();
        if !["lib", "main", "bin"].contains(&&*module) {
            read(&path, codes.entry(module.into_owned()).or_default());
        }
    }
    let modules: BTreeSet<String> = codes.keys().cloned().collect();
    let imports = |(module, code): (String, String)| {
        let names = ["crate::", "super::super::"].map(|prefix| names_after(&code, prefix));
        let targets = names.concat().into_iter().map(str::to_owned);
        let others = targets.filter(|target| modules.contains(target) && *target != module);
        (module.clone(), others.collect())
    };
    codes.into_iter().map(imports).collect()
}

#[test]
fn library_modules_import_from_below() {
    let arrows = arrows(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let place = |module: &str| ORDER.iter().position(|&name| name == module);
    for (module, targets) in &arrows {
        let own = place(module).unwrap_or_else(|| panic!("`{module}` is not in the order"));
        for target in targets {
            assert!(place(target) < Some(own), "{module} imports from {target}");
        }
    }
    assert_eq!(arrows.len(), ORDER.len());
    let all: usize = arrows.values().map(BTreeSet::len).sum();
    assert!(all > 20, "only {all} imports were found");
}

#[test]
fn program_modules_import_in_no_circle() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = fs::read_dir(package.join("src/bin")).expect("a folder");
    let programs = programs.map(|entry| entry.expect("readable").path());
    let mut found = 0;
    for program in programs.chain(["paper/src", "harness/src"].map(|part| package.join(part))) {
        if !program.is_dir() {
            continue;
        }
        let mut left = arrows(&program);
        found += left.values().map(BTreeSet::len).sum::<usize>();
        // Remove the modules that import from no remaining one, until only circles and their
        // importers remain.
        loop {
            let modules: BTreeSet<String> = left.keys().cloned().collect();
            left.retain(|_, targets| !targets.is_disjoint(&modules));
            if left.len() == modules.len() {
                break;
            }
        }
        assert!(left.is_empty(), "{}: {left:?}", program.display());
    }
    assert!(found > 5, "only {found} imports were found");
}
