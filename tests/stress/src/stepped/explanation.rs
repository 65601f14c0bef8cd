//! Whether what the threads saw can have happened: one class of tokens at a time.
//!
//! The filter is a multiset of classes, so a history is linearizable if that of each class is. A class is a
//! counter. A call that never returned may have taken effect or not; both are tried.

use model::history::{Event, linearizable};

use super::calls::{Answer, Pending, Record};
use super::stage::Stage;

/// What all threads did from a moment at which nobody was at work.
pub(crate) struct History<'a> {
    pub(crate) stage: &'a Stage,
    /// Copies of each class at that moment.
    pub(crate) initial: &'a [usize],
    /// What has returned, by thread.
    pub(crate) threads: Vec<&'a [Record]>,
    /// What has not.
    pub(crate) pending: Vec<Pending>,
}

impl History<'_> {
    /// The numbers of copies that each class can have now, or why there is no explanation.
    pub(crate) fn explain(&self) -> Result<Vec<Vec<i64>>, String> {
        self.snapshots_have_no_strangers()?;
        (0..self.stage.classes())
            .map(|class| self.explain_class(class))
            .collect()
    }

    fn explain_class(&self, class: usize) -> Result<Vec<i64>, String> {
        let initial = self.initial[class] as i64;
        let threads = self.threads.iter();
        let calls: Vec<Vec<Event>> = threads
            .map(|records| records.iter().filter_map(|r| event(r, class)).collect())
            .collect();
        let of_class = self.pending.iter().filter(|p| p.request.class == class);
        let pending: Vec<Event> = of_class
            .filter_map(|pending| {
                Some(Event {
                    call: pending.request.effect()?,
                    began: pending.began,
                    ended: u64::MAX,
                })
            })
            .collect();
        let told = |why: String| {
            let threads: Vec<String> = calls.iter().map(|calls| written(calls)).collect();
            format!(
                "{why}; {}, initially {initial}:\n{}\n  never returned: {}",
                self.stage.name(class),
                threads.join("\n"),
                written(&pending)
            )
        };
        let all: Vec<Event> = calls.iter().flatten().chain(&pending).copied().collect();
        self.check_counts(class, &all).map_err(told)?;
        let known = initial + calls.iter().flatten().map(|e| e.call.change()).sum::<i64>();
        let mut possible = Vec::new();
        for choice in 0..1u32 << pending.len() {
            let chosen = (0..pending.len()).filter(|at| choice >> at & 1 == 1);
            let effective: Vec<&Event> = chosen.map(|at| &pending[at]).collect();
            let threads: Vec<&[Event]> = calls
                .iter()
                .map(Vec::as_slice)
                .chain(effective.iter().map(|&event| std::slice::from_ref(event)))
                .collect();
            if linearizable(&threads, initial) {
                possible.push(known + effective.iter().map(|e| e.call.change()).sum::<i64>());
            }
        }
        if possible.is_empty() {
            return Err(told("no order explains what was seen".into()));
        }
        Ok(possible)
    }

    /// Counts and snapshots are no operations of the object, but a token that was in all the while is counted,
    /// and one that is counted was in at some time.
    fn check_counts(&self, class: usize, calls: &[Event]) -> Result<(), String> {
        for record in self.threads.iter().copied().flatten() {
            let copies = match &record.answer {
                Answer::Copies(copies) if record.request.class == class => *copies as i64,
                Answer::Snapshot(Ok(copy)) => copy.count_hash(self.stage.hash(class, 0)) as i64,
                _ => continue,
            };
            let (mut fewest, mut most) = (self.initial[class] as i64, self.initial[class] as i64);
            for call in calls {
                let (over, begun) = (call.ended < record.began, call.began < record.ended);
                match call.call.change() {
                    1 => (fewest, most) = (fewest + i64::from(over), most + i64::from(begun)),
                    -1 => (fewest, most) = (fewest - i64::from(begun), most - i64::from(over)),
                    _ => {}
                }
            }
            if !(fewest..=most).contains(&copies) {
                let (action, began, ended) = (record.request.action, record.began, record.ended);
                return Err(format!(
                    "a {action:?} between {began} and {ended} counts {copies} copies, of {fewest} to {most}"
                ));
            }
        }
        Ok(())
    }

    /// Every token of a snapshot is of a class that there is.
    fn snapshots_have_no_strangers(&self) -> Result<(), String> {
        for record in self.threads.iter().copied().flatten() {
            if let Answer::Snapshot(Ok(copy)) = &record.answer {
                let copies =
                    (0..self.stage.classes()).map(|c| copy.count_hash(self.stage.hash(c, 0)));
                let sum: usize = copies.sum();
                if copy.len() != sum {
                    return Err(format!("a snapshot of {sum} tokens says {}", copy.len()));
                }
            }
        }
        Ok(())
    }
}

fn event(record: &Record, class: usize) -> Option<Event> {
    let Answer::Call(call) = record.answer else {
        return None;
    };
    (record.request.class == class).then_some(Event {
        call,
        began: record.began,
        ended: record.ended,
    })
}

/// One thread a line: each call with the moments of its beginning and its end.
fn written(calls: &[Event]) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|event| format!("{:?} [{}, {}]", event.call, event.began, event.ended))
        .collect();
    format!("  {}", calls.join("  "))
}
