//! Tests and mutants: builds and runs the tests of a suite, on the crate or on copies of it with a
//! mutant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::{fs, io, slice};

use crew::CHECKING_A_MUTANT;

use crate::progress::Progress;
use crate::{Mutant, Suite, Tests, root};

/// The name used instead of a file for the unit tests of the library.
const LIBRARY: &str = "lib";

/// The directories that builds and fuzzing make, which are not copied.
const LEFT_OUT: [&str; 3] = ["target", "corpus", "artifacts"];

/// Runs all tests whose name contains one of these, or all if there are none. Returns a summary.
pub fn tests(suite: &Suite, names: &[String], progress: &Progress) -> Result<String, String> {
    let build = Build::of_the_crate(suite)?;
    progress.doing("builds the tests");
    let tests = build.list(names, progress)?;
    let (done, failed) = (AtomicU64::new(0), AtomicUsize::new(0));
    let begun = AtomicUsize::new(0);
    crew::share(&tests, drop, |(), test| {
        let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
        progress.doing(&format!("test {number} of {}: {test}", tests.len()));
        let (passed, text) = build.run(test)?;
        progress.log(&text);
        let shares = text.lines();
        let shares = shares.filter_map(|line| leading_number(line, &build.tests.unit));
        done.fetch_add(shares.sum(), Ordering::Relaxed);
        if !passed {
            progress.say(&format!("FAILED   {test}\n{text}"));
            failed.fetch_add(1, Ordering::Relaxed);
        }
        Ok::<_, String>(())
    })?;
    let (done, failed) = (done.into_inner(), failed.into_inner());
    let share = match &*build.tests.unit {
        "" => String::new(),
        unit => format!(", {done} {unit}"),
    };
    match (tests.len() - failed, failed) {
        (_, 1..) => Err(format!("{failed} tests failed")),
        (0, 0) => Err("no tests have this name".into()),
        (passed, 0) => Ok(format!("{passed} tests passed{share}")),
    }
}

/// Applies each mutant whose name contains one of these, or all if there are none, to a copy of the
/// crate, and checks that its test fails. Returns a summary.
pub fn mutants(suite: &Suite, names: &[String], progress: &Progress) -> Result<String, String> {
    let mut mutants = crate::mutants()?;
    mutants.retain(|mutant| {
        mutant.killers.contains_key(&suite.name) && is_wanted(&mutant.name, names)
    });
    if mutants.is_empty() {
        return Err("no mutant has this name".into());
    }
    let build = Build::of_the_crate(suite)?;
    progress.doing("builds the tests");
    build.prepare(&killing_files(suite, &mutants), progress)?;
    let survivors = Mutex::new(Vec::new());
    let begun = AtomicUsize::new(0);
    crew::share(
        &mutants,
        |worker| worker,
        |&mut worker, mutant| {
            let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
            progress.doing(&format!(
                "mutant {number} of {}: {}",
                mutants.len(),
                mutant.name.trim()
            ));
            let copy = Build::of_a_copy(suite, worker)?;
            copy.share(&build)
                .map_err(|error| format!("cannot share what is built: {error}"))?;
            let (dies, text) = dies(&copy, mutant, progress)?;
            progress.log(&text);
            let word = if dies { "killed  " } else { "SURVIVED" };
            progress.say(&format!("{word} {}", mutant.name.trim()));
            if !dies {
                let mut survivors = survivors.lock().map_err(|error| error.to_string())?;
                survivors.push(mutant.name.clone());
            }
            Ok::<_, String>(())
        },
    )?;
    let survivors = survivors.into_inner().map_err(|error| error.to_string())?;
    match survivors.as_slice() {
        [] => Ok(format!("{} mutants killed", mutants.len())),
        _ => Err(format!("survivors: {}", survivors.join(", "))),
    }
}

/// Whether a name contains one of these, or there are none.
fn is_wanted(name: &str, names: &[String]) -> bool {
    names.is_empty() || names.iter().any(|wanted| name.contains(wanted))
}

/// Whether the killer of a mutant fails with the expected message.
fn dies(build: &Build<'_>, mutant: &Mutant, progress: &Progress) -> Result<(bool, String), String> {
    refresh(&root(), &build.project)
        .map_err(|error| format!("cannot copy the project: {error}"))?;
    mutant.apply(&build.project)?;
    let name = &mutant.name;
    let killer = mutant.killers.get(&build.suite.name);
    let (test, message) = killer.ok_or_else(|| format!("mutant {name}: no killer"))?;
    let (passed, text) = build.run(test)?;
    if !text.contains("running 1 test") {
        progress.log(&text);
        return Err(format!(
            "mutant {name}: did not build, or {test} is no test"
        ));
    }
    // Not "test result: FAILED": a failing test may abort the process, if it fails again while it
    // unwinds.
    Ok((!passed && text.contains(message), text))
}

/// Returns the files of the killers.
fn killing_files(suite: &Suite, mutants: &[Mutant]) -> BTreeSet<String> {
    let killers = mutants
        .iter()
        .filter_map(|mutant| mutant.killers.get(&suite.name));
    let file_of = |(test, _): &(String, String)| test.split("::").next().map(str::to_owned);
    killers.filter_map(file_of).collect()
}

/// Returns the number in " 123 schedules: of what", if the unit is "schedules".
fn leading_number(line: &str, unit: &str) -> Option<u64> {
    if unit.is_empty() {
        return None;
    }
    let (number, _) = line.split_once(&format!(" {unit}: "))?;
    // The harness may have printed its own text before it.
    number.rsplit(' ').next()?.parse().ok()
}

fn tests_of(suite: &Suite) -> Result<&Tests, String> {
    let tests = suite.tests.as_ref();
    tests.ok_or_else(|| format!("{} has no mutants: it is a program", suite.name))
}

/// The project or a copy of it, and its build directory.
struct Build<'a> {
    suite: &'a Suite,
    tests: &'a Tests,
    project: PathBuf,
    target: PathBuf,
    /// Whether it is built repeatedly, with small changes.
    again: bool,
}

impl<'a> Build<'a> {
    /// Makes the build of the crate. Without flags, it is the build of `cargo test`.
    fn of_the_crate(suite: &'a Suite) -> Result<Self, String> {
        let tests = tests_of(suite)?;
        let project = root();
        let mut target = project.join("target");
        if !tests.flags.is_empty() {
            target.push(&suite.name);
        }
        Ok(Self {
            suite,
            tests,
            project,
            target,
            again: false,
        })
    }

    /// Makes the build of a copy. Each worker has one.
    fn of_a_copy(suite: &'a Suite, worker: usize) -> Result<Self, String> {
        let name = format!("{}-mutants", suite.name);
        let place = root().join("target").join(name).join(worker.to_string());
        Ok(Self {
            suite,
            tests: tests_of(suite)?,
            project: place.join("project"),
            target: place.join("build"),
            again: true,
        })
    }

    /// Builds everything that the tests in these files need.
    fn prepare(&self, files: &BTreeSet<String>, progress: &Progress) -> Result<(), String> {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let Output { status, stderr, .. } = output(self.cargo_test(&files).arg("--no-run"))?;
        if status.success() {
            return Ok(());
        }
        progress.log(&String::from_utf8_lossy(&stderr));
        Err(format!("cannot build {}", files.join(", ")))
    }

    /// Takes over the built dependencies of another build, unless there are some already. The
    /// project's own packages cannot be shared, because their paths differ.
    fn share(&self, other: &Self) -> io::Result<()> {
        // Cargo builds the profile `test` beside `dev`.
        let profile = match &*self.tests.profile {
            "test" => "debug",
            other => other,
        };
        let (from, to) = (other.target.join(profile), self.target.join(profile));
        if to.exists() {
            return Ok(());
        }
        ["build", "deps", ".fingerprint"]
            .iter()
            .try_for_each(|part| link_all(&from.join(part), &to.join(part)))
    }

    /// Returns the tests of the package, as `file::test`, whose name contains one of these.
    fn list(&self, names: &[String], progress: &Progress) -> Result<Vec<String>, String> {
        let directory = self.project.join(&self.tests.directory).join("tests");
        let unreadable = |error| format!("{}: {error}", directory.display());
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(&directory).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            files.extend(
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
        // The root package has other tests too. Those of the suite are in files named after it, or
        // kill its mutants.
        if self.tests.directory == "." {
            let killing = killing_files(self.suite, &crate::mutants()?);
            files.retain(|file| file.starts_with(&self.suite.name));
            files.extend(killing);
        }
        let mut tests = Vec::new();
        for file in files {
            let (listed, text) = self.run_tests(&file, &["--list"])?;
            if !listed {
                progress.log(&text);
                return Err(format!("cannot list the tests in {file}"));
            }
            let listed = text.lines().filter_map(|line| line.strip_suffix(": test"));
            tests.extend(listed.map(|name| format!("{file}::{name}")));
        }
        tests.retain(|test| is_wanted(test, names));
        Ok(tests)
    }

    /// Runs one test in a process of its own: two in one would wait for each other whenever they
    /// map a stack. Returns whether it succeeded, and its output.
    fn run(&self, test: &String) -> Result<(bool, String), String> {
        let path = test.split_once("::");
        let (file, name) = path.ok_or_else(|| format!("{test} is no file::test"))?;
        self.run_tests(file, &["--nocapture", "--exact", name])
    }

    fn run_tests(&self, file: &str, arguments: &[&str]) -> Result<(bool, String), String> {
        let mut command = self.cargo_test(slice::from_ref(&file));
        let output = output(command.arg("--").args(arguments))?;
        let printed = [output.stdout, output.stderr];
        let printed = printed.map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok((output.status.success(), printed.join("\n")))
    }

    fn cargo_test(&self, files: &[&str]) -> Command {
        let tests = self.tests;
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(&self.project)
            .env("RUSTFLAGS", &tests.flags)
            .env("RUST_BACKTRACE", "0")
            .arg("test")
            .args(
                tests
                    .package
                    .split(' ')
                    .flat_map(|package| ["--package", package]),
            )
            .args(["--profile", &tests.profile])
            .args(&tests.arguments)
            .arg("--target-dir")
            .arg(&self.target);
        for &file in files {
            match file {
                LIBRARY => command.arg("--lib"),
                file => command.args(["--test", file]),
            };
        }
        if self.again {
            // Building takes most of the time, and a killer does not run long. Optimize a little:
            // else a snapshot overflows the stack that loom gives to a thread. The dependencies of
            // the project have their own setting in the profile, so that they are shared.
            let opt_level = format!("CARGO_PROFILE_{}_OPT_LEVEL", tests.profile.to_uppercase());
            command
                .env("CARGO_INCREMENTAL", "1")
                .env(opt_level, "1")
                .env(CHECKING_A_MUTANT, "1");
        }
        command
    }
}

fn output(command: &mut Command) -> Result<Output, String> {
    command
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))
}

/// Makes a copy equal to the project. It writes only files that differ, so that little is built
/// again, and removes the others, because Cargo would build a left-over module or test.
fn refresh(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        let content = fs::read(from)?;
        if fs::read(to).ok().as_ref() != Some(&content) {
            fs::write(to, content)?;
        }
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        let hidden = name.as_encoded_bytes().starts_with(b".");
        if !hidden && LEFT_OUT.iter().all(|&left_out| name != left_out) {
            refresh(&from.join(&name), &to.join(&name))?;
        }
    }
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        if from.join(entry.file_name()).exists() {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Links each file under `from` to a second name under `to`: nothing is copied, and all keep their
/// times.
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
        // Another build removed this file meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}
