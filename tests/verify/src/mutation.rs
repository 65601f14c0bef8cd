//! Builds and runs the tests of a suite, on the crate as it is or on copies of it that are mutants.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::{fs, io, slice, thread};

use crew::CHECKING_A_MUTANT;

use crate::{Mutant, Suite, root};

/// What stands for a file if the tests are those of the library itself, among its sources.
const LIBRARY: &str = "lib";

/// What a build makes, and what fuzzing finds: no copy has it.
const LEFT_OUT: [&str; 3] = ["target", "corpus", "artifacts"];

/// Runs all tests whose name contains `name`.
pub fn tests(suite: &Suite, name: &str) -> Result<(), String> {
    let build = Build::of_the_crate(suite);
    let tests = build.list(name)?;
    let (done, failed) = (AtomicU64::new(0), AtomicUsize::new(0));
    work(&tests, |_, test| {
        let (passed, text) = build.run(test)?;
        for line in text.lines() {
            if let Some(number) = leading_number(line, &suite.unit) {
                done.fetch_add(number, Ordering::Relaxed);
                println!("{line}");
            }
        }
        if !passed {
            eprintln!("{text}");
            failed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })?;
    let (done, failed) = (done.into_inner(), failed.into_inner());
    let passed = tests.len() - failed;
    let share = match &*suite.unit {
        "" => String::new(),
        unit => format!(", {done} {unit}"),
    };
    println!("{}: {passed} tests passed{share}", suite.name);
    match (passed, failed) {
        (_, 1..) => Err(format!("{failed} tests failed")),
        (0, 0) => Err("no tests have this name".into()),
        _ => Ok(()),
    }
}

/// Applies each mutant whose name contains `name` to a copy of the crate, and demands that its test fails.
pub fn mutants(suite: &Suite, name: &str) -> Result<(), String> {
    let mut mutants = crate::mutants()?;
    mutants.retain(|mutant| mutant.name.contains(name) && mutant.killers.contains_key(&suite.name));
    if mutants.is_empty() {
        return Err("no mutant has this name".into());
    }
    let build = Build::of_the_crate(suite);
    build.prepare(&killing_files(suite, &mutants))?;
    let survivors = Mutex::new(Vec::new());
    work(&mutants, |worker, mutant| {
        let copy = Build::of_a_copy(suite, worker);
        copy.share(&build)
            .map_err(|error| format!("cannot share what is built: {error}"))?;
        let (dies, text) = dies(&copy, mutant)?;
        let word = if dies { "killed  " } else { "SURVIVED" };
        println!("{word} {}", mutant.name);
        if !dies {
            eprintln!("{text}");
            let mut survivors = survivors.lock().map_err(|error| error.to_string())?;
            survivors.push(mutant.name.clone());
        }
        Ok(())
    })?;
    let survivors = survivors.into_inner().map_err(|error| error.to_string())?;
    println!(
        "{}: {} mutants killed, {} survived",
        suite.name,
        mutants.len() - survivors.len(),
        survivors.len()
    );
    match survivors.as_slice() {
        [] => Ok(()),
        _ => Err(format!("survivors: {}", survivors.join(", "))),
    }
}

/// Whether the test that is to kill the mutant fails, and for the reason that is expected.
fn dies(build: &Build<'_>, mutant: &Mutant) -> Result<(bool, String), String> {
    refresh(&root(), &build.project)
        .map_err(|error| format!("cannot copy the project: {error}"))?;
    mutant.apply(&build.project)?;
    let name = &mutant.name;
    let killer = mutant.killers.get(&build.suite.name);
    let (test, message) = killer.ok_or_else(|| format!("mutant {name}: no killer"))?;
    let (passed, text) = build.run(test)?;
    if !text.contains("running 1 test") {
        eprintln!("{text}");
        return Err(format!(
            "mutant {name}: did not build, or {test} is no test"
        ));
    }
    // Not "test result: FAILED": a test that fails may abort the process, if more fails while it unwinds.
    Ok((!passed && text.contains(message), text))
}

/// The files that the killers are in.
fn killing_files(suite: &Suite, mutants: &[Mutant]) -> BTreeSet<String> {
    let killers = mutants
        .iter()
        .filter_map(|mutant| mutant.killers.get(&suite.name));
    let file_of = |(test, _): &(String, String)| test.split("::").next().map(str::to_owned);
    killers.filter_map(file_of).collect()
}

/// The number in "  123 schedules: of what", if the unit is that.
fn leading_number(line: &str, unit: &str) -> Option<u64> {
    if unit.is_empty() {
        return None;
    }
    let (number, _) = line.split_once(&format!(" {unit}: "))?;
    // The harness may have put its own text before it.
    number.rsplit(' ').next()?.parse().ok()
}

/// Does the jobs with as many workers as there are processors, each by the worker of some number, in about their order.
/// The first error ends it, once the jobs that are under way are done.
fn work<J: Sync>(
    jobs: &[J],
    does: impl Fn(usize, &J) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let worker = |number| {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            does(number, job).inspect_err(|_| next.store(jobs.len(), Ordering::Relaxed))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers =
            (0..workers.min(jobs.len())).map(|number| scope.spawn(move || worker(number)));
        let workers: Vec<_> = workers.collect();
        let mut outcomes = workers.into_iter().map(|worker| worker.join());
        outcomes.try_for_each(|outcome| outcome.unwrap_or(Err("a panic".into())))
    })
}

/// The project or a copy of it, and where it is built.
struct Build<'a> {
    suite: &'a Suite,
    project: PathBuf,
    target: PathBuf,
    /// Whether it is built again and again, with little changed.
    again: bool,
}

impl<'a> Build<'a> {
    /// Without flags, it is the build of `cargo test`.
    fn of_the_crate(suite: &'a Suite) -> Self {
        let project = root();
        let mut target = project.join("target");
        if !suite.flags.is_empty() {
            target.push(&suite.name);
        }
        Self {
            suite,
            project,
            target,
            again: false,
        }
    }

    /// Each worker has a copy.
    fn of_a_copy(suite: &'a Suite, worker: usize) -> Self {
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
    fn prepare(&self, files: &BTreeSet<String>) -> Result<(), String> {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let Output { status, stderr, .. } = output(self.cargo_test(&files).arg("--no-run"))?;
        if status.success() {
            return Ok(());
        }
        eprintln!("{}", String::from_utf8_lossy(&stderr));
        Err(format!("cannot build {}", files.join(", ")))
    }

    /// Takes over the dependencies that another build has, unless there are some already. Of the packages of the
    /// project itself nothing fits, since their paths differ.
    fn share(&self, other: &Self) -> io::Result<()> {
        // Cargo builds the profile `test` beside `dev`.
        let profile = match &*self.suite.profile {
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

    /// The tests, as `file::test`, in all files of the package whose name contains `name`.
    fn list(&self, name: &str) -> Result<Vec<String>, String> {
        let directory = self.project.join(&self.suite.directory).join("tests");
        let unreadable = |error| format!("{}: {error}", directory.display());
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(&directory).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            files.extend(
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
        // In the package that has other tests too, those of the suite are named after it, or kill its mutants.
        if self.suite.directory == "." {
            let killing = killing_files(self.suite, &crate::mutants()?);
            files.retain(|file| file.starts_with(&self.suite.name));
            files.extend(killing);
        }
        let mut tests = Vec::new();
        for file in files {
            let (listed, text) = self.run_tests(&file, &["--list"])?;
            if !listed {
                eprintln!("{text}");
                return Err(format!("cannot list the tests in {file}"));
            }
            let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
            tests.extend(names.map(|name| format!("{file}::{name}")));
        }
        tests.retain(|test| test.contains(name));
        Ok(tests)
    }

    /// Runs one test in a process of its own: two in one would wait for each other whenever they map a stack. Returns
    /// whether it succeeded, and what it printed.
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
        let suite = self.suite;
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(&self.project)
            .env("RUSTFLAGS", &suite.flags)
            .env("RUST_BACKTRACE", "0")
            .args(["test", "--package", &suite.package])
            .args(["--profile", &suite.profile])
            .args(&suite.arguments)
            .arg("--target-dir")
            .arg(&self.target);
        for &file in files {
            match file {
                LIBRARY => command.arg("--lib"),
                file => command.args(["--test", file]),
            };
        }
        if self.again {
            // Most of the time goes into building, and a killer does not run long. What the packages of the project
            // depend on has its own setting in the profile, so that it is shared.
            let opt_level = format!("CARGO_PROFILE_{}_OPT_LEVEL", suite.profile.to_uppercase());
            command
                .env("CARGO_INCREMENTAL", "1")
                .env(opt_level, "0")
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

/// Makes a copy equal to the project. Only what differs is written, so that little is built again; and what is gone
/// goes, because a file that is left would be a module, or a test, that the project has no more.
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
