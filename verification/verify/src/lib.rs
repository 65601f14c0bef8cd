//! The suites that try to refute the claims of the crate, and the mutants that they must kill.
//!
//! A *mutant* is the crate with changes of its source that remove one necessary thing. The files in
//! `mutants` list them, one file for each part of the crate. An entry has the defect, its changes,
//! and for each suite that kills it, the test that must fail and the message of that test. A run
//! fails if the text of a change does not occur in the source exactly once, so the lists stay true
//! to the code.
//!
//! [`program`] runs the suites that are programs, [`mutation`] builds and runs suites of tests and
//! mutants, and [`progress`] shows their progress.

#[cfg(test)]
mod copies;
pub mod mutation;
pub mod program;
pub mod progress;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

/// A suite as in `suites.toml`: a program or a package of tests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The name on the command line, and of the build directory.
    pub name: String,
    /// The defects that only this suite finds.
    pub finds: String,
    /// The usual seconds on two cores, without the build.
    pub seconds: u64,
    /// Whether it runs unless suites are named.
    #[serde(default)]
    pub usual: bool,
    /// A program of its own.
    pub program: Option<Program>,
    /// A package of tests. It has mutants.
    pub tests: Option<Tests>,
}

/// A program that is a suite.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The command, its words separated by spaces.
    pub command: String,
    /// The additional arguments of a long run.
    #[serde(default)]
    pub long: String,
    /// The additional arguments of a short run.
    #[serde(default)]
    pub short: String,
    /// Whether it needs the build in which a thread can be stopped before an access.
    #[serde(default)]
    pub stops_threads: bool,
    /// Texts that occur in the lines of its output that say what ran.
    pub says: Vec<String>,
}

/// A package of tests, and how it is built.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    /// The package of the tests, or several, with spaces between.
    pub package: String,
    /// The directory of that package in the project. In the root, the suite consists of the tests
    /// in files named after it, and of those in the files of its killers.
    pub directory: String,
    /// The `RUSTFLAGS` of the build. Without any, it is that of `cargo test`.
    #[serde(default)]
    pub flags: String,
    /// The profile of the build.
    pub profile: String,
    /// More arguments of `cargo test`.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The unit of the numbers that the tests print before a colon: their share of the work.
    #[serde(default)]
    pub unit: String,
    /// The usual seconds of its mutants on two cores.
    pub seconds: u64,
}

/// Returns all suites.
pub fn suites() -> Vec<Suite> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        suite: Vec<Suite>,
    }
    let file: File = toml::from_str(include_str!("../suites.toml")).expect("a list of suites");
    file.suite
}

/// The crate with a defect, and the tests that find it.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    /// The defect.
    pub name: String,
    /// For each change the file, the text, and its replacement.
    pub changes: Vec<(String, String, String)>,
    /// The killer in each suite, by the name of the suite.
    #[serde(flatten)]
    pub killers: BTreeMap<String, Killer>,
}

/// The test that must fail, as `file::test`, with `lib::test` for one of the library itself; and
/// its message. Without a message any failure counts: which assertion fails, or where the library
/// panics, depends on the schedule.
pub type Killer = (String, String);

impl Mutant {
    /// Changes the sources of a project. Each text must occur in its file exactly once.
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

/// Returns all mutants, in the order of their files.
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

/// Returns the root directory of the project.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2);
    root.map(Path::to_path_buf).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every text stands in its file exactly once. A suite refuses a changed text too, but takes
    /// minutes.
    #[test]
    fn texts_occur_once() {
        for mutant in mutants().expect("sound files") {
            for (file, text, mutated) in &mutant.changes {
                let source = fs::read_to_string(root().join("src").join(file)).expect(file);
                let places = source.matches(text).count();
                assert_eq!(places, 1, "{}, in {file}: {text}", mutant.name);
                assert_ne!(text, mutated, "{}", mutant.name);
            }
        }
    }

    /// Returns the sources under a path, or in the file of that name.
    fn sources(path: &Path) -> String {
        let Ok(entries) = fs::read_dir(path) else {
            return fs::read_to_string(path.with_extension("rs")).unwrap_or_default();
        };
        let paths = entries.map(|entry| entry.expect("readable").path());
        paths.map(|path| sources(&path)).collect()
    }

    /// Each killer is a function of its file or program, or is made by a macro from one.
    #[test]
    fn killers_exist() {
        let suites = suites();
        for mutant in mutants().expect("sound files") {
            for (suite, (test, _)) in &mutant.killers {
                let suite = suites.iter().find(|known| known.name == *suite);
                let tests = suite.and_then(|suite| suite.tests.as_ref()).expect("tests");
                let (file, path) = test.split_once("::").expect("file::test");
                let sources = match file {
                    "lib" => sources(&root().join("src")),
                    _ => sources(&root().join(&tests.directory).join("tests").join(file)),
                };
                let is_here = |name| sources.contains(&format!("fn {name}"));
                let mut names = path.rsplit("::").take(2);
                assert!(names.any(is_here), "{}: no test {test}", mutant.name);
            }
        }
    }

    #[test]
    fn a_suite_is_a_program_or_tests() {
        for suite in suites() {
            assert!(
                suite.program.is_some() != suite.tests.is_some(),
                "{suite:?}"
            );
        }
    }

    /// Each with its time, the number of mutants that it kills, and the number that only it kills.
    #[test]
    fn the_readme_has_each_suite() {
        let path = root().join("verification/README.md");
        let readme = fs::read_to_string(path).expect("the page");
        let mutants = mutants().expect("sound files");
        for suite in suites() {
            let begin = format!("| {} |", suite.name);
            let mut rows = readme.lines().filter(|line| line.starts_with(&begin));
            let row = rows.next().expect(&suite.name);
            assert_eq!(rows.next(), None, "twice: {}", suite.name);
            assert!(row.contains(&format!("| {} s |", suite.seconds)), "{row}");
            assert_eq!(row.contains("| yes |"), suite.usual, "{row}");
            let killed = mutants
                .iter()
                .filter(|mutant| mutant.killers.contains_key(&suite.name));
            let alone = killed.clone().filter(|mutant| mutant.killers.len() == 1);
            let (killed, alone) = (killed.count(), alone.count());
            let counts = format!("| {killed}, {alone} |");
            assert!(killed == 0 || row.contains(&counts), "{counts} of {row}");
        }
    }

    /// No two mutants are the same, and a suite kills each.
    #[test]
    fn mutants_are_distinct() {
        let (mut names, mut changes) = (BTreeSet::new(), BTreeSet::new());
        for mutant in mutants().expect("sound files") {
            let mut killers = mutant.killers.keys();
            assert!(killers.len() > 0, "no suite kills: {}", mutant.name);
            let kills =
                |known: &Suite, killer: &String| known.tests.is_some() && known.name == *killer;
            let unknown = killers.find(|&killer| !suites().iter().any(|s| kills(s, killer)));
            assert_eq!(unknown, None, "{}", mutant.name);
            assert!(names.insert(mutant.name.clone()), "two: {}", mutant.name);
            assert!(changes.insert(mutant.changes), "twice: {}", mutant.name);
        }
    }
}
