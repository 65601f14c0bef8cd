//! Installs programs and packages that the tests use, if the environment allows it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::download::{self, may_install, runs, skipped};

/// The packages from PyPI: the client, and the reference parser of metrics.
const FROM_PYPI: [&str; 2] = ["prometheus_client==0.26.0", "redis==8.1.0"];

/// The packages from npm.
const FROM_NPM: [&str; 2] = ["ioredis@6.0.0", "redis@6.3.1"];

/// Held during an installation: one at a time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Returns whether redis-cli and redis-benchmark are there. Installs Debian's redis-tools if
/// necessary.
pub(crate) fn has_redis_tools() -> bool {
    download::has_package("redis-tools", "redis-cli and redis-benchmark", || {
        runs(Command::new("redis-benchmark").arg("--version"))
    })
}

/// Returns whether programs are there. Installs them if necessary.
fn has(what: &str, is_there: impl Fn() -> bool, install: impl Fn() -> bool) -> bool {
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    if is_there() {
        return true;
    }
    if !may_install(what) {
        return false;
    }
    let has = install() && is_there();
    if !has {
        skipped(what, "not there, and not installed");
    }
    has
}

/// Returns a Python with redis-py and prometheus_client, in an environment of its own.
pub(crate) fn python() -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let python = directory.join("bin/python");
    let pinned = format!(
        "import importlib.metadata as m, sys; sys.exit(any(m.version(p.split('==')[0]) != p.split('==')[1] for p in {FROM_PYPI:?}))"
    );
    let is_there = || runs(Command::new(&python).args(["-c", &pinned]));
    let install = || {
        let mut environment = Command::new("python3");
        environment.args(["-m", "venv", "--clear"]).arg(&directory);
        let packages = ["-m", "pip", "install", "--quiet"];
        runs(&mut environment) && runs(Command::new(&python).args(packages).args(FROM_PYPI))
    };
    has(&FROM_PYPI.join(" and "), is_there, install).then_some(python)
}

/// Returns a directory with ioredis and node-redis, for scripts that `node` runs.
pub(crate) fn node_modules() -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("node");
    let modules = directory.join("node_modules");
    let is_pinned = |pinned: &str| -> Option<bool> {
        let (name, version) = pinned.split_once('@')?;
        let text = fs::read(modules.join(name).join("package.json")).ok()?;
        let about: serde_json::Value = serde_json::from_slice(&text).ok()?;
        Some(about["version"] == version)
    };
    let is_there = || {
        let mut packages = FROM_NPM.iter();
        runs(Command::new("node").arg("--version"))
            && packages.all(|package| is_pinned(package) == Some(true))
    };
    let install = || {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
        fs::create_dir_all(&directory).is_ok() && runs(npm.arg(&directory).args(FROM_NPM))
    };
    has(&FROM_NPM.join(" and "), is_there, install).then_some(modules)
}

pub(crate) fn output(program: impl AsRef<OsStr>, arguments: &[&str]) -> String {
    let run = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let run = run.expect("it runs");
    let [said, wrong] =
        [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(run.status.success(), "{arguments:?}: {said}{wrong}");
    said
}
