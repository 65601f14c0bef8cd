//! Where a suite is built, and how one of its tests is run.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::copy::root;
use crate::{CHECKING_A_MUTANT, Suite};

/// The project or a copy of it, and where it is built.
pub(crate) struct Build<'a> {
    suite: &'a Suite,
    pub(crate) project: PathBuf,
    target: PathBuf,
}

/// A test, and the file that it is in.
pub(crate) struct Test {
    file: String,
    name: String,
}

impl Test {
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let (file, name) = path.split_once("::")?;
        Some(Self {
            file: file.to_owned(),
            name: name.to_owned(),
        })
    }
}

impl<'a> Build<'a> {
    pub(crate) fn of_the_crate(suite: &'a Suite) -> Self {
        let project = root();
        let target = project.join("target").join(suite.name);
        Self {
            suite,
            project,
            target,
        }
    }

    /// Each worker has a copy.
    pub(crate) fn of_a_copy(suite: &'a Suite, worker: usize) -> Self {
        let name = format!("{}-mutants", suite.name);
        let place = root().join("target").join(name).join(worker.to_string());
        Self {
            suite,
            project: place.join("project"),
            target: place.join("build"),
        }
    }

    /// The tests in all files of the package whose name contains `name`.
    pub(crate) fn list(&self, name: &str) -> Result<Vec<Test>, String> {
        let directory = self.project.join(self.suite.directory).join("tests");
        let unreadable = |error| format!("{}: {error}", directory.display());
        let mut files = Vec::new();
        for entry in fs::read_dir(&directory).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            files.extend(
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
        // In the package that has other tests too, those of the suite are named after it.
        if self.suite.directory == "." {
            files.retain(|file| file.starts_with(self.suite.name));
        }
        files.sort();
        let mut tests = Vec::new();
        for file in files {
            let (listed, text) = self.cargo_test(&file, &["--list"], false)?;
            if !listed {
                eprintln!("{text}");
                return Err(format!("cannot list the tests in {file}"));
            }
            let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
            let chosen = |test: &&str| format!("{file}::{test}").contains(name);
            tests.extend(names.filter(chosen).map(|name| Test {
                file: file.clone(),
                name: name.to_owned(),
            }));
        }
        Ok(tests)
    }

    /// Runs one test in a process of its own: two in one would wait for each other whenever they map a stack.
    pub(crate) fn run(&self, test: &Test, mutant: bool) -> Result<(bool, String), String> {
        let arguments = ["--nocapture", "--exact", &test.name];
        self.cargo_test(&test.file, &arguments, mutant)
    }

    /// Whether it succeeded, and what it printed.
    fn cargo_test(
        &self,
        file: &str,
        arguments: &[&str],
        mutant: bool,
    ) -> Result<(bool, String), String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(&self.project)
            .env("RUSTFLAGS", self.suite.flags)
            .env("RUST_BACKTRACE", "0")
            .args(["test", "--package", self.suite.package, "--test", file])
            .args(self.suite.arguments)
            .arg("--target-dir")
            .arg(&self.target)
            .arg("--")
            .args(arguments);
        if mutant {
            command.env(CHECKING_A_MUTANT, "1");
        }
        let Output {
            status,
            stdout,
            stderr,
        } = command
            .output()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        let mut text = String::from_utf8_lossy(&stdout).into_owned();
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&stderr));
        Ok((status.success(), text))
    }
}
