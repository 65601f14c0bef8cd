//! What happened during a part of a run, in words.

use lockfree_cuckoo::testing::hooks::{Event, Tally, tally};

/// All there are.
pub(crate) const ALL: [Event; 14] = [
    Event::Hop,
    Event::Kick,
    Event::Broken,
    Event::Abort,
    Event::Help,
    Event::Arrival,
    Event::Repeat,
    Event::Twin,
    Event::Starved,
    Event::Rejected,
    Event::Hint,
    Event::Growth,
    Event::Vain,
    Event::Split,
];

/// Sums the events of periods that lie apart.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum([usize; ALL.len()]);

impl Sum {
    /// What has happened since a moment.
    pub(crate) fn since(start: &Tally) -> Self {
        let mut sum = Self::default();
        sum.add(start);
        sum
    }

    /// Adds what has happened since a moment.
    pub(crate) fn add(&mut self, start: &Tally) {
        let period = tally().since(start);
        for (sum, event) in self.0.iter_mut().zip(ALL) {
            *sum += period.of(event);
        }
    }

    /// An error unless all of these happened.
    pub(crate) fn demand(&self, events: &[Event]) -> Result<(), String> {
        let missing: Vec<String> = ALL
            .iter()
            .zip(self.0)
            .filter(|&(event, count)| count == 0 && events.contains(event))
            .map(|(event, _)| format!("{event:?}"))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "the run is worth nothing, because these never happened: {}",
                missing.join(", ")
            ))
        }
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named: Vec<String> = ALL
            .iter()
            .zip(self.0)
            .filter(|&(_, count)| count > 0)
            .map(|(event, count)| format!("{event:?} {count}"))
            .collect();
        write!(out, "{}", named.join(", "))
    }
}
