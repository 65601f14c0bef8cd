//! Flows in a window of time: a flow is new if it had no packet for a while. One thread rotates the
//! filter, by a clock; workers never wait.
//!
//! `cargo run --release --example rotating_flows`
#![allow(clippy::disallowed_types)] // the model checker is not involved

use lockfree_cuckoo::{RotatingCuckooFilter, RotationClock};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const WORKERS: u64 = 3;
const PERIOD: Duration = Duration::from_millis(50);

/// The number of flows that have packets at the same time.
const ACTIVE: u64 = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flows = RotatingCuckooFilter::builder()
        .capacity(200_000) // flows of one period
        .generations(3) // a flow without packets is forgotten after two to three periods
        .build()?;
    let start = Instant::now();
    let mut clock = RotationClock::new(PERIOD, start.elapsed());
    let stop = AtomicBool::new(false);
    let counts: Vec<(u64, u64, u64)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (flows, stop) = (&flows, &stop);
                scope.spawn(move || {
                    let (mut packets, mut new, mut refused) = (0, 0, 0);
                    while !stop.load(Ordering::Relaxed) {
                        // Old flows end and new ones begin all the time.
                        let flow = (worker << 40) | (packets / 100 + packets % ACTIVE);
                        packets += 1;
                        match flows.refresh(&flow) {
                            Ok(is_new) => new += u64::from(is_new),
                            Err(_) => refused += 1, // more flows in one period than planned
                        }
                    }
                    (packets, new, refused)
                })
            })
            .collect();
        while flows.rotations() < 20 {
            thread::sleep(clock.until_due(start.elapsed()));
            if let Err(error) = flows.rotate_if_due(&mut clock, || start.elapsed()) {
                println!("tried again at once: {error}");
            }
        }
        stop.store(true, Ordering::Relaxed);
        let workers = workers.into_iter();
        workers
            .map(|worker| worker.join().expect("no panic"))
            .collect()
    });
    for (worker, (packets, new, refused)) in counts.iter().enumerate() {
        println!("worker {worker}: {packets} packets, {new} new flows, {refused} without room");
    }
    println!("{} flows are known", flows.len());
    Ok(())
}
