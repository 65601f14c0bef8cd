//! Suites of tests, and the mutants that they must kill.
//!
//! A *mutant* is the crate with changes of its source, without something that it cannot do without. The files in
//! `mutants` have them all, one file for each part of the crate: what is wrong with it, its changes, and for each suite
//! that kills it the test that must fail and what that test says. A change whose text does not stand in the source
//! exactly once fails the run, so the lists cannot drift from the code.
//!
//! [`mutation`] builds and runs suites and mutants. The programs are `verify`, which runs every check of the crate, and
//! `suite`, which runs one suite.

pub mod mutation;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

/// A package of tests, and how it is built, as `suites.toml` tells it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Begins the lines that sum up, and names the directory of the build.
    pub name: String,
    /// The package of the tests.
    pub package: String,
    /// Where that package lies in the project. In its root, the suite is the tests whose files are named after it, and
    /// those in the files of its killers.
    pub directory: String,
    /// The `RUSTFLAGS` that choose the build. Without any, it is that of `cargo test`.
    #[serde(default)]
    pub flags: String,
    /// The profile of the build.
    pub profile: String,
    /// More arguments of `cargo test`.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// What the tests print a number of, before a colon: their share of the work.
    #[serde(default)]
    pub unit: String,
}

/// All suites.
pub fn suites() -> Vec<Suite> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        suite: Vec<Suite>,
    }
    let file: File = toml::from_str(include_str!("../suites.toml")).expect("a list of suites");
    file.suite
}

/// The crate with something wrong, and who notices.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    /// What is wrong.
    pub name: String,
    /// File, text, and what stands there instead.
    pub changes: Vec<(String, String, String)>,
    /// How each suite kills it, by the name of the suite.
    #[serde(flatten)]
    pub killers: BTreeMap<String, Killer>,
}

/// The test that must fail, as `file::test`, where `lib::test` is one of the library itself; and what it says. Without
/// a text any failure kills: which of several assertions fails, or where the library panics, depends on the schedule.
pub type Killer = (String, String);

impl Mutant {
    /// Takes part in the sources of a project. Each text must stand in its file exactly once.
    pub fn apply(&self, project: &Path) -> Result<(), String> {
        let changed = |file: &str, text: &str, mutated: &str| {
            let path = project.join("src").join(file);
            let source = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
            match source.matches(text).count() {
                1 => fs::write(&path, source.replacen(text, mutated, 1))
                    .map_err(|error| format!("{file}: {error}")),
                places => Err(format!("{places} places match in {file}, not 1: {text}")),
            }
        };
        let mut changes = self.changes.iter();
        changes
            .try_for_each(|(file, text, mutated)| changed(file, text, mutated))
            .map_err(|why| format!("mutant {}: {why}", self.name))
    }
}

/// All mutants, in the order of their files.
pub fn mutants() -> Result<Vec<Mutant>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        mutant: Vec<Mutant>,
    }
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("mutants"));
    let paths = entries.and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = paths.map_err(|error: io::Error| error.to_string())?;
    paths.sort();
    let mut mutants = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| error.to_string());
        let file = text.and_then(|text| toml::from_str(&text).map_err(|error| error.to_string()));
        let file: File = file.map_err(|why| format!("{}: {why}", path.display()))?;
        mutants.extend(file.mutant);
    }
    Ok(mutants)
}

/// The root directory of the project.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2);
    root.map(Path::to_path_buf).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A suite refuses a text that has changed, but a suite takes minutes.
    #[test]
    fn every_text_stands_in_its_file_exactly_once() {
        for mutant in mutants().expect("sound files") {
            for (file, text, mutated) in &mutant.changes {
                let source = fs::read_to_string(root().join("src").join(file)).expect(file);
                let places = source.matches(text).count();
                assert_eq!(places, 1, "{}, in {file}: {text}", mutant.name);
                assert_ne!(text, mutated, "{}", mutant.name);
            }
        }
    }

    #[test]
    fn no_two_mutants_are_the_same_and_each_is_killed() {
        let (mut names, mut changes) = (BTreeSet::new(), BTreeSet::new());
        for mutant in mutants().expect("sound files") {
            let mut killers = mutant.killers.keys();
            assert!(killers.len() > 0, "no suite kills: {}", mutant.name);
            let unknown =
                killers.find(|&killer| suites().iter().all(|known| known.name != *killer));
            assert_eq!(unknown, None, "{}", mutant.name);
            assert!(names.insert(mutant.name.clone()), "two: {}", mutant.name);
            assert!(changes.insert(mutant.changes), "twice: {}", mutant.name);
        }
    }
}
