//! How large the filters of a run are.

use crate::args::Args;
use crate::batches::{self, Batch, PACKETS, Periods};
use crate::capture;
use crate::filters::{Maker, Room};
use crate::report::progress;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Keys that a filter that grows has room for at first.
const GROWING_CAPACITY: usize = 1_000_000;

/// Keys that a filter has room for at least: a signal may end the count of the packets before the first.
const LEAST_CAPACITY: usize = 1024;

/// What makes the filters for these batches.
pub(crate) fn maker(args: &Args, batches: &[Arc<Batch>]) -> Maker {
    let periods = batches.chunk_by(|one, other| one.period() == other.period());
    let packets = periods.map(|period| period.iter().map(|batch| batch.len()).sum());
    let room = if args.growing {
        growing(args)
    } else {
        let keys = || packets.max().unwrap_or(1) + late(args);
        Room::Fixed(args.capacity.unwrap_or_else(keys))
    };
    Maker::new(room, args.window.is_some(), args.rate)
}

/// What makes the filters for a stream.
pub(super) fn stream_maker(args: &Args, stop: &AtomicBool) -> Maker {
    let room = match args.capacity {
        _ if args.growing => growing(args),
        Some(capacity) => Room::Fixed(capacity),
        None if args.reads_file() => {
            Room::Fixed(counted(args, stop).max(LEAST_CAPACITY) + late(args))
        }
        None => growing(args),
    };
    Maker::new(room, args.window.is_some(), args.rate)
}

fn growing(args: &Args) -> Room {
    Room::Growing(args.capacity.unwrap_or(GROWING_CAPACITY))
}

/// The packets that come late to a generation of a filter that rotates: each worker but one may have a batch of an
/// earlier period.
fn late(args: &Args) -> usize {
    match args.window {
        Some(_) => (args.workers() - 1) * PACKETS,
        None => 0,
    }
}

/// The packets of the period that has the most.
fn counted(args: &Args, stop: &AtomicBool) -> usize {
    let (path, _) = args.capture();
    let bytes = path.metadata().map_or(0, |file| file.len());
    let bar = progress::counting((!capture::is_gzip(path)).then_some(bytes));
    let periods = Periods::new(args.window);
    let most = batches::most_in_a_period(path, periods, stop, &|bytes| {
        bar.set_position(bytes);
    });
    bar.finish_and_clear();
    most
}
