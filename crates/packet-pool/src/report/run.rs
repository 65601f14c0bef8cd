//! A run that is done, and what went wrong in it.

use super::amount;
use super::problem::{Problems, Status};
use crate::batches::Intake;
use crate::filters::Filters;
use crate::keys::Mode;
use crate::pool::Tally;
use crate::results::Written;
use crate::verify::Verdict;
use lockfree_cuckoo::InsertError;
use std::sync::Arc;
use std::time::Duration;

/// All there is to tell about a run.
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) mode: Mode,
    pub(crate) window: Option<Duration>,
    pub(crate) intake: Intake,
    /// Passes over the packets; `None` if they were streamed.
    pub(crate) passes: Option<u32>,
    pub(crate) tallies: Vec<Tally>,
    /// The filters of the last period.
    pub(crate) last: Arc<dyn Filters>,
    /// Whether a filter makes itself room.
    pub(crate) grows: bool,
    pub(crate) verdict: Option<Verdict>,
    /// What was written of the new packets.
    pub(crate) written: Written,
}

impl Run {
    pub(super) fn total(&self, count: fn(&Tally) -> u64) -> u64 {
        self.tallies.iter().map(count).sum()
    }

    /// Adds what went wrong, the worst first.
    pub(crate) fn problems(&self, problems: &mut Problems) {
        for words in self.verdict.iter().flat_map(|verdict| &verdict.failures) {
            problems.add(Status::CheckFailed, format!("check failed: {words}"));
        }
        let Self { name, intake, .. } = self;
        if let Some(damage) = &intake.damage {
            problems.add(Status::Unreadable, format!("{name}: {damage}"));
        } else if intake.packets == 0 && !intake.left_out.is_empty() {
            let words = format!("{name}: no packet has a link type that this program reads");
            problems.add(Status::Unreadable, words);
        }
        self.unwritten(problems);
        if let Some(refusal) = self.tallies.iter().find_map(|tally| tally.refusal.as_ref()) {
            let refused = self.total(|tally| tally.refused);
            let unrefreshed = self.total(|tally| tally.unrefreshed);
            let forgotten = match unrefreshed {
                0 => String::new(),
                count => {
                    let packets = amount::count(count, "packet");
                    format!(", and may forget too early the keys of {packets}")
                }
            };
            let packets = amount::count(refused, "packet");
            let ends_at_rate = matches!(
                refusal,
                InsertError::CannotGrow { error, .. } if error.false_positive_rate() > 0.0
            );
            let advice = match (self.grows, ends_at_rate) {
                (true, true) => " (raise --rate, or --capacity, from which the filter grows)",
                (true, false) => "",
                (false, _) => " (raise --capacity, or use --growing)",
            };
            let words =
                format!("the filter refused the keys of {packets}{forgotten}: {refusal}{advice}");
            problems.add(Status::Refused, words);
        }
    }

    /// Adds what could not be written.
    fn unwritten(&self, problems: &mut Problems) {
        for (name, error) in &self.written.failures {
            problems.add(Status::Unreadable, format!("cannot write {name}: {error}"));
        }
        if let Some(file) = &self.written.file
            && file.of_other_links > 0
        {
            let packets = amount::count(file.of_other_links, "packet");
            let words = format!(
                "{}: left out {packets} of another link type than the first: a pcap file has one",
                file.name
            );
            problems.add(Status::Unreadable, words);
        }
    }
}
