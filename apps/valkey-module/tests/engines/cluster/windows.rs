//! Windows in the cluster: clients that add items and look them up, through all changes of the
//! nodes.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::Progress;
use super::client::ClusterClient;
use crate::history::Random;
use crate::wait::wait;

/// Periods of two seconds each, the last of them as long as a rotation may take.
const OPTIONS: &str = "10000 WINDOW 6 GENERATIONS 4";
const WINDOW: Duration = Duration::from_secs(6);

const KEYS: usize = 6;

/// An added item that a replica has for sure.
#[derive(Clone, Debug)]
pub(super) struct Added {
    key: String,
    item: String,
    /// The time before it was sent for the last time.
    when: Instant,
}

pub(super) fn keys() -> impl Iterator<Item = String> {
    (0..KEYS).map(|number| format!("kw{number}"))
}

pub(super) fn reserve(start: SocketAddr) {
    let mut client = ClusterClient::new(start);
    for key in keys() {
        let words = ["CF.RESERVE", &key].into_iter().chain(OPTIONS.split(' '));
        let reply = client.ask(&key, &words.collect::<Vec<_>>());
        assert_eq!(reply, "+OK\r\n", "{key}");
    }
}

/// Adds items of its own until it is told to end. Meanwhile checks that items which a replica has
/// are known for their time. Returns the items, and the number of checks.
pub(super) fn write(start: SocketAddr, number: usize, progress: &Progress) -> (Vec<Added>, usize) {
    let mut client = ClusterClient::new(start);
    let mut random = Random::new(number as u64 + 177);
    let (mut safe, mut young): (Vec<Added>, Vec<Added>) = (Vec::new(), Vec::new());
    let (mut count, mut looked) = (0, 0);
    while !progress.end.load(Ordering::Relaxed) {
        let key = format!("kw{}", random.below(KEYS));
        let item = format!("{number}-{count}");
        count += 1;
        let when = Instant::now();
        if client.ask(&key, &["CF.ADDNX", &key, &item]) == ":1\r\n" {
            young.push(Added { key, item, when });
        }
        // The latest items are in their time.
        if let Some(latest) = safe.len().checked_sub(1) {
            let added = &safe[latest - random.below(safe.len().min(1_000))];
            looked += usize::from(is_known(&mut client, added));
        }
        if count % 50 == 0 {
            thread::sleep(Duration::from_millis(30));
            if client.wait_for_replicas() {
                safe.append(&mut young);
            }
            young.clear();
            progress.waits.fetch_add(1, Ordering::Relaxed);
        }
    }
    (safe, looked)
}

/// Checks that an item is known, unless it may be forgotten by now. Returns whether it may not.
fn is_known(client: &mut ClusterClient, added: &Added) -> bool {
    let Added { key, item, when } = added;
    let reply = client.ask(key, &["CF.EXISTS", key, item]);
    let is_in_time = when.elapsed() < WINDOW;
    if is_in_time {
        assert_eq!(
            reply,
            ":1\r\n",
            "{key} misses {item}, of {:?} ago",
            when.elapsed()
        );
    }
    is_in_time
}

/// Waits until all of them are forgotten.
pub(super) fn all_are_forgotten(start: SocketAddr, all: &[Added]) {
    let mut client = ClusterClient::new(start);
    for Added { key, item, .. } in all {
        wait("the end of a window", || {
            let reply = client.ask(key, &["CF.EXISTS", key, item]);
            (reply == ":0\r\n").then_some(())
        });
    }
}
