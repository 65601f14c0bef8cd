//! Explanations: whether some order of the calls explains their results, one class of tokens at a
//! time.
//!
//! The filter is a multiset of classes, so a history is linearizable if it is so for each class. A
//! class is a counter.

use model::history::{Event, linearizable};

use super::calls::{Answer, Record};
use super::stage::Stage;

/// All calls since a time at which no thread was active.
pub(crate) struct History<'a> {
    pub(crate) stage: &'a Stage,
    /// The copies of each class at that time.
    pub(crate) initial: &'a [usize],
    /// The calls of each thread that have returned.
    pub(crate) threads: Vec<&'a [Record]>,
}

impl History<'_> {
    /// Returns the present number of copies of each class, or an error if no order explains the
    /// results.
    pub(crate) fn explain(&self) -> Result<Vec<i64>, String> {
        self.snapshots_have_no_strangers()?;
        (0..self.stage.classes())
            .map(|class| self.explain_class(class))
            .collect()
    }

    fn explain_class(&self, class: usize) -> Result<i64, String> {
        let initial = self.initial[class] as i64;
        let threads = self.threads.iter();
        let calls: Vec<Vec<Event>> = threads
            .map(|records| records.iter().filter_map(|r| event(r, class)).collect())
            .collect();
        let told = |why: String| {
            let threads: Vec<String> = calls.iter().map(|calls| written(calls)).collect();
            let name = self.stage.name(class);
            format!(
                "{why}; {name}, initially {initial}:\n{}",
                threads.join("\n")
            )
        };
        self.check_counts(class, &calls.concat()).map_err(told)?;
        let threads: Vec<&[Event]> = calls.iter().map(Vec::as_slice).collect();
        if !linearizable(&threads, initial) {
            return Err(told("no order explains what was seen".into()));
        }
        Ok(initial + calls.iter().flatten().map(|e| e.call.change()).sum::<i64>())
    }

    /// Checks counts and snapshots, which are no operations of the object: a token that was stored
    /// throughout is counted, and one that is counted was stored at some time.
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

    /// Checks that every token of a snapshot belongs to a class of the stage.
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

/// Formats one thread per line: each call with the times of its beginning and end.
fn written(calls: &[Event]) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|event| format!("{:?} [{}, {}]", event.call, event.began, event.ended))
        .collect();
    format!("  {}", calls.join("  "))
}
