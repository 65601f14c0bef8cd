//! Whether the cores are really there: on a shared machine two virtual processors can be one.
//!
//! Arithmetic without memory runs on two threads as fast as on one, if each has a core of its own.

use std::fs;
use std::hint::black_box;

use serde::{Deserialize, Serialize};

use crate::quartiles::Quartiles;
use crate::race::race;

/// What was found out about the cores while something was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cores {
    /// The speed of two threads that do arithmetic, by that of one. 2 if both have a core.
    pub speedup: f64,
    /// The share of the time that the hypervisor gave to other machines, where it says so.
    pub stolen: Option<f64>,
}

/// The speedup of free cores.
const FREE_SPEEDUP: f64 = 1.95;

/// The stolen share that is as good as none.
const FREE_STOLEN: f64 = 0.01;

impl Cores {
    /// Whether two threads had two cores.
    #[must_use]
    pub fn are_free(self) -> bool {
        self.speedup >= FREE_SPEEDUP && self.stolen.is_none_or(|share| share <= FREE_STOLEN)
    }
}

/// Watches the cores from its making to [`Watch::report`].
#[derive(Debug)]
pub struct Watch {
    speedups: Vec<f64>,
    ticks: Option<Ticks>,
}

impl Default for Watch {
    fn default() -> Self {
        let mut watch = Self {
            speedups: Vec::new(),
            ticks: Ticks::now(),
        };
        watch.look();
        watch
    }
}

/// Tries in one look.
const TRIES: usize = 5;

impl Watch {
    /// Looks at the cores now.
    pub fn look(&mut self) {
        let wall = |threads| race(threads, || (), spin).0.wall.as_secs_f64();
        let speedups = (0..TRIES).map(|_| 2.0 * wall(1) / wall(2));
        self.speedups.extend(speedups);
    }

    /// Looks a last time: the median of all tries, and the time stolen between the first and the last.
    #[must_use]
    pub fn report(mut self) -> Cores {
        self.look();
        let stolen = self.ticks.zip(Ticks::now());
        Cores {
            speedup: Quartiles::of(self.speedups).median,
            stolen: stolen.and_then(|(before, after)| before.stolen_until(after)),
        }
    }
}

/// Arithmetic that waits for nothing but itself.
fn spin(_thread: usize) -> u64 {
    const STEPS: u64 = 2_000_000;
    (0..STEPS).fold(black_box(1), |sum: u64, step| {
        black_box(sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step)
    })
}

/// The counters of the whole machine, since it was started.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    all: u64,
    stolen: u64,
}

impl Ticks {
    fn now() -> Option<Self> {
        Self::of(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn of(stat: &str) -> Option<Self> {
        // user, nice, system, idle, iowait, irq, softirq, steal; the rest is contained in user and nice.
        let numbers = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = numbers
            .split_whitespace()
            .take(8)
            .map_while(|number| number.parse().ok())
            .collect();
        Some(Self {
            all: ticks.iter().sum(),
            stolen: *ticks.get(7)?,
        })
    }

    fn stolen_until(self, after: Self) -> Option<f64> {
        let all = after.all.checked_sub(self.all).filter(|&all| all > 0)?;
        Some(after.stolen.saturating_sub(self.stolen) as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_stolen_time() {
        let at = |text| Ticks::of(text).expect("a line about all processors");
        let before = at("cpu  10 0 10 60 0 0 0 20 5 5\ncpu0 1 1 1 1");
        let after = at("cpu  40 0 20 110 0 0 0 30 9 9");
        assert_eq!(before.stolen_until(after), Some(0.1));
        assert_eq!(before.stolen_until(before), None);
        assert!(Ticks::of("cpu0 1 2 3").is_none());
    }

    #[test]
    fn says_when_the_cores_are_free() {
        let cores = |speedup, stolen| Cores { speedup, stolen }.are_free();
        assert!(cores(1.99, None) && cores(1.99, Some(0.0)));
        assert!(!cores(1.3, None) && !cores(1.99, Some(0.2)));
    }
}
