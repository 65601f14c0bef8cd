//! Next hops by flow: workers ask a shared table where packets go, while another thread moves flows from a port that is
//! to be drained to another one.
//!
//! `cargo run --release --example next_hop`

#![allow(
    clippy::disallowed_types,
    reason = "a program of a user; the model checker is not involved"
)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use lockfree_cuckoo::{Filter, Fixed, Lanes};

/// Which of 256 ports a flow goes to, 21 bits a flow.
type NextHops = Filter<Fixed<Lanes<3, 13, 8>>>;

const FLOWS: u64 = 1_000_000;
const WORKERS: u64 = 3;
const PORTS: u64 = 8;

/// The port that is drained, and the one that takes its flows.
const DRAINED: u16 = 7;
const SPARE: u16 = 200;

/// Packets that are looked up at once.
const BATCH: usize = 64;

/// The port that a flow begins with.
fn port(flow: u64) -> u16 {
    (flow % PORTS) as u16
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hops = NextHops::try_with_capacity(FLOWS as usize)?;
    for flow in 0..FLOWS {
        hops.insert_value(&flow, port(flow))?;
    }
    println!(
        "{FLOWS} flows in {:.1} MB; an unknown flow has a port with a probability of {:.3} %",
        hops.memory_usage() as f64 / 1e6,
        100.0 * hops.false_positive_rate()
    );

    let drained = AtomicBool::new(false);
    let (to_old, to_new) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (hops, drained, to_old, to_new) = (&hops, &drained, &to_old, &to_new);
            scope.spawn(move || {
                let mut flow = worker;
                let mut ports = [None; BATCH];
                while !drained.load(Ordering::Relaxed) {
                    let flows: [u64; BATCH] = std::array::from_fn(|_| {
                        flow = (flow + WORKERS * 7919) % FLOWS;
                        flow
                    });
                    hops.value_many(&flows, &mut ports);
                    for (flow, port_now) in flows.into_iter().zip(ports) {
                        let port_now = port_now.expect("each flow has a port all the time");
                        match (port(flow), port_now) {
                            (DRAINED, SPARE) => to_new.fetch_add(1, Ordering::Relaxed),
                            (DRAINED, DRAINED) => to_old.fetch_add(1, Ordering::Relaxed),
                            // The port of a flow of the same class, once in some hundred flows.
                            _ => continue,
                        };
                    }
                }
            });
        }
        scope.spawn(|| {
            // In place, one exchange each: no flow is without a port meanwhile.
            for flow in (0..FLOWS).filter(|&flow| port(flow) == DRAINED) {
                hops.replace_value(&flow, DRAINED, SPARE)
                    .expect("a small value");
            }
            drained.store(true, Ordering::Relaxed);
        });
    });
    let left = (0..FLOWS).filter(|flow| hops.values(flow).any(|port| port == DRAINED));
    println!(
        "port {DRAINED} is drained: {} flows left; meanwhile {} packets went to it, and {} to port {SPARE}",
        left.count(),
        to_old.into_inner(),
        to_new.into_inner()
    );
    Ok(())
}
