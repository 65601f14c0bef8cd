//! Batches that a reader thread feeds to the workers as they come.
//!
//! Between them is a bounded queue. If the workers are slower, the reader waits,
//! then the pipe fills, and whoever writes into it waits too, or drops packets
//! and says so, as `tcpdump` does. So memory stays bounded, however long it runs.

use super::source::{Source, Work};
use crate::batches::{Batch, Intake, Packer};
use crate::capture::{self, Capture, CaptureError, Packet, Sink};
use crate::filters::{Maker, Window};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use lockfree_cuckoo::BuildError;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Batches in the queue, for each worker: enough to bridge a rotation and what
/// the system does with the threads.
const QUEUED: usize = 8;

/// How often a worker that waits for a batch looks whether it should stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The end of the queue where the workers are.
pub(crate) struct Stream {
    queue: Receiver<Work>,
    stop: Arc<AtomicBool>,
    intake: Arc<Mutex<Intake>>,
    reader: JoinHandle<()>,
}

impl Stream {
    /// Starts the reader.
    pub(crate) fn start(
        path: PathBuf,
        packer: Packer,
        maker: &Maker,
        workers: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, StreamError> {
        let (sender, queue) = bounded(QUEUED * workers);
        let window = Window::first(maker).map_err(StreamError::Filter)?;
        let intake = Arc::new(Mutex::default());
        let feeder = Feeder {
            packer,
            window,
            sender,
            number: 0,
            bytes: 0,
            stop: Arc::clone(stop),
            intake: Arc::clone(&intake),
        };
        let reader = thread::Builder::new()
            .name("reader".to_owned())
            .spawn(move || feeder.run(path))
            .map_err(StreamError::Thread)?;
        Ok(Self {
            queue,
            stop: Arc::clone(stop),
            intake,
            reader,
        })
    }

    /// What was read, once the workers are done. The reader may never end: it
    /// waits for input if the program was told to stop.
    pub(crate) fn finish(self) -> Intake {
        drop(self.queue);
        if !self.stop.load(Ordering::Relaxed) {
            // It said that it is done, and a panic of it was printed.
            let _ = self.reader.join();
        }
        std::mem::take(&mut *lock(&self.intake))
    }
}

impl Source for Stream {
    fn supply(&self) -> Box<dyn Iterator<Item = Work> + '_> {
        Box::new(std::iter::from_fn(|| {
            loop {
                match self.queue.recv_timeout(PATIENCE) {
                    Ok(work) => return Some(work),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    // The queue is empty, so nothing that was read is lost.
                    Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::Relaxed) => {
                        return None;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        }))
    }
}

/// Why a stream could not start.
pub(crate) enum StreamError {
    Filter(BuildError),
    Thread(io::Error),
}

/// The end of the queue where the reader is.
struct Feeder {
    packer: Packer,
    /// The reader alone goes on in it: batches come to the workers with their
    /// filters.
    window: Window,
    sender: Sender<Work>,
    number: u64,
    /// Bytes read when the reader last had to wait.
    bytes: u64,
    stop: Arc<AtomicBool>,
    /// For the end, and for nobody else: the workers never see the lock.
    intake: Arc<Mutex<Intake>>,
}

impl Feeder {
    fn run(mut self, path: PathBuf) {
        if let Err(error) = self.read(path) {
            lock(&self.intake).damage = Some(error);
        }
    }

    fn read(&mut self, path: PathBuf) -> Result<(), CaptureError> {
        let mut capture = Capture::new(capture::open(&path)?)?;
        lock(&self.intake).format = capture.format;
        let read = capture.records.read_into(self);
        self.bytes = capture.records.bytes();
        let rest = self.packer.flush();
        let _ = self.send(rest);
        lock(&self.intake).update(&self.packer, self.bytes);
        read.map_err(|error| capture.cause(error))
    }

    fn send(&mut self, batch: Option<Batch>) -> ControlFlow<()> {
        let Some(batch) = batch else {
            return ControlFlow::Continue(());
        };
        lock(&self.intake).update(&self.packer, self.bytes);
        let period = batch.period();
        let filters = match self.window.advance(period) {
            Ok(filters) => filters,
            Err(error) => {
                lock(&self.intake).failure = Some(error);
                return ControlFlow::Break(());
            }
        };
        let work = Work {
            number: self.number,
            period,
            batch: Arc::new(batch),
            filters,
        };
        self.number += 1;
        if self.sender.send(work).is_err() || self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Sink for Feeder {
    fn packet(&mut self, packet: Packet<'_>) -> ControlFlow<()> {
        let full = self.packer.push(&packet);
        self.send(full)
    }

    /// Nobody knows when more comes, so the workers get what there is.
    fn pause(&mut self, bytes: u64) -> ControlFlow<()> {
        self.bytes = bytes;
        let rest = self.packer.flush();
        self.send(rest)
    }
}

/// A reader that panicked has left counts behind, no broken promises.
fn lock(intake: &Mutex<Intake>) -> MutexGuard<'_, Intake> {
    intake.lock().unwrap_or_else(PoisonError::into_inner)
}
