//! Single inserts, each filling in a process of its own: memory that a process has had before comes without the
//! page faults that make a new table slow.

use std::env;
use std::error::Error;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::growing::{self, Growing, Visitor};
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::stalls::insert_timed;
use serde::{Deserialize, Serialize};

/// What is told of the times, the last one being the longest.
pub(crate) const QUANTILES: [f64; 5] = [0.5, 0.99, 0.999, 0.9999, 1.0];

/// One filling.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Singles {
    /// With a processor, in nanoseconds.
    pub(crate) times: [u64; QUANTILES.len()],
    /// The longest, with the waiting for one.
    pub(crate) wall: Duration,
}

/// Has a child fill a contender.
pub(crate) fn fill(name: &str, items: usize, start: usize) -> Result<Singles, Box<dyn Error>> {
    let output = Command::new(env::current_exe()?)
        .args(["--child", name])
        .args(["--items", &items.to_string()])
        .args(["--start", &start.to_string()])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// What the child does.
pub(crate) fn child(name: &str, items: usize, start: usize) -> Result<(), Box<dyn Error>> {
    let mut one = One {
        name,
        keys: Arc::new(Keys::generate(items)),
        start,
        singles: None,
    };
    one.visit::<CuckooFilter>();
    growing::visit_all(&mut one);
    let singles = one.singles.ok_or("no such contender")?;
    println!("{}", serde_json::to_string(&singles)?);
    Ok(())
}

struct One<'a> {
    name: &'a str,
    keys: Arc<Keys>,
    start: usize,
    singles: Option<Singles>,
}

impl Visitor for One<'_> {
    fn visit<C: Growing>(&mut self) {
        if C::NAME != self.name {
            return;
        }
        let mut rig = Rig::<C>::of(C::with_capacity(self.start), &self.keys);
        let stalls = insert_timed(rig.table(), &self.keys.stored);
        assert_eq!(stalls.refused, 0, "{}", C::NAME);
        rig.check();
        self.singles = Some(Singles {
            times: QUANTILES.map(|quantile| stalls.times.value_at_quantile(quantile)),
            wall: stalls.wall,
        });
    }
}
