//! The layers of the modules: checks which module imports from which.
//!
//! * A module imports from its own layer and from those below, never from a layer above.
//! * Fixed and rotating filters know nothing of growing ones, and growing ones nothing of them.
//! * No two modules import from each other, directly or by way of others.
//! * The same with the methods that they call, as far as a name says where a method is.
//! * Only the module of the atomics mentions model checkers.
//! * Every source file is compiled: the `mod` lines name all of them, or `tests/Cargo.toml` does.
//! * Each file uses `unsafe` as often as the table of the design page says.
//!
//! The programs checked here have no circular imports either. Their layers are not written down.
//!
//! A module is a file under `src`. A re-export (`pub use`, `pub(crate) use`) is not an import: a
//! module that imports the name imports from the module that defines it. Unit tests may import
//! anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A directory of sources, and the minimum number of its modules.
#[derive(Clone, Copy)]
struct Package {
    source: &'static str,
    modules: usize,
}

const LIBRARY: Package = Package {
    source: "src",
    modules: 61,
};

const COMMANDS: Package = Package {
    source: "apps/cf/src",
    modules: 15,
};

const SERVER: Package = Package {
    source: "apps/server/src",
    modules: 30,
};

/// The layers, lowest first, with the modules of each. A module also covers the modules inside it
/// that no other layer lists.
const LAYERS: [&[&str]; 10] = [
    // Pure values: errors name kinds and layouts, and the layouts have arrays of the search's sizes.
    &[
        "sync",
        "random_state",
        "typed_hasher",
        "engine/kind",
        "kernel/layout",
        "kernel/search/sizes",
    ],
    &["error", "allocate"],
    &["kernel"],
    &["codec"],
    &["engine"],
    &["fixed"],
    // A rotating filter is made of fixed tables, and a growing one of its own.
    &["rotating", "growing"],
    &["shared"],
    &["filter"],
    &["lib", "testing"],
];

/// Pairs of modules of which neither imports from the other: each filter can be read alone.
const STRANGERS: [(&str, &str); 2] = [("growing", "fixed"), ("growing", "rotating")];

/// Calls of methods that close a circle, and why they stay.
const CALLS_BACK: [(&str, &str, &str); 3] = [
    (
        "rotating",
        "rotating/ops",
        "a method of the filter is a step of the engine, and a step uses other methods",
    ),
    ("filter", "filter/builder", "a filter and its builder"),
    (
        "filter",
        "filter/dynamic",
        "one type, its methods by subject",
    ),
];

/// Modules that show the pages of `docs`. They have no code.
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

/// Returns all modules except those of tests and documentation, without comments and unit tests.
fn modules(package: &Package) -> Modules {
    let source = Path::new(ROOT).join(package.source);
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
        // Unit tests in a file of their own may be declared before the code. Others are at its end.
        let text = text.replace("#[cfg(test)]\nmod tests;", "");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = text.lines().map(str::trim);
        let code: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
        modules.insert(module, code.join("\n"));
    }
    let (found, source) = (modules.len(), package.source);
    assert!(
        found >= package.modules,
        "only {found} modules were found in {source}"
    );
    modules
}

/// Expands `{a, b::{c, d}}` into the paths that it stands for.
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

/// Returns the paths that a module imports, and for each whether it is only re-exported.
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

/// Returns the paths from the root in the code.
fn paths_in(code: &str) -> impl Iterator<Item = Name> {
    code.match_indices("crate::").map(|(at, _)| {
        let path = &code[at..];
        let end = path.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
        names(path[..end.unwrap_or(path.len())].trim_end_matches(':'))
    })
}

/// Returns the module that defines a path used in a module, by way of re-exports. `None` for other
/// crates.
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

/// Returns the modules that each module imports from.
fn arrows(package: &Package) -> BTreeMap<Name, BTreeSet<Name>> {
    let modules = modules(package);
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
    let of = |path: String| LAYERS.iter().position(|modules| modules.contains(&&*path));
    let outward = (1..=module.len()).rev();
    let mut layers = outward.filter_map(|parts| of(module[..parts].join("/")));
    let layer = layers.next();
    layer.unwrap_or_else(|| panic!("`{}` is in no layer: add it to the list", module.join("/")))
}

#[test]
fn no_module_imports_from_a_layer_above() {
    let arrows = arrows(&LIBRARY);
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

/// Growing filters and the others do not know each other. The layers check all others.
#[test]
fn growing_is_apart() {
    for (module, targets) in arrows(&LIBRARY) {
        for target in targets {
            let (from, to) = (module[0].as_str(), target[0].as_str());
            let strange = STRANGERS
                .iter()
                .any(|&(a, b)| (a, b) == (from, to) || (b, a) == (from, to));
            assert!(!strange, "{} -> {}", module.join("/"), target.join("/"));
        }
    }
}

/// Returns the modules in circles of arrows, and those between the circles.
fn circles(mut left: BTreeMap<Name, BTreeSet<Name>>) -> Vec<String> {
    // Remove the modules that import from none of the rest, or that none of the rest imports from.
    // The circles remain, with the modules between them.
    loop {
        let modules: BTreeSet<Name> = left.keys().cloned().collect();
        left.retain(|_, targets| targets.iter().any(|target| modules.contains(target)));
        let imported: BTreeSet<Name> = left.values().flatten().cloned().collect();
        left.retain(|module, _| imported.contains(module));
        if left.len() == modules.len() {
            return left.keys().map(|module| module.join("/")).collect();
        }
    }
}

#[test]
fn no_modules_import_in_a_circle() {
    for package in [LIBRARY, COMMANDS, SERVER] {
        let arrows = arrows(&package);
        let all: usize = arrows.values().map(BTreeSet::len).sum();
        assert!(all > arrows.len(), "only {all} arrows were found");
        let circles = circles(arrows);
        assert!(
            circles.is_empty(),
            "in circles of {}, or between them: {circles:#?}",
            package.source
        );
    }
}

/// The words that follow a text in the code, each with what is before the text and after the word.
fn words_after<'a>(code: &'a str, text: &'a str) -> impl Iterator<Item = [&'a str; 3]> {
    code.match_indices(text).map(move |(at, _)| {
        let behind = &code[at + text.len()..];
        let end = behind.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (word, after) = behind.split_at(end.unwrap_or(behind.len()));
        [&code[..at], word, after]
    })
}

/// Whether the last word of a text is the name of a type.
fn ends_with_type(text: &str) -> bool {
    let word = text.rsplit(|letter: char| !letter.is_alphanumeric()).next();
    word.is_some_and(|word| word.starts_with(char::is_uppercase))
}

/// Returns the modules of its own folder whose methods a module calls, by name, for each module of
/// the library. A call on `self` is of the only method of this name in the folder. Another call may
/// be of a type from elsewhere: a name that is also in the folders that this one imports from tells
/// nothing.
fn calls() -> BTreeMap<Name, BTreeSet<Name>> {
    let modules = modules(&LIBRARY);
    let mut defined: BTreeMap<&str, BTreeSet<&Name>> = BTreeMap::new();
    for (module, code) in &modules {
        for [_, name, _] in words_after(code, "fn ") {
            defined.entry(name).or_default().insert(module);
        }
    }
    let mut near: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    for (module, code) in &modules {
        let folders = paths_in(code).map(|path| path[1].clone());
        let near = near.entry(&module[0]).or_default();
        near.extend(folders.chain([module[0].clone()]));
    }
    let of_module = |(module, code): (&Name, &String)| {
        let one = |name: &str, is_near: &dyn Fn(&Name) -> bool| {
            let modules = defined.get(name).into_iter().flatten();
            let mut modules = modules.filter(|other| is_near(other));
            modules.next().filter(|_| modules.next().is_none())
        };
        let of_folder = |other: &Name| other[0] == module[0];
        let is_near = |other: &Name| near[&module[0]].contains(&other[0]);
        let is_call = |[_, _, after]: &[&str; 3]| after.starts_with('(');
        let own = words_after(code, "self.").filter(is_call);
        let own = own.chain(words_after(code, "Self::"));
        let own = own.filter_map(|[_, name, _]| one(name, &of_folder));
        let of_types = words_after(code, "::").filter(|[before, ..]| ends_with_type(before));
        let others = words_after(code, ".").chain(of_types).filter(is_call);
        let others = others.filter_map(|[_, name, _]| one(name, &is_near));
        let called = own.chain(others).map(|target| (*target).clone());
        let called = called.filter(|target| target != module && of_folder(target));
        (module.clone(), called.collect())
    };
    modules.iter().map(of_module).collect()
}

/// A method is not imported: two modules with methods of one type can need each other unseen.
#[test]
fn no_modules_call_each_other() {
    let (mut arrows, mut calls) = (arrows(&LIBRARY), calls());
    let all: usize = calls.values().map(BTreeSet::len).sum();
    assert!(all > 100, "only {all} arrows were found");
    for (from, to, reason) in CALLS_BACK {
        let path = |module: &str| module.split('/').map(str::to_owned).collect::<Name>();
        let called = calls.get_mut(&path(from)).expect("a module");
        let is_called = called.remove(&path(to));
        assert!(is_called, "{from} calls {to} no more ({reason})");
    }
    for (module, called) in calls {
        arrows.entry(module).or_default().extend(called);
    }
    let circles = circles(arrows);
    assert!(
        circles.is_empty(),
        "in circles, or between them: {circles:#?}"
    );
}

/// Only the module of the atomics knows the checkers.
#[test]
fn only_sync_knows_the_checkers() {
    let words = [
        "cfg(loom",
        "all(loom",
        "lockfree_cuckoo_steps",
        "sync::atomic::Atomic",
        "atomic::Atomic<",
    ];
    for (module, code) in modules(&LIBRARY)
        .iter()
        .filter(|(module, _)| module[0] != "sync")
    {
        for word in words {
            assert!(!code.contains(word), "{}: {word}", module.join("/"));
        }
    }
}

/// A file without a `mod` line would be formatted, but never compiled or run.
#[test]
fn every_source_file_is_compiled() {
    let root = Path::new(ROOT);
    let mut paths = Vec::new();
    for part in [
        "src",
        "tests",
        "verification",
        "loom-tests",
        "benches",
        "apps",
    ] {
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

/// A test that its package does not name would never run.
#[test]
fn every_test_of_the_library_is_run() {
    let tests = Path::new(ROOT).join("tests");
    let manifest = fs::read_to_string(tests.join("Cargo.toml")).expect("readable");
    let mut found = 0;
    for entry in fs::read_dir(&tests).expect("a directory") {
        let path = entry.expect("readable").path();
        let file = match path.is_dir() {
            true => path.join("main.rs"),
            false => path,
        };
        let is_test = file.extension().is_some_and(|extension| extension == "rs");
        if file.is_file() && is_test && !file.ends_with("lib.rs") {
            let inside = file
                .strip_prefix(&tests)
                .expect("inside")
                .display()
                .to_string();
            let line = format!("path = \"{}\"", inside.replace('\\', "/"));
            assert!(
                manifest.contains(&line),
                "{inside} is not in tests/Cargo.toml"
            );
            found += 1;
        }
    }
    assert!(found > 5, "only {found} tests were found");
}

/// The table in `docs/design/README.md`, "Unsafe", has the uses of `unsafe` in each file. (Clippy
/// asks for the reason of each.)
#[test]
fn unsafe_is_used_where_the_design_says() {
    let page = Path::new(ROOT).join("docs/design/README.md");
    let page = fs::read_to_string(page).expect("readable");
    let section = page
        .split("\n## ")
        .find(|part| part.starts_with("Unsafe\n"));
    let rows = section.expect("a section").lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|');
        let file = cells.next()?.trim().strip_suffix(".rs`")?;
        Some((file.to_owned(), cells.next()?.trim().parse().ok()?))
    });
    let told: BTreeMap<String, usize> = rows.collect();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let uses = |code: &str| {
        // Lints have their reasons as texts.
        let lines = code.lines().filter(|line| !line.contains("reason = "));
        let words = lines.flat_map(|line| line.split(|letter| !is_part(letter)));
        words.filter(|&word| word == "unsafe").count()
    };
    let counted = modules(&LIBRARY)
        .into_iter()
        .map(|(module, code)| (module.join("/"), uses(&code)));
    let counted: BTreeMap<String, usize> = counted.filter(|&(_, uses)| uses > 0).collect();
    assert_eq!(counted, told, "counted, and on the page");
    assert!(counted.values().sum::<usize>() > 20);
}
