//! Which module may import from which.
//!
//! * A module imports from its own layer and from those below, never from a layer above.
//! * No two modules import from each other, directly or by way of others.
//! * Only the module of the atomics knows that there are model checkers.
//! * Every source file is compiled: none has been forgotten by the `mod` lines.
//!
//! A module is a file under `src`. A re-export (`pub use`, `pub(crate) use`) is not an import: who imports the name
//! imports from the module that it comes from. Unit tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, from the lowest up, and the top-level modules of each.
const LAYERS: [&[&str]; 8] = [
    &["error", "sync", "allocate", "random_state", "layout"],
    &["table"],
    &["tokens"],
    &["counted"],
    &["engine"],
    &["stored"],
    &["filter"],
    &["lib", "testing"],
];

/// Modules that contain only documentation.
const PAGES: [&str; 3] = ["design", "format", "guide"];

/// The path of a module or of an item in it: `tokens::lookup`.
type Name = Vec<String>;

/// The modules, with the code of each.
type Modules = BTreeMap<Name, String>;

/// The origins of the names that a module re-exports.
type Reexports = BTreeMap<Name, Name>;

fn names(path: &str) -> Name {
    path.split("::").map(str::to_owned).collect()
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the sources are there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// All modules except those of tests and of documentation, without comments and without unit tests.
fn modules() -> Modules {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&source, &mut paths);
    let mut modules = Modules::new();
    for path in paths {
        let inside = path.strip_prefix(&source).expect("below");
        let parts = inside.with_extension("");
        let parts = parts.iter().map(|part| part.to_str().expect("a name"));
        let module: Name = parts.map(str::to_owned).collect();
        if module.last().is_some_and(|name| name == "tests") || PAGES.contains(&module[0].as_str())
        {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = text.lines().map(str::trim);
        let code: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
        modules.insert(module, code.join("\n"));
    }
    assert!(
        modules.len() > 60,
        "only {} modules were found",
        modules.len()
    );
    modules
}

/// Takes `{a, b::{c, d}}` apart: the paths that it stands for.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, inner)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree);
        return vec![name.trim().to_owned()];
    };
    let inner = inner.strip_suffix('}').expect("closed");
    let mut depth = 0;
    let parts = inner.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts
        .flat_map(expand)
        .map(|part| format!("{prefix}{part}"))
        .collect()
}

/// What a module imports: the paths, and whether it only re-exports them.
fn imports(code: &str) -> Vec<(Name, bool)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        let visibility = code[line..at].trim();
        let is_word = visibility.is_empty() || visibility.starts_with("pub");
        let statement = code[at + 4..].split(';').next().unwrap_or_default();
        // A text that begins with the word is no statement.
        if is_word && !visibility.contains(' ') && !statement.contains('"') {
            let paths = expand(statement).into_iter();
            found.extend(paths.map(|path| (names(&path), !visibility.is_empty())));
        }
    }
    found
}

/// The paths from the root in the code.
fn paths_in(code: &str) -> impl Iterator<Item = Name> {
    code.match_indices("crate::").map(|(at, _)| {
        let path = &code[at..];
        let end = path.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
        names(path[..end.unwrap_or(path.len())].trim_end_matches(':'))
    })
}

/// The module that a path leads to from a module, by way of re-exports; nothing for other crates.
fn resolve(modules: &Modules, reexports: &Reexports, from: &Name, path: &[String]) -> Option<Name> {
    let (mut at, mut rest) = match path[0].as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (from.clone(), &path[1..]),
        "super" => (from[..from.len() - 1].to_vec(), &path[1..]),
        // A child, or another crate.
        child => {
            let is_child = modules.contains_key(&[&from[..], &[child.to_owned()]].concat());
            is_child.then(|| (from.clone(), path))?
        }
    };
    while let Some((name, behind)) = rest.split_first() {
        if name == "super" {
            at.pop();
        } else {
            let inside = [&at[..], std::slice::from_ref(name)].concat();
            if !modules.contains_key(&inside) {
                let here = if at.is_empty() { names("lib") } else { at };
                let reexport = reexports.get(&[&here[..], std::slice::from_ref(name)].concat());
                return match reexport {
                    Some(path) if path.len() > 1 => resolve(modules, reexports, &here, path),
                    _ => Some(here),
                };
            }
            at = inside;
        }
        rest = behind;
    }
    Some(at)
}

/// The modules that each module imports from.
fn arrows() -> BTreeMap<Name, BTreeSet<Name>> {
    let modules = modules();
    let mut reexports = Reexports::new();
    for (module, code) in &modules {
        for (path, _) in imports(code)
            .into_iter()
            .filter(|(_, reexported)| *reexported)
        {
            reexports.insert([&module[..], &path[path.len() - 1..]].concat(), path);
        }
    }
    let of_module = |(module, code): (&Name, &String)| {
        let imported = imports(code)
            .into_iter()
            .filter(|(_, reexported)| !reexported);
        let paths = imported.map(|(path, _)| path).chain(paths_in(code));
        let targets = paths.filter_map(|path| resolve(&modules, &reexports, module, &path));
        (
            module.clone(),
            targets.filter(|target| target != module).collect(),
        )
    };
    modules.iter().map(of_module).collect()
}

fn layer(module: &Name) -> usize {
    let layer = LAYERS
        .iter()
        .position(|modules| modules.contains(&module[0].as_str()));
    layer.unwrap_or_else(|| panic!("`{}` is in no layer: add it to the list", module.join("/")))
}

#[test]
fn no_module_imports_from_a_layer_above() {
    let arrows = arrows();
    let mut upward = Vec::new();
    for (module, targets) in &arrows {
        for target in targets
            .iter()
            .filter(|&target| layer(target) > layer(module))
        {
            upward.push(format!("{} -> {}", module.join("/"), target.join("/")));
        }
    }
    assert!(upward.is_empty(), "arrows up: {upward:#?}");
    let arrows: usize = arrows.values().map(BTreeSet::len).sum();
    assert!(arrows > 150, "only {arrows} arrows were found");
}

#[test]
fn no_modules_import_in_a_circle() {
    // Take away the modules that import from none that is left, until only circles are, and their importers.
    let mut left = arrows();
    loop {
        let modules: BTreeSet<Name> = left.keys().cloned().collect();
        left.retain(|_, targets| targets.iter().any(|target| modules.contains(target)));
        if left.len() == modules.len() {
            break;
        }
    }
    let circles: Vec<String> = left.keys().map(|module| module.join("/")).collect();
    assert!(
        circles.is_empty(),
        "in circles, or behind them: {circles:#?}"
    );
}

#[test]
fn only_the_module_of_the_atomics_knows_the_checkers() {
    let words = [
        "cfg(loom",
        "all(loom",
        "lockfree_cuckoo_steps",
        "lockfree_cuckoo_shuttle",
        "sync::atomic::Atomic",
        "atomic::Atomic<",
    ];
    for (module, code) in modules().iter().filter(|(module, _)| module[0] != "sync") {
        for word in words {
            assert!(!code.contains(word), "{}: {word}", module.join("/"));
        }
    }
}

/// A file without a `mod` line would be formatted and read, but never compiled or run.
#[test]
fn every_source_file_is_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for part in ["src", "tests", "loom-tests", "benches", "crates"] {
        files(&root.join(part), &mut paths);
    }
    let is_ours = |path: &&PathBuf| !path.components().any(|part| part.as_os_str() == "target");
    let mut forgotten = Vec::new();
    for path in paths.iter().filter(is_ours) {
        let stem = path.file_stem().expect("a file").to_string_lossy();
        let directory = path.parent().expect("below the root");
        let folder = directory.file_name().expect("below the root");
        let is_target = ["tests", "examples", "benches", "bin", "targets"]
            .iter()
            .any(|&name| folder == name);
        if is_target || ["main", "lib", "mod", "build"].contains(&&*stem) {
            continue;
        }
        let parents = ["main.rs", "lib.rs", "mod.rs"].map(|name| directory.join(name));
        let declares = |parent: &PathBuf| {
            let text = fs::read_to_string(parent).unwrap_or_default();
            let line = format!("mod {stem};");
            text.lines().any(|code| {
                code.trim_start()
                    .trim_start_matches("pub ")
                    .trim_start_matches("pub(crate) ")
                    .starts_with(&line)
            })
        };
        if !parents
            .iter()
            .chain([&directory.with_extension("rs")])
            .any(declares)
        {
            forgotten.push(path);
        }
    }
    assert!(paths.len() > 300, "only {} files were found", paths.len());
    assert!(forgotten.is_empty(), "no `mod` line: {forgotten:#?}");
}
