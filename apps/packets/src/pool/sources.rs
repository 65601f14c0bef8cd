//! Sources of batches: memory, for measuring, or a reader that feeds the workers as packets come.
//!
//! A bounded queue stands between the reader and the workers. If the workers are slower, the reader
//! waits, then the pipe fills, and the program that writes into it waits too, or drops packets and
//! says so, as `tcpdump` does. So memory stays bounded for any length of a run.

use super::{Source, Work};
use crate::batches::{Batch, Intake, Packer, Reader};
use crate::filter::Kind;
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use crossbeam_utils::CachePadded;
use parking_lot::Mutex;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A source of the batches of a slice: some passes over it, by a shared cursor.
pub(crate) struct Held<'a> {
    batches: &'a [Arc<Batch>],
    stop: &'a AtomicBool,
    /// The number of the next batch, through all passes.
    cursor: CachePadded<AtomicU64>,
    /// The number of batches in all passes.
    total: u64,
    /// The number of periods in one pass; 0 if there is a single period.
    periods: u64,
}

impl<'a> Held<'a> {
    pub(crate) fn new(
        batches: &'a [Arc<Batch>],
        passes: u32,
        kind: Kind,
        stop: &'a AtomicBool,
    ) -> Self {
        let last = batches.last().filter(|_| kind == Kind::Rotating);
        Self {
            batches,
            stop,
            cursor: CachePadded::new(AtomicU64::new(0)),
            total: batches.len() as u64 * u64::from(passes),
            // Time continues from pass to pass.
            periods: last.map_or(0, |batch| batch.period + 1),
        }
    }
}

impl Source for Held<'_> {
    fn next(&self) -> Option<Work> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        // Relaxed: the batches were complete before the threads started.
        let number = self.cursor.fetch_add(1, Ordering::Relaxed);
        if number >= self.total {
            return None;
        }
        let length = self.batches.len() as u64;
        let batch = &self.batches[(number % length) as usize];
        Some(Work {
            number,
            period: number / length * self.periods + batch.period,
            batch: Arc::clone(batch),
        })
    }
}

/// The batches in the queue, for each worker: enough to bridge a rotation and the system's
/// scheduling.
const QUEUED: usize = 8;

/// The time after which a waiting worker checks whether it should stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The workers' end of the queue.
pub(crate) struct Stream {
    queue: Receiver<Work>,
    stop: Arc<AtomicBool>,
    /// Locked by the reader, and at the end: the workers never see the lock.
    intake: Arc<Mutex<Intake>>,
    reader: JoinHandle<()>,
}

impl Stream {
    /// Starts the reader.
    pub(crate) fn start(
        path: Option<PathBuf>,
        packer: Packer,
        workers: usize,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (sender, queue) = bounded(QUEUED * workers);
        let intake = Arc::<Mutex<Intake>>::default();
        let (of_reader, stopped) = (Arc::clone(&intake), Arc::clone(stop));
        let read = move || {
            let mut numbers = 0..;
            let reader = Reader {
                packer,
                live: true,
                stop: &stopped,
                intake: &of_reader,
                take: &mut |batch| {
                    let work = numbers.next().map(|number| Work {
                        number,
                        period: batch.period,
                        batch: Arc::new(batch),
                    });
                    let sent = work.is_some_and(|work| sender.send(work).is_ok());
                    if sent && !stopped.load(Ordering::Relaxed) {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                },
            };
            reader.read(path.as_deref());
        };
        Ok(Self {
            queue,
            stop: Arc::clone(stop),
            intake,
            reader: thread::Builder::new()
                .name("reader".to_owned())
                .spawn(read)?,
        })
    }

    /// Returns the intake, once the workers are done. It does not wait for a reader that waits for
    /// input when the program was told to stop.
    pub(crate) fn finish(self) -> Intake {
        drop(self.queue);
        if !self.stop.load(Ordering::Relaxed) {
            // The reader is done, and a panic of it was printed.
            let _ = self.reader.join();
        }
        std::mem::take(&mut *self.intake.lock())
    }
}

impl Source for Stream {
    fn next(&self) -> Option<Work> {
        loop {
            match self.queue.recv_timeout(PATIENCE) {
                Ok(work) => return Some(work),
                Err(RecvTimeoutError::Disconnected) => return None,
                // The queue is empty, so nothing that was read is lost.
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::Relaxed) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
