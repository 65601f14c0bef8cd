//! Programs and packages of others that the tests use. What is missing is fetched only where that is allowed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::download::{self, may_install, runs, skipped};

/// What is installed from PyPI: the client, and the parser of metrics that those who define the format keep.
const FROM_PYPI: [&str; 2] = ["prometheus_client==0.26.0", "redis==8.1.0"];

/// What is installed from npm.
const FROM_NPM: [&str; 2] = ["ioredis@6.0.0", "redis@6.3.1"];

/// One installation at a time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// redis-cli and redis-benchmark, from Debian's redis-tools where they are not there yet.
pub(crate) fn has_redis_tools() -> bool {
    download::has_redis_tools("redis-cli and redis-benchmark", || {
        runs(Command::new("redis-benchmark").arg("--version"))
    })
}

/// A Python with redis-py and prometheus_client, in an environment of its own.
pub(crate) fn python() -> Option<PathBuf> {
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let python = directory.join("bin/python");
    let pinned = format!(
        "import importlib.metadata as m, sys; sys.exit(any(m.version(p.split('==')[0]) != p.split('==')[1] for p in {FROM_PYPI:?}))"
    );
    let there = || runs(Command::new(&python).args(["-c", &pinned]));
    if there() {
        return Some(python);
    }
    let what = FROM_PYPI.join(" and ");
    if !may_install(&what) {
        return None;
    }
    let make = [
        OsStr::new("-m"),
        "venv".as_ref(),
        "--clear".as_ref(),
        directory.as_os_str(),
    ];
    let install = ["-m", "pip", "install", "--quiet"];
    let made = runs(Command::new("python3").args(make))
        && runs(Command::new(&python).args(install).args(FROM_PYPI));
    if !made || !there() {
        let why = "python3 with venv is not there, or pip did not install it";
        skipped(&what, why);
        return None;
    }
    Some(python)
}

/// A directory with ioredis and node-redis, for scripts that are run by `node`.
pub(crate) fn node_modules() -> Option<PathBuf> {
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("node");
    let modules = directory.join("node_modules");
    let version = |package: &str| -> Option<String> {
        let text = fs::read(modules.join(package).join("package.json")).ok()?;
        let about: serde_json::Value = serde_json::from_slice(&text).ok()?;
        Some(format!("{package}@{}", about["version"].as_str()?))
    };
    let is_there = |pinned: &&str| {
        let name = pinned.split('@').next().unwrap_or_default();
        version(name).as_deref() == Some(*pinned)
    };
    let there = || runs(Command::new("node").arg("--version")) && FROM_NPM.iter().all(is_there);
    if there() {
        return Some(modules);
    }
    let what = FROM_NPM.join(" and ");
    if !may_install(&what) {
        return None;
    }
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
    let made = fs::create_dir_all(&directory).is_ok()
        && runs(
            Command::new("npm")
                .args(install)
                .arg(&directory)
                .args(FROM_NPM),
        );
    if !made || !there() {
        skipped(&what, "node is not there, or npm did not install it");
        return None;
    }
    Some(modules)
}

pub(crate) fn output(program: impl AsRef<OsStr>, arguments: &[&str]) -> String {
    let run = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let Output {
        status,
        stdout,
        stderr,
    } = run.expect("it runs");
    let stdout = String::from_utf8_lossy(&stdout);
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{arguments:?}: {stdout}{stderr}");
    stdout.into_owned()
}
