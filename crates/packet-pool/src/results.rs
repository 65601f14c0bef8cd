//! The packets that were new, for those who want more of them than their number.

mod line;
mod news;
mod ordered;
mod pcap;
mod target;

pub(crate) use line::Format;
pub(crate) use pcap::MOST_BYTES;
pub(crate) use target::Target;

use crate::batches::Batch;
use crate::filters::Scratch;
use line::Lines;
use news::{any, news};
use ordered::Ordered;
use pcap::{Pcap, Runs};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use target::STANDARD_OUTPUT;

/// Where the new packets of a run go.
pub(crate) struct Results {
    lines: Option<(Format, Ordered<Lines>)>,
    pcap: Option<(Target, Ordered<Pcap>)>,
    /// Set when they cannot be written any more: nobody needs the rest.
    stop: Arc<AtomicBool>,
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) file: Option<WrittenFile>,
    /// What could not be written, and why.
    pub(crate) failures: Vec<(String, io::Error)>,
    /// Nobody reads standard output any more, as in `packet-pool --print text | head -1`.
    pub(crate) unread: bool,
}

/// A capture of new packets.
pub(crate) struct WrittenFile {
    pub(crate) name: String,
    pub(crate) packets: u64,
    /// Packets left out, because their link type is not that of the first.
    pub(crate) of_other_links: u64,
}

impl Results {
    /// Opens the file.
    pub(crate) fn open(
        print: Option<Format>,
        write: Option<&Target>,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let open = |target: &Target| {
            let pcap = Pcap::new(target.open()?);
            io::Result::Ok((target.clone(), Ordered::new(pcap)))
        };
        Ok(Self {
            lines: print.map(|format| (format, Ordered::new(Lines::new()))),
            pcap: write.map(open).transpose()?,
            stop: Arc::clone(stop),
        })
    }

    /// Takes what was new in the batch with this number.
    pub(crate) fn take(&self, number: u64, batch: &Batch, scratch: &Scratch) {
        let any = any(scratch);
        let mut failed = false;
        if let Some((format, ordered)) = &self.lines {
            let mut text = Vec::new();
            if any {
                news(batch, scratch).for_each(|(link, new)| format.append(&mut text, link, &new));
            }
            failed |= ordered.put(number, text).is_err();
        }
        if let Some((_, ordered)) = &self.pcap {
            let mut runs = Runs::default();
            if any {
                news(batch, scratch).for_each(|(_, new)| runs.push(&new));
            }
            failed |= ordered.put(number, runs).is_err();
        }
        if failed {
            // Relaxed: whoever sees it late does work that nobody needs.
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Writes what waits for batches that will not come.
    pub(crate) fn finish(self) -> Written {
        let mut written = Written::default();
        if let Some((_, ordered)) = self.lines {
            let (_, result) = ordered.finish();
            written.note(STANDARD_OUTPUT, true, result);
        }
        if let Some((target, ordered)) = self.pcap {
            let (mut pcap, result) = ordered.finish();
            let result = result.and_then(|()| pcap.close());
            let name = target.name();
            written.note(&name, target.is_standard_output(), result);
            written.file = Some(WrittenFile {
                name,
                packets: pcap.packets(),
                of_other_links: pcap.of_other_links(),
            });
        }
        written
    }
}

impl Written {
    fn note(&mut self, name: &str, is_standard_output: bool, result: io::Result<()>) {
        match result {
            Ok(()) => {}
            Err(error) if is_standard_output && error.kind() == io::ErrorKind::BrokenPipe => {
                self.unread = true;
            }
            Err(error) => self.failures.push((name.to_owned(), error)),
        }
    }
}
