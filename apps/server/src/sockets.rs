//! The sockets: bound before the server is ready, so that clients wait.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};

use crate::args::Args;

#[derive(Debug, thiserror::Error)]
pub(crate) enum BindError {
    #[error("{0}: not a host and a port, such as localhost:6379, 127.0.0.1:6379 or [::1]:6379")]
    NotAnAddress(String),
    #[error("--bind {0}: {1} is not a loopback address, and needs --password-file")]
    NoPassword(String, SocketAddr),
    #[error(
        "--http {0}: {1} is not a loopback address. It needs --password-file, and then asks for that password; or --http-without-password, and then everyone can read the metrics"
    )]
    OpenHttp(String, SocketAddr),
    #[error("cannot find the address of {0}: {1}")]
    Unknown(String, io::Error),
    #[error("cannot listen on {0}: {1}")]
    Bind(String, io::Error),
}

impl BindError {
    /// Returns whether the options are wrong on any machine.
    pub(crate) fn is_of_options(&self) -> bool {
        !matches!(self, Self::Unknown(..) | Self::Bind(..))
    }
}

#[derive(Debug)]
pub(crate) struct Sockets {
    pub(crate) clients: TcpListener,
    pub(crate) http: Option<Http>,
}

#[derive(Debug)]
pub(crate) struct Http {
    pub(crate) listener: TcpListener,
    /// Whether it asks for the password.
    pub(crate) is_guarded: bool,
}

impl Sockets {
    pub(crate) fn bind(args: &Args) -> Result<Self, BindError> {
        let clients = resolve(&args.bind)?;
        if args.password_file.is_none()
            && let Some(open) = open(&clients)
        {
            return Err(BindError::NoPassword(args.bind.clone(), open));
        }
        let http = args.http.as_ref();
        let http = http.map(|address| bind_http(address, args));
        Ok(Self {
            http: http.transpose()?,
            clients: bind(&args.bind, &clients)?,
        })
    }
}

fn bind_http(address: &str, args: &Args) -> Result<Http, BindError> {
    let found = resolve(address)?;
    let open = open(&found).filter(|_| !args.http_without_password);
    if let Some(open) = open
        && args.password_file.is_none()
    {
        return Err(BindError::OpenHttp(address.to_owned(), open));
    }
    Ok(Http {
        listener: bind(address, &found)?,
        is_guarded: open.is_some(),
    })
}

/// Returns the addresses of a host at this moment.
fn resolve(address: &str) -> Result<Vec<SocketAddr>, BindError> {
    let found = address.to_socket_addrs();
    found.map(Iterator::collect).map_err(|error| {
        let address = address.to_owned();
        match error.kind() {
            io::ErrorKind::InvalidInput => BindError::NotAnAddress(address),
            _ => BindError::Unknown(address, error),
        }
    })
}

/// Returns an address that other machines may reach.
fn open(addresses: &[SocketAddr]) -> Option<SocketAddr> {
    let mut addresses = addresses.iter();
    addresses
        .find(|address| !address.ip().is_loopback())
        .copied()
}

/// Listens on the first available address of a host.
fn bind(address: &str, found: &[SocketAddr]) -> Result<TcpListener, BindError> {
    let listener = TcpListener::bind(found).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listener.map_err(|error| BindError::Bind(address.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_open_if_one_address_is() {
        let [local, other] = ["127.0.0.1:1", "192.0.2.1:1"].map(|text| text.parse().expect(text));
        assert_eq!(open(&[local]), None);
        assert_eq!(open(&[local, other]), Some(other));
    }
}
