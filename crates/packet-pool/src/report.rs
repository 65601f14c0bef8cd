//! The report that the program prints, and what goes wrong.

pub(crate) mod progress;

use crate::batches::Intake;
use crate::filter::Filter;
use crate::keys::Mode;
use crate::pool::Tally;
use crate::results::Written;
use crate::verify::Verdict;
use lockfree_cuckoo::InsertError;
use std::io::{self, Write};
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

/// All that went wrong, the worst first.
#[derive(Debug, Default)]
pub struct Problems(Vec<(Status, String)>);

impl Problems {
    /// Adds one that is no worse than those before.
    pub fn add(&mut self, status: Status, words: String) {
        self.0.push((status, words));
    }

    /// Adds the failure, if it is one.
    pub(crate) fn note<T>(&mut self, result: Result<T, (Status, String)>) -> Option<T> {
        result
            .map_err(|(status, words)| self.add(status, words))
            .ok()
    }

    /// A line for each.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, words)| words.as_str())
    }

    /// The exit status of the program.
    pub fn status(&self) -> u8 {
        self.0.first().map_or(0, |&(status, _)| status as u8)
    }
}

/// "1 packet", "2 packets".
fn count(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

/// All there is to tell about a run that is done.
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) mode: Mode,
    pub(crate) window: Option<Duration>,
    pub(crate) intake: Intake,
    /// Passes over the packets; `None` if they were streamed.
    pub(crate) passes: Option<u32>,
    pub(crate) tallies: Vec<Tally>,
    /// What all workers did.
    pub(crate) all: Tally,
    pub(crate) filter: Filter,
    /// Whether the filter makes itself room.
    pub(crate) grows: bool,
    pub(crate) verdict: Option<Verdict>,
    /// What was written of the new packets.
    pub(crate) written: Written,
}

impl Run {
    /// Adds what went wrong, the worst first.
    pub(crate) fn problems(&self, problems: &mut Problems) {
        for words in self.verdict.iter().flat_map(|verdict| &verdict.failures) {
            problems.add(Status::CheckFailed, format!("check failed: {words}"));
        }
        let Intake { counts, damage, .. } = &self.intake;
        if let Some(damage) = damage {
            problems.add(Status::Unreadable, format!("{}: {damage}", self.name));
        } else if counts.packets == 0 && !counts.left_out.is_empty() {
            let words = format!(
                "{}: no packet has a link type that this program reads",
                self.name
            );
            problems.add(Status::Unreadable, words);
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

    /// What the filter refused, and what to do.
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
            InsertError::CannotGrow { error, .. } if error.false_positive_rate() > 0.0
        );
        let advice = match (self.grows, ends_at_rate) {
            (true, true) => " (raise --rate, or --capacity, from which the filter grows)",
            (true, false) => "",
            (false, _) if self.window.is_some() => " (raise --capacity)",
            (false, _) => " (raise --capacity, or use --growing)",
        };
        format!("the filter refused the keys of {packets}{forgotten}: {refusal}{advice}")
    }

    /// Writes all of it.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_capture(out)?;
        self.write_workers(out)?;
        self.write_filter(out)?;
        if let Some((name, packets)) = &self.written.file {
            writeln!(out, "written     {} to {name}", count(*packets, "packet"))?;
        }
        match &self.verdict {
            None => self.write_keys(out, "seen first", self.all.firsts, self.all.kinds),
            Some(verdict) => self.write_checks(out, verdict),
        }
    }

    /// What was read, and how much work it makes.
    fn write_capture(&self, out: &mut dyn Write) -> io::Result<()> {
        let Intake { format, counts, .. } = &self.intake;
        let packets = counts.packets;
        writeln!(out, "capture     {} ({format})", self.name)?;
        writeln!(out, "packets     {packets} ({} bytes read)", counts.bytes)?;
        for (link, number) in &counts.left_out {
            let number = count(*number, "packet");
            writeln!(
                out,
                "left out    {number} of link type {link}, which this program does not read"
            )?;
        }
        if let Some(passes) = self.passes {
            let all = count(packets.saturating_mul(passes.into()), "packet");
            writeln!(out, "passes      {passes} over the packets, {all} in all")?;
        }
        if let Some(window) = self.window {
            let window = window.as_secs_f64();
            writeln!(
                out,
                "window      {window} s: a key is known for one to two windows"
            )?;
        }
        Ok(())
    }

    /// A line for each worker, one for all, and the throughput.
    fn write_workers(&self, out: &mut dyn Write) -> io::Result<()> {
        let no_key = match self.mode {
            Mode::Flows => "no flow",
            Mode::Packets => "no data",
        };
        writeln!(
            out,
            "\n{:>6} {:>12} {:>11} {:>12} {:>9} {:>9} {:>11} {:>11}",
            "worker", "packets", "seen first", "duplicates", "refused", no_key, "time", "packets/s",
        )?;
        let workers = self.tallies.iter().enumerate();
        let workers = workers.map(|(number, tally)| (number.to_string(), tally));
        for (name, tally) in workers.chain([("all".to_owned(), &self.all)]) {
            writeln!(
                out,
                "{name:>6} {:>12} {:>11} {:>12} {:>9} {:>9} {:>11} {:>11.0}",
                tally.packets,
                tally.firsts,
                tally.duplicates,
                tally.refused,
                tally.no_key,
                format!("{:.1?}", tally.time()),
                tally.rate(),
            )?;
        }
        let (packets, time) = (count(self.all.packets, "packet"), self.all.time());
        let rate = self.all.rate();
        writeln!(
            out,
            "\nthroughput  {rate:.0} packets/s ({packets} in {time:.1?})"
        )
    }

    /// The filter after the work.
    fn write_filter(&self, out: &mut dyn Write) -> io::Result<()> {
        let filter = self.filter.hashed();
        writeln!(
            out,
            "filter      room for {}{}: {} slots in {} bytes{}",
            count(filter.capacity() as u64, self.mode.singular()),
            if self.grows { ", and it grows" } else { "" },
            filter.slots(),
            filter.memory_usage(),
            if self.window.is_some() {
                ", for all windows"
            } else {
                ""
            },
        )?;
        writeln!(
            out,
            "load        {} of {} slots in use, load factor {:.4}",
            filter.len(),
            filter.slots(),
            filter.load_factor(),
        )
    }

    /// How many flows there are, or packets.
    fn write_keys(
        &self,
        out: &mut dyn Write,
        what: &str,
        count: u64,
        kinds: [u64; 4],
    ) -> io::Result<()> {
        let [tcp, udp, icmp, other] = kinds;
        match self.mode {
            Mode::Flows => writeln!(
                out,
                "flows       {count} {what}: {tcp} TCP, {udp} UDP, {icmp} ICMP, {other} other"
            ),
            Mode::Packets => writeln!(out, "unique      {count} packets {what}"),
        }
    }

    /// How the answers of the filter add up to the exact sets.
    fn write_checks(&self, out: &mut dyn Write, verdict: &Verdict) -> io::Result<()> {
        let Verdict {
            findings,
            probes,
            missing,
            ..
        } = verdict;
        let keys = self.mode.plural();
        self.write_keys(out, "distinct", findings.distinct, findings.kinds)?;
        writeln!(
            out,
            "sum         {} seen first + {} false positives + {} refused = {} (exact set: {})",
            findings.firsts,
            findings.false_positives,
            findings.refused,
            findings.firsts + findings.false_positives + findings.refused,
            findings.distinct,
        )?;
        writeln!(
            out,
            "            about {:.3} false positives expected among the new {keys}",
            findings.expected,
        )?;
        if self.window.is_some() {
            writeln!(
                out,
                "rotations   {} periods with packets; {} batches judged after a later rotation",
                findings.periods, findings.late,
            )?;
        }
        writeln!(
            out,
            "missing     {} (false negatives)",
            missing + findings.forgotten
        )?;
        let percent = |count: f64| 100.0 * count / probes.asked.max(1) as f64;
        writeln!(
            out,
            "probes      {} {keys} that are not in the capture: {} answered \"known\" ({:.5} %), \
             {:.1} expected ({:.5} %)",
            probes.asked,
            probes.seen,
            percent(probes.seen as f64),
            probes.expected,
            percent(probes.expected),
        )
    }
}
