//! Where a suite is built, and how one of its tests is run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, io, slice};

use super::{CHECKING_A_MUTANT, Suite};
use crate::project::root;

/// The project or a copy of it, and where it is built.
pub(crate) struct Build<'a> {
    suite: &'a Suite,
    pub(crate) project: PathBuf,
    target: PathBuf,
    /// Whether it is built again and again, with little changed.
    again: bool,
}

/// What stands for a file if the tests are those of the library itself, among its sources.
const LIBRARY: &str = "lib";

/// A test, and the file that it is in.
pub(crate) struct Test {
    pub(crate) file: String,
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
    /// Without flags, it is the build of `cargo test`.
    pub(crate) fn of_the_crate(suite: &'a Suite) -> Self {
        let project = root();
        let mut target = project.join("target");
        if !suite.flags.is_empty() {
            target.push(suite.name);
        }
        Self {
            suite,
            project,
            target,
            again: false,
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
            again: true,
        }
    }

    /// Builds what the tests in these files need.
    pub(crate) fn prepare(&self, files: &[String]) -> Result<(), String> {
        let mut command = self.cargo_test(files);
        let Output { status, stderr, .. } = output(command.arg("--no-run"))?;
        if status.success() {
            return Ok(());
        }
        eprintln!("{}", String::from_utf8_lossy(&stderr));
        Err(format!("cannot build {}", files.join(", ")))
    }

    /// Takes over the dependencies that another build has, unless there are some already. Of the packages of the
    /// project itself nothing fits, since their paths differ.
    pub(crate) fn share(&self, other: &Self) -> io::Result<()> {
        // Cargo builds the profile `test` beside `dev`.
        let profile = match self.suite.profile {
            "test" => "debug",
            other => other,
        };
        let (from, to) = (other.target.join(profile), self.target.join(profile));
        if to.exists() {
            return Ok(());
        }
        for part in ["build", "deps", ".fingerprint"] {
            link_all(&from.join(part), &to.join(part))?;
        }
        Ok(())
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
        // In the package that has other tests too, those of the suite are named after it, or kill its mutants.
        if self.suite.directory == "." {
            files.push(LIBRARY.to_owned());
            files.retain(|file| file.starts_with(self.suite.name) || self.kills(file));
        }
        files.sort();
        let mut tests = Vec::new();
        for file in files {
            let (listed, text) = self.run_tests(&file, &["--list"])?;
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

    /// Whether a mutant of the suite is to be killed by a test in this file.
    fn kills(&self, file: &str) -> bool {
        let killers = self.suite.mutants.iter().map(|mutant| mutant.killer);
        killers
            .filter_map(Test::parse)
            .any(|killer| killer.file == file)
    }

    /// Runs one test in a process of its own: two in one would wait for each other whenever they map a stack.
    pub(crate) fn run(&self, test: &Test) -> Result<(bool, String), String> {
        let arguments = ["--nocapture", "--exact", &test.name];
        self.run_tests(&test.file, &arguments)
    }

    /// Whether it succeeded, and what it printed.
    fn run_tests(&self, file: &String, arguments: &[&str]) -> Result<(bool, String), String> {
        let mut command = self.cargo_test(slice::from_ref(file));
        let Output {
            status,
            stdout,
            stderr,
        } = output(command.arg("--").args(arguments))?;
        let mut text = String::from_utf8_lossy(&stdout).into_owned();
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&stderr));
        Ok((status.success(), text))
    }

    /// The environment variable that sets the optimization of the packages of the project. What they depend on has its
    /// own setting in the profile, so that it is shared.
    fn opt_level(&self) -> String {
        let profile = self.suite.profile.to_uppercase();
        format!("CARGO_PROFILE_{profile}_OPT_LEVEL")
    }

    fn cargo_test(&self, files: &[String]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(&self.project)
            .env("RUSTFLAGS", self.suite.flags)
            .env("RUST_BACKTRACE", "0")
            .args(["test", "--package", self.suite.package])
            .args(["--profile", self.suite.profile])
            .args(self.suite.arguments)
            .arg("--target-dir")
            .arg(&self.target)
            .args(files.iter().flat_map(|file| target(file)));
        if self.again {
            command
                .env("CARGO_INCREMENTAL", "1")
                // Most of the time goes into building, and a killer does not run long.
                .env(self.opt_level(), "0")
                .env(CHECKING_A_MUTANT, "1");
        }
        command
    }
}

/// The arguments that choose the tests in a file.
fn target(file: &str) -> Vec<&str> {
    match file {
        LIBRARY => vec!["--lib"],
        file => vec!["--test", file],
    }
}

fn output(command: &mut Command) -> Result<Output, String> {
    command
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))
}

/// Gives each file under `from` a second name under `to`: nothing is copied, and all keep their times.
fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            link_all(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    match fs::hard_link(from, to) {
        // Another build goes on, and this was in its way.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}
