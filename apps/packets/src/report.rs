//! The report: the text that the program prints, and its failures.

use crate::batches::Intake;
use crate::filter::Filter;
use crate::keys::Mode;
use crate::pool::Tally;
use crate::results::Written;
use crate::verify::{Findings, Probes, Verdict};
use lockfree_cuckoo::{GrowthError, InsertError};
use std::fmt::Display;
use std::time::Duration;

/// The exit statuses other than 0, as `--help` lists them.
#[derive(Clone, Copy, Debug)]
pub enum Status {
    /// The capture could not be read, or not to its end, or a file could not be written.
    Unreadable = 1,
    /// An option is wrong, or asks for more memory or threads than there are.
    BadOption = 2,
    /// The filter was full and refused keys.
    Refused = 3,
    /// Answers do not agree with the exact sets.
    CheckFailed = 4,
}

/// All failures, the worst first.
#[derive(Debug, Default)]
pub struct Problems(Vec<(Status, String)>);

impl Problems {
    /// Adds a failure that is no worse than those before.
    pub fn add(&mut self, status: Status, words: String) {
        self.0.push((status, words));
    }

    /// Adds the failure, if it is one.
    pub(crate) fn note<T>(&mut self, result: Result<T, (Status, String)>) -> Option<T> {
        result
            .map_err(|(status, words)| self.add(status, words))
            .ok()
    }

    /// Returns a line for each failure.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, words)| words.as_str())
    }

    /// Returns the exit status of the program.
    pub fn status(&self) -> u8 {
        self.0.first().map_or(0, |&(status, _)| status as u8)
    }
}

/// Returns "1 packet", "2 packets".
fn count(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

/// The results of a finished run.
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) mode: Mode,
    pub(crate) window: Option<Duration>,
    pub(crate) intake: Intake,
    /// The number of passes over the packets; `None` if they were streamed.
    pub(crate) passes: Option<u32>,
    pub(crate) tallies: Vec<Tally>,
    /// The counts of all workers.
    pub(crate) all: Tally,
    pub(crate) filter: Filter,
    /// Whether the filter grows.
    pub(crate) grows: bool,
    pub(crate) verdict: Option<Verdict>,
    /// The output of new packets.
    pub(crate) written: Written,
}

impl Run {
    /// Adds the failures of this run, the worst first.
    pub(crate) fn problems(&self, problems: &mut Problems) {
        for words in self.verdict.iter().flat_map(|verdict| &verdict.failures) {
            problems.add(Status::CheckFailed, format!("check failed: {words}"));
        }
        let Intake { counts, damage, .. } = &self.intake;
        if let Some(damage) = damage {
            problems.add(Status::Unreadable, format!("{}: {damage}", self.name));
        } else if counts.packets == 0 && !counts.left_out.is_empty() {
            let words = "no packet has a link type that this program reads";
            problems.add(Status::Unreadable, format!("{}: {words}", self.name));
        }
        for (name, error) in &self.written.failures {
            problems.add(Status::Unreadable, format!("cannot write {name}: {error}"));
        }
        if let Some((name, _)) = &self.written.file
            && self.written.of_other_links > 0
        {
            let packets = count(self.written.of_other_links, "packet");
            let words = format!(
                "{name}: left out {packets} of another link type than the first: a pcap file has one"
            );
            problems.add(Status::Unreadable, words);
        }
        if let Some(refusal) = &self.all.refusal {
            problems.add(Status::Refused, self.refused(refusal));
        }
    }

    /// Describes the refused keys, and what to do.
    fn refused(&self, refusal: &InsertError) -> String {
        let packets = count(self.all.refused, "packet");
        let forgotten = match self.all.unrefreshed {
            0 => String::new(),
            unrefreshed => {
                let packets = count(unrefreshed, "packet");
                format!(", and may forget too early the keys of {packets}")
            }
        };
        let ends_at_rate = matches!(
            refusal,
            InsertError::CannotGrow(GrowthError::FalsePositiveRate { .. })
        );
        let advice = match (self.grows, ends_at_rate) {
            (true, true) => " (raise --rate, or --capacity, from which the filter grows)",
            (true, false) => "",
            (false, _) if self.window.is_some() => " (raise --capacity)",
            (false, _) => " (raise --capacity, or use --growing)",
        };
        format!("the filter refused the keys of {packets}{forgotten}: {refusal}{advice}")
    }

    /// Returns the whole report as text.
    pub(crate) fn text(&self) -> String {
        let mut report = Report(String::new());
        self.tell_capture(&mut report);
        self.tell_work(&mut report);
        if let Some((name, packets)) = &self.written.file {
            let packets = count(*packets, "packet");
            report.line("written", format!("{packets} to {name}"));
        }
        match &self.verdict {
            None => self.tell_keys(&mut report, "seen first", self.all.firsts, self.all.kinds),
            Some(verdict) => self.tell_checks(&mut report, verdict),
        }
        report.0
    }

    /// Tells the input, and the amount of work in it.
    fn tell_capture(&self, report: &mut Report) {
        let Intake { format, counts, .. } = &self.intake;
        let (packets, bytes) = (counts.packets, counts.bytes);
        report.line("capture", format!("{} ({format})", self.name));
        report.line("packets", format!("{packets} ({bytes} bytes read)"));
        for (link, number) in &counts.left_out {
            let number = count(*number, "packet");
            let why = "which this program does not read";
            report.line("left out", format!("{number} of link type {link}, {why}"));
        }
        if let Some(passes) = self.passes {
            let all = count(packets.saturating_mul(passes.into()), "packet");
            report.line("passes", format!("{passes} over the packets, {all} in all"));
        }
        if let Some(window) = self.window {
            let window = window.as_secs_f64();
            let words = format!("{window} s: a key is known for one to two windows");
            report.line("window", words);
        }
    }

    /// Tells a row for each worker and one for all, the throughput, and the filter after the work.
    fn tell_work(&self, report: &mut Report) {
        let no_key = match self.mode {
            Mode::Flows => "no flow",
            Mode::Packets => "no data",
        };
        report.row([
            &"worker",
            &"packets",
            &"seen first",
            &"duplicates",
            &"refused",
            &no_key,
            &"time",
            &"packets/s",
        ]);
        let names = (0..self.tallies.len()).map(|number| number.to_string());
        let tallies = self.tallies.iter().chain([&self.all]);
        for (name, tally) in names.chain(["all".to_owned()]).zip(tallies) {
            report.row([
                &name,
                &tally.packets,
                &tally.firsts,
                &tally.duplicates,
                &tally.refused,
                &tally.no_key,
                &format!("{:.1?}", tally.time()),
                &format!("{:.0}", tally.rate()),
            ]);
        }
        report.0.push('\n');
        let (packets, time) = (count(self.all.packets, "packet"), self.all.time());
        let throughput = format!("{:.0} packets/s ({packets} in {time:.1?})", self.all.rate());
        report.line("throughput", throughput);
        let filter = self.filter.hashed();
        let (len, slots, bytes) = (filter.len(), filter.slots(), filter.memory_usage());
        let room = count(filter.capacity() as u64, self.mode.noun());
        let grows = if self.grows { ", and it grows" } else { "" };
        let windows = self.window.map_or("", |_| ", for all windows");
        let filter_words =
            format!("room for {room}{grows}: {slots} slots in {bytes} bytes{windows}");
        report.line("filter", filter_words);
        let load = filter.load_factor();
        report.line(
            "load",
            format!("{len} of {slots} slots in use, load factor {load:.4}"),
        );
    }

    /// Tells the number of flows or packets.
    fn tell_keys(&self, report: &mut Report, what: &str, count: u64, kinds: [u64; 4]) {
        let [tcp, udp, icmp, other] = kinds;
        let kinds = format!("{tcp} TCP, {udp} UDP, {icmp} ICMP, {other} other");
        match self.mode {
            Mode::Flows => report.line("flows", format!("{count} {what}: {kinds}")),
            Mode::Packets => report.line("unique", format!("{count} packets {what}")),
        }
    }

    /// Tells how the answers of the filter add up to the exact sets.
    fn tell_checks(&self, report: &mut Report, verdict: &Verdict) {
        let Verdict {
            findings, probes, ..
        } = verdict;
        let Findings {
            distinct,
            firsts,
            false_positives,
            refused,
            expected,
            periods,
            late,
            ..
        } = findings;
        let noun = self.mode.noun();
        self.tell_keys(report, "distinct", *distinct, findings.kinds);
        let sum = firsts + false_positives + refused;
        let parts =
            format!("{firsts} seen first + {false_positives} false positives + {refused} refused");
        report.line("sum", format!("{parts} = {sum} (exact set: {distinct})"));
        let chance = format!("about {expected:.3} false positives expected among the new {noun}s");
        report.line("", chance);
        if self.window.is_some() {
            let late = format!("{late} batches judged after a later rotation");
            report.line(
                "rotations",
                format!("{periods} periods with packets; {late}"),
            );
        }
        let missing = verdict.missing + findings.forgotten;
        report.line("missing", format!("{missing} (false negatives)"));
        let Probes {
            asked,
            seen,
            expected,
        } = *probes;
        let percent = |count: f64| format!("{:.5} %", 100.0 * count / asked.max(1) as f64);
        let (of_seen, of_expected) = (percent(seen as f64), percent(expected));
        let known = format!(
            "{seen} answered \"known\" ({of_seen}), {expected:.1} expected ({of_expected})"
        );
        report.line(
            "probes",
            format!("{asked} {noun}s that are not in the capture: {known}"),
        );
    }
}

/// The text of a report.
struct Report(String);

impl Report {
    fn line(&mut self, label: &str, words: String) {
        self.0.push_str(&format!("{label:<12}{words}\n"));
    }

    /// Adds a row of the table of workers.
    fn row(&mut self, [name, a, b, c, d, e, f, g]: [&dyn Display; 8]) {
        let row = format!("{name:>6} {a:>12} {b:>11} {c:>12} {d:>9} {e:>9} {f:>11} {g:>11}\n");
        self.0.push_str(&row);
    }
}
