//! Addresses as options give them: a name or a number, and a port.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Without the brackets of an IPv6 address.
    host: String,
    port: u16,
}

impl Address {
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The addresses of the host, at this moment.
    pub(crate) fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        let found: Vec<_> = (self.host.as_str(), self.port).to_socket_addrs()?.collect();
        if found.is_empty() {
            return Err(io::Error::other("the host has no address"));
        }
        Ok(found)
    }
}

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = "not a host and a port, such as localhost:6379, 127.0.0.1:6379 or [::1]:6379";
        let (host, port) = text.rsplit_once(':').ok_or(form)?;
        let bracketed = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = match bracketed {
            Some(host) => host,
            None if host.contains([':', '[', ']']) => return Err(form),
            None => host,
        };
        if host.is_empty() || host.contains(char::is_whitespace) {
            return Err(form);
        }
        Ok(Self {
            host: host.to_owned(),
            port: port
                .parse()
                .map_err(|_| "the port is not a number from 0 to 65535")?,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') {
            write!(out, "[{host}]:{port}")
        } else {
            write!(out, "{host}:{port}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_read_as_they_are_shown() {
        for text in [
            "localhost:6379",
            "127.0.0.1:0",
            "[::1]:1",
            "db-1.example:65535",
        ] {
            let address: Address = text.parse().expect(text);
            assert_eq!(address.to_string(), text);
        }
        for text in [
            "", "nonsense", ":1", "::1:1", "[::1]", "[]:1", "a b:1", "a:65536", "a:",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
        let local: Address = "localhost:7".parse().expect("an address");
        let found = local.resolve().expect("an address");
        assert!(
            found
                .iter()
                .all(|found| found.ip().is_loopback() && found.port() == 7)
        );
    }
}
