//! Where clients will connect. They wait until the server is ready.

use std::io;
use std::net::{SocketAddr, TcpListener};

use crate::address::Address;
use crate::args::Args;

#[derive(Debug, thiserror::Error)]
pub(crate) enum BindError {
    #[error("--bind {0}: {1} is not a loopback address, and needs --password-file")]
    NoPassword(Address, SocketAddr),
    #[error(
        "--http {0}: {1} is not a loopback address, and HTTP asks for no password: use a loopback address"
    )]
    OpenHttp(Address, SocketAddr),
    #[error("cannot find the address of {address}: {source}")]
    Unknown { address: Address, source: io::Error },
    #[error("cannot listen on {address}: {source}")]
    Bind { address: Address, source: io::Error },
}

impl BindError {
    /// Whether an option is wrong wherever the server is started.
    pub(crate) fn is_of_options(&self) -> bool {
        matches!(self, Self::NoPassword(..) | Self::OpenHttp(..))
    }
}

#[derive(Debug)]
pub(crate) struct Sockets {
    pub(crate) clients: TcpListener,
    pub(crate) http: Option<TcpListener>,
}

impl Sockets {
    pub(crate) fn bind(args: &Args) -> Result<Self, BindError> {
        let clients = resolve(&args.bind)?;
        if args.password_file.is_none()
            && let Some(open) = open(&clients)
        {
            return Err(BindError::NoPassword(args.bind.clone(), open));
        }
        let http = args.http.as_ref().map(|address| {
            let found = resolve(address)?;
            match open(&found) {
                Some(open) => Err(BindError::OpenHttp(address.clone(), open)),
                None => Ok((address, found)),
            }
        });
        let http = http.transpose()?;
        Ok(Self {
            clients: bind(&args.bind, &clients)?,
            http: http
                .map(|(address, found)| bind(address, &found))
                .transpose()?,
        })
    }
}

fn resolve(address: &Address) -> Result<Vec<SocketAddr>, BindError> {
    address.resolve().map_err(|source| BindError::Unknown {
        address: address.clone(),
        source,
    })
}

/// One that others than this machine may reach.
fn open(addresses: &[SocketAddr]) -> Option<SocketAddr> {
    let mut addresses = addresses.iter();
    addresses
        .find(|address| !address.ip().is_loopback())
        .copied()
}

/// Listens on the first of the addresses of a host that can be had.
fn bind(address: &Address, found: &[SocketAddr]) -> Result<TcpListener, BindError> {
    let listener = TcpListener::bind(found).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listener.map_err(|source| BindError::Bind {
        address: address.clone(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_open_if_one_of_its_addresses_is() {
        let [local, other] = ["127.0.0.1:1", "192.0.2.1:1"].map(|text| text.parse().expect(text));
        assert_eq!(open(&[local]), None);
        assert_eq!(open(&[local, other]), Some(other));
    }
}
