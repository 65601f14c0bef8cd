//! Next hops by flow: workers look up the port of each packet in a shared table, while another
//! thread drains a port by moving its flows to another one.
//!
//! `cargo run --release --example next_hop`
#![allow(clippy::disallowed_types)] // the model checker is not involved

use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The table: maps a flow to one of 256 ports, in 21 bits a flow.
type NextHops = Filter<Fixed<Lanes<3, 13, 8>>>;

const FLOWS: u64 = 1_000_000;
const PORTS: u64 = 8;

/// The drained port, and the port that takes its flows.
const DRAINED: u16 = 7;
const SPARE: u16 = 200;

/// Returns the port that a flow begins with.
fn port(flow: u64) -> u16 {
    (flow % PORTS) as u16
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hops = NextHops::with_capacity(FLOWS as usize);
    (0..FLOWS).try_for_each(|flow| hops.insert_value(&flow, port(flow)))?;
    println!(
        "{FLOWS} flows in {:.1} MB",
        hops.memory_usage() as f64 / 1e6
    );

    let drained = AtomicBool::new(false);
    let worker = |first: u64| {
        let mut ports = [None; 64];
        for batch in (first..).step_by(2) {
            let flows: [u64; 64] = std::array::from_fn(|at| (batch * 64 + at as u64) % FLOWS);
            hops.value_many(&flows, &mut ports);
            // Each flow has a port at any time.
            assert!(ports.iter().all(Option::is_some));
            if drained.load(Ordering::Relaxed) {
                break;
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| worker(0));
        scope.spawn(|| worker(1));
        for flow in (0..FLOWS).filter(|&flow| port(flow) == DRAINED) {
            let moved = hops.replace_value(&flow, DRAINED, SPARE); // in place, by one exchange
            moved.expect("a small value");
        }
        drained.store(true, Ordering::Relaxed);
    });
    let left = (0..FLOWS).filter(|flow| hops.values(flow).any(|port| port == DRAINED));
    println!("{} flows are left at port {DRAINED}", left.count());
    Ok(())
}
