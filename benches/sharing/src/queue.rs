//! The wait for a single line: a line passes from one processor to one other at a time, so the
//! passes of one line wait for each other, and all lines together do not say how long.
//!
//! What is measured, on the machine named in [`MACHINE`], and by that the model is set:
//!
//! * [`PASS`], the time of a pass of a line that passes all the time;
//! * [`OPERATION`], the time of an operation of the mixed work besides.
//!
//! The rest is computed from passes that the simulation counts. Between more processors, or those
//! of several sockets, a pass takes longer.

/// The measured machine.
pub const MACHINE: &str = "Intel Xeon (Emerald Rapids), 16 cores of one socket, 2 MiB of L2 each";

/// Nanoseconds until a line has passed.
pub const PASS: f64 = 170.0;

/// Nanoseconds of an operation of the mixed work at 95 % load without a wait for a stripe, if as
/// many threads run as there are cores: without bumps, 16 threads do 246 million in a second.
pub const OPERATION: f64 = 16.0 / 0.246;

/// The millions of operations in a second that threads could do without a wait for a line.
#[must_use]
pub fn wanted(threads: usize) -> f64 {
    1e3 * threads as f64 / OPERATION
}

/// The millions of operations in a second, if a line passes so often for an operation.
#[must_use]
pub fn throughput(threads: usize, busiest: f64) -> f64 {
    wanted(threads).min(1e3 / (busiest * PASS))
}

/// The part of the time for which the busiest line is under way, if threads do what they could.
/// From 1 on they wait.
#[must_use]
pub fn occupancy(threads: usize, busiest: f64) -> f64 {
    wanted(threads) * busiest * PASS / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_bounds_what_threads_do() {
        assert_eq!(throughput(16, 0.0), wanted(16));
        let full = 1e3 / PASS / wanted(16);
        assert!((occupancy(16, full) - 1.0).abs() < 1e-9);
        for factor in [1.0, 2.0, 8.0] {
            let throughput = throughput(16, full * factor);
            assert!((throughput * factor / wanted(16) - 1.0).abs() < 1e-9);
        }
    }
}
