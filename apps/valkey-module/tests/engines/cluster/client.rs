//! A client of the cluster: follows the slots, and asks other nodes when one is gone.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::PATIENCE;
use crate::wire::request;

pub(super) struct ClusterClient {
    start: Vec<SocketAddr>,
    nodes: HashMap<SocketAddr, BufReader<TcpStream>>,
    /// The last known node of each key.
    places: HashMap<String, SocketAddr>,
    /// Whether a node was lost since the last wait for replicas.
    has_lost: bool,
}

impl ClusterClient {
    pub(super) fn new(start: SocketAddr) -> Self {
        Self {
            start: vec![start],
            nodes: HashMap::new(),
            places: HashMap::new(),
            has_lost: false,
        }
    }

    /// Returns the reply of the node that has the key: one line. If a node is gone, repeats the
    /// command elsewhere.
    pub(super) fn ask(&mut self, key: &str, words: &[&str]) -> String {
        let begin = Instant::now();
        let mut asking = None;
        loop {
            assert!(begin.elapsed() < PATIENCE, "no reply for {key}");
            let address = asking.unwrap_or_else(|| *self.places.get(key).unwrap_or(&self.start[0]));
            let reply = self.send(address, asking.is_some(), words);
            asking = None;
            let Ok(reply) = reply else {
                self.has_lost |= self.nodes.remove(&address).is_some();
                self.places.remove(key);
                thread::sleep(Duration::from_millis(20));
                continue;
            };
            let mut parts = reply.split_whitespace();
            match (
                parts.next(),
                parts.nth(1).and_then(|address| address.parse().ok()),
            ) {
                (Some("-MOVED"), Some(address)) => {
                    self.places.insert(key.to_owned(), address);
                }
                (Some("-ASK"), Some(address)) => asking = Some(address),
                (Some("-CLUSTERDOWN" | "-TRYAGAIN" | "-LOADING" | "-READONLY"), _) => {
                    self.places.remove(key);
                    thread::sleep(Duration::from_millis(20));
                }
                _ => return reply,
            }
        }
    }

    /// Returns whether a replica of each node that it writes to has all that this client wrote.
    pub(super) fn wait_for_replicas(&mut self) -> bool {
        let nodes: Vec<_> = self.nodes.keys().copied().collect();
        let mut all = !std::mem::take(&mut self.has_lost);
        for address in nodes {
            // A node that is no primary has nothing to wait for.
            match self.send(address, false, &["WAIT", "1", "1000"]) {
                Ok(reply) => all &= reply != ":0\r\n",
                Err(_) => {
                    self.nodes.remove(&address);
                    all = false;
                }
            }
        }
        all
    }

    fn send(&mut self, address: SocketAddr, asking: bool, words: &[&str]) -> io::Result<String> {
        let node = match self.nodes.entry(address) {
            std::collections::hash_map::Entry::Occupied(node) => node.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                let stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(Duration::from_secs(5)))?;
                place.insert(BufReader::new(stream))
            }
        };
        if asking {
            node.get_mut().write_all(&request(&["ASKING"]))?;
            line(node)?;
        }
        node.get_mut().write_all(&request(words))?;
        line(node)
    }
}

fn line(node: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    if node.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line)
}
