//! Threads for lookups of many items, so that other clients need not wait for them.
//!
//! Only for reading: a change on another thread would be told to replicas in another order than it happens in.
#![allow(unsafe_code)]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use cf::Reply;

use crate::api::{Blocked, api};
use crate::context::{Context, guarded};
use crate::metrics;
use crate::reply;
use crate::value::Shared;

/// More do not help: the replies are written by the main thread.
const MOST_THREADS: usize = 4;

/// Items for which the main thread may have to wait, if it needs the filter alone.
const AT_A_TIME: usize = 1_024;

type Job = Box<dyn FnOnce() + Send>;

static QUEUE: OnceLock<Option<Mutex<Sender<Job>>>> = OnceLock::new();

/// A client who waits.
struct Waiting(*mut Blocked);
// SAFETY: the engine lets other threads reply to a client who waits.
unsafe impl Send for Waiting {}

/// Has a worker look the items up and reply. Returns false if there is none.
pub(crate) fn look_up(ctx: Context, filter: &Shared, items: &[&[u8]]) -> bool {
    let Some(queue) = QUEUE.get_or_init(start) else {
        return false;
    };
    let filter = filter.clone();
    let bytes = items.concat();
    let lengths: Vec<usize> = items.iter().map(|item| item.len()).collect();
    // SAFETY: within a command of a client who may wait.
    let blocked = unsafe { (api().block_client)(ctx.raw(), None, None, None, 0) };
    let waiting = Waiting(blocked);
    metrics::LOOKUPS_OF_WORKERS.add(1);
    let job = Box::new(move || {
        let found = guarded(None, || Some(answer(&filter, &bytes, &lengths)));
        drop(filter);
        waiting.reply(found);
    });
    let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    // The workers are there as long as the process.
    queue.send(job).is_ok()
}

fn answer(filter: &Shared, mut bytes: &[u8], lengths: &[usize]) -> Reply {
    let mut answers = Vec::with_capacity(lengths.len());
    for lengths in lengths.chunks(AT_A_TIME) {
        let items: Vec<&[u8]> = lengths
            .iter()
            .map(|&length| bytes.split_off(..length).unwrap_or_default())
            .collect();
        let found = filter.read().contains_each(&items);
        answers.extend(found.into_iter().map(Reply::Boolean));
    }
    Reply::Array(answers)
}

impl Waiting {
    fn reply(self, found: Option<Reply>) {
        guarded((), || {
            // SAFETY: the client waits, and is released once; the context is given back before that.
            unsafe {
                let raw = (api().get_thread_safe_context)(self.0);
                let ctx = Context::new(raw);
                match found {
                    Some(found) => reply::reply(ctx, found),
                    None => ctx.reply_error("ERR the lookup failed"),
                }
                (api().free_thread_safe_context)(raw);
            }
        });
        // SAFETY: as above.
        unsafe { (api().unblock_client)(self.0, std::ptr::null_mut()) };
    }
}

fn start() -> Option<Mutex<Sender<Job>>> {
    let (sender, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let started = (0..threads.div_ceil(2).min(MOST_THREADS)).filter(|_| {
        let receiver = Arc::clone(&receiver);
        let thread = thread::Builder::new().name("cf-worker".to_owned());
        thread.spawn(move || work(&receiver)).is_ok()
    });
    (started.count() > 0).then(|| Mutex::new(sender))
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}
