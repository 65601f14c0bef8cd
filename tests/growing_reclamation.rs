//! The memory of filters that grow: what they say, what they take, and what they give back.
//!
//! 1. `memory_usage` is what the allocator has handed out, without the pages that the system has got back.
//! 2. Segments that are drained are taken out, on their own or by `shrink_to_fit`, under readers too. Their pages go
//!    back to the system, on Linux. Their addresses stay: nothing is freed that a reader may be in. They are used again,
//!    so that a filter that is filled and emptied takes no more with time.
//! 3. Calls by `&mut` free what is not in use. `clear` and dropping the filter leave nothing behind.
//! 4. A thread that stands still in an insert delays what is taken out, and does not make segments multiply.
//! 5. Growers that race build no more than one segment each in vain, and all of it is freed.
//! 6. Memory for a segment that cannot be had is an error, whichever allocation fails, and loses nothing.
//! 7. Likewise filters that double, in `doubling`.
//!
//! The allocator counts what the whole process holds, so one test runs at a time. What is retired is taken out as
//! soon as every thread has been seen outside of an insert; here it is waited for in turns, not in time.

#![allow(
    unsafe_code,
    reason = "an allocator is what counts allocations, and its trait is unsafe"
)]
#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

#[path = "ladder/allocated.rs"]
mod doubling;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crew::Crew;
use lockfree_cuckoo::{Filter, Growing, Grows, InsertError};
use model::hashers::AsGiven;
use model::mix;

/// A filter that grows by segments.
type Chain<S = lockfree_cuckoo::RandomState> = Filter<Growing, S>;

/// What is not counted exactly: lists of segments, and what the threads of a test and the epochs keep.
const SLACK: usize = 16 << 10;

/// The least that is taken for the table of a segment. What else is allocated is smaller.
const LARGE: usize = 32 << 10;

/// The least that may fail. Of a few pointers for a list, or for the epochs, nobody asks whether they can be had.
const FALLIBLE: usize = 4 << 10;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static LIVE_LARGE: AtomicUsize = AtomicUsize::new(0);
static PEAK_LARGE: AtomicUsize = AtomicUsize::new(0);
static FREED_LARGE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Allocations of this thread until one fails.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The system's allocator, counted.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn fails(bytes: usize) -> bool {
    if bytes < FALLIBLE {
        return false;
    }
    LEFT.with(|left| match left.get() {
        Some(0) => {
            left.set(None);
            true
        }
        Some(more) => {
            left.set(Some(more - 1));
            false
        }
        None => false,
    })
}

// SAFETY: all is left to the system's allocator, but for the failures, which are null as they have to be.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return std::ptr::null_mut();
        }
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        if layout.size() >= LARGE {
            let live = LIVE_LARGE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
            PEAK_LARGE.fetch_max(live, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        if layout.size() >= LARGE {
            LIVE_LARGE.fetch_sub(layout.size(), Ordering::Relaxed);
            FREED_LARGE.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise, and what `alloc` gave came from there.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// One test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // What the last test left to the epochs.
    settle(|| false);
    turn
}

fn live() -> usize {
    LIVE.load(Ordering::Relaxed)
}

fn filter(capacity: usize) -> Chain<AsGiven> {
    let builder = Chain::builder().capacity(capacity);
    builder.hasher(AsGiven).build().expect("memory")
}

/// Moves the epochs on until something holds, or it is clear that it never will.
fn settle(holds: impl Fn() -> bool) {
    for _ in 0..1_000 {
        crossbeam_epoch::pin().flush();
        if holds() {
            return;
        }
        thread::yield_now();
    }
}

fn shrink(filter: &Chain<AsGiven>) {
    settle(|| {
        filter.shrink_to_fit();
        filter.segments() == 1
    });
    assert_eq!(filter.segments(), 1, "nobody is at work, and nothing is in");
}

/// Any call by `&mut` does it.
fn free_what_is_parked(filter: &mut Chain<AsGiven>) {
    filter.set_max_memory_usage(usize::MAX);
}

/// Waits until what is held is no more than this.
fn assert_given_back(most: usize, what: &str) {
    settle(|| live() <= most);
    let live = live();
    assert!(
        live <= most,
        "{what}: {live} bytes are held, not at most {most}"
    );
}

#[test]
fn says_what_the_allocator_has_handed_out() {
    let _turn = alone();
    for capacity in [8, 100, 1_000, 50_000] {
        let before = live();
        let filter = filter(capacity);
        let mut segments = 0;
        for item in 0..200_000 {
            filter.insert_hash(mix(item)).expect("memory");
            if filter.segments() > segments {
                segments = filter.segments();
                let said = filter.memory_usage() - size_of_val(&filter);
                settle(|| live() - before <= said + SLACK / 4);
                let held = live() - before;
                assert!(
                    held.abs_diff(said) <= SLACK / 4,
                    "{segments} segments: {said} bytes said, {held} held"
                );
            }
        }
        assert!(segments > 2 || capacity > 1_000);
        // What is parked counts, without the pages that have gone back.
        let tables = filter.slots() * 2;
        for item in 0..200_000 {
            assert!(filter.remove_hash(mix(item)), "a stored item");
        }
        shrink(&filter);
        let (said, held) = (
            filter.memory_usage() - size_of_val(&filter),
            live() - before,
        );
        assert!(
            said <= held && held <= said + tables + SLACK / 4,
            "emptied: {said} bytes said, {held} held, {tables} at most given back"
        );
        drop(filter);
        assert_given_back(before + SLACK / 4, "a dropped filter");
    }
}

/// The first round takes what all others use again.
#[test]
fn takes_no_more_with_time() {
    let _turn = alone();
    let before = live();
    let mut filter = filter(1_000);
    let start = live();
    let (mut full, mut empty) = (0, 0);
    for round in 0..8 {
        let items = (0..100_000).map(|item| mix(round << 32 | item));
        for item in items.clone() {
            filter.insert_hash(item).expect("memory");
        }
        assert!(live() > start + 200_000);
        if round == 0 {
            full = live();
        }
        assert!(
            live() <= full + SLACK,
            "round {round}: {} bytes are held, {full} in the first",
            live()
        );
        for item in items {
            assert!(filter.remove_hash(item), "a stored item");
        }
        shrink(&filter);
        if round == 0 {
            empty = filter.memory_usage();
        }
        assert!(
            filter.memory_usage() <= empty,
            "round {round}: {} bytes are in use, {empty} after the first",
            filter.memory_usage()
        );
    }
    free_what_is_parked(&mut filter);
    assert_given_back(start + SLACK, "an emptied filter");
    drop(filter);
    assert_given_back(before + SLACK, "a dropped filter");
}

/// The bytes of this process that are in memory.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = text.split(' ').nth(1).expect("a second number");
    // Of 4 KiB at least.
    pages.parse::<usize>().expect("a number") * 4_096
}

/// Without a call by `&mut`.
#[cfg(target_os = "linux")]
#[test]
fn the_pages_of_drained_segments_go_back_to_the_system() {
    const ITEMS: u64 = 2_000_000;
    let _turn = alone();
    let filter = filter(1_000);
    for round in 0..3 {
        let items = (0..ITEMS).map(|item| mix(round << 32 | item));
        items
            .clone()
            .for_each(|item| filter.insert_hash(item).expect("memory"));
        let (full, used) = (resident(), filter.memory_usage());
        assert!(used > 4_000_000);
        for item in items {
            assert!(filter.remove_hash(item), "a stored item");
        }
        shrink(&filter);
        let (left, gone) = (filter.memory_usage(), full.saturating_sub(resident()));
        assert!(
            left < used / 8,
            "round {round}: {left} bytes are in use of {used}"
        );
        assert!(
            gone > used / 2,
            "round {round}: {gone} bytes have gone back of {used}"
        );
    }
}

/// What parked segments take counts, and is there for the next growth.
#[test]
fn the_limit_counts_what_is_parked() {
    let _turn = alone();
    let mut filter = filter(1_000);
    let fill = |filter: &Chain<AsGiven>| {
        let refused = (0..).position(|item| filter.insert_hash(mix(item)).is_err());
        refused.expect("a limit") as u64
    };
    filter.set_max_memory_usage(1 << 20);
    let items = fill(&filter);
    for _ in 0..3 {
        assert!(filter.memory_usage() <= 1 << 20);
        for item in 0..items {
            assert!(filter.remove_hash(mix(item)), "a stored item");
        }
        shrink(&filter);
        assert_eq!(fill(&filter), items, "what is parked is not used again");
    }
}

/// The oldest items go first, as their time comes, and with them the segments that they are in. Nobody has to ask.
#[test]
fn segments_go_with_their_last_item() {
    let _turn = alone();
    let filter = filter(100);
    let items: Vec<u64> = (0..50_000).map(mix).collect();
    for &item in &items {
        filter.insert_hash(item).expect("memory");
    }
    // Every insert is over, and the epochs have seen it.
    settle(|| false);
    let (segments, slots) = (filter.segments(), filter.slots());
    let (old, new) = items.split_at(40_000);
    for &item in old {
        assert!(filter.remove_hash(item), "a stored item");
    }
    assert!(
        filter.segments() <= segments / 2,
        "drained segments stay: {filter:?}"
    );
    assert!(filter.slots() < slots);
    let found = new.iter().filter(|&&item| filter.contains_hash(item));
    assert_eq!(found.count(), new.len(), "stored items were lost");
}

/// The threads that have grown the filter and emptied it are still there, and idle. What they have given up must not
/// wait for them.
#[test]
fn gives_back_what_other_threads_have_removed() {
    let _turn = alone();
    let mut filter = filter(1_000);
    let start = live();
    let of_one_round = AtomicUsize::new(0);
    let of_thread = |thread: usize| (0..20_000).map(move |item| mix((thread as u64) << 32 | item));
    let shared = &filter;
    Crew::workers(4, |crew, thread| {
        let filter = shared;
        for round in 0..5 {
            let inserts = |thread: usize| (thread + round) % 4 < 2;
            crew.meet();
            for item in of_thread(thread).filter(|_| inserts(thread)) {
                filter.insert_hash(item).expect("memory");
            }
            crew.meet();
            // Each removes what another has put in.
            let other = (thread + 2) % 4;
            for item in of_thread(other).filter(|_| inserts(other)) {
                assert!(filter.remove_hash(item), "a stored item");
            }
            crew.meet();
            if thread == 3 {
                assert!(filter.is_empty());
                shrink(filter);
                // Those who race take a segment more of some sizes.
                if round == 0 {
                    of_one_round.store(live() - start, Ordering::Relaxed);
                }
                let most = start + 2 * of_one_round.load(Ordering::Relaxed) + SLACK;
                assert_given_back(most, "a filter that others have emptied");
            }
            crew.meet();
        }
    });
    free_what_is_parked(&mut filter);
    assert_given_back(start + 2 * SLACK, "a filter that others have emptied");
}

/// Readers go on all the while. Segments are taken out and used again under them, and no table is freed that one may be
/// in.
#[test]
fn segments_go_and_come_back_under_readers() {
    let _turn = alone();
    let mut filter = filter(100);
    let residents: Vec<u64> = (0..60).map(|item| mix(u64::MAX - item)).collect();
    for &item in &residents {
        filter.insert_hash(item).expect("memory");
    }
    let start = live();
    let freed = FREED_LARGE.load(Ordering::Relaxed);
    let (most, misses) = Crew::run(
        1,
        |_, _| {
            let mut most = Vec::new();
            for round in 0..10 {
                let items = (0..40_000).map(|item| mix(round << 32 | item));
                for item in items.clone() {
                    filter.insert_hash(item).expect("memory");
                }
                most.push(live());
                for item in items {
                    assert!(filter.remove_hash(item), "a stored item");
                }
                // The residents' own stays, and the one that takes inserts.
                for _ in 0..100_000 {
                    filter.shrink_to_fit();
                    if filter.segments() <= 2 {
                        break;
                    }
                    thread::yield_now();
                }
                assert!(
                    filter.segments() <= 2,
                    "drained segments stay under readers: {filter:?}"
                );
            }
            most
        },
        3,
        |crew, _| {
            let mut misses = 0;
            while crew.at_work() {
                let missed = residents
                    .iter()
                    .filter(|&&item| !filter.contains_hash(item));
                misses += missed.count();
                let mut found = [false; 60];
                filter.contains_many_hash(&residents, &mut found);
                misses += found.iter().filter(|&&found| !found).count();
            }
            misses
        },
    );
    assert_eq!(misses.iter().sum::<usize>(), 0, "residents were missed");
    assert_eq!(
        FREED_LARGE.load(Ordering::Relaxed),
        freed,
        "tables were freed under readers"
    );
    let most = &most[0];
    assert!(most[0] > start + 80_000);
    // The filter goes on from the largest that it had; there it is not larger by more than the next.
    assert!(most[9] < start + 8 * (most[0] - start));
    free_what_is_parked(&mut filter);
    assert_given_back(start + filter.memory_usage() + SLACK, "drained segments");
    for item in residents {
        assert!(filter.remove_hash(item), "a resident is lost");
    }
    shrink(&filter);
    free_what_is_parked(&mut filter);
    assert_given_back(start + SLACK, "an emptied filter");
}

/// Nothing can be taken out while a thread stands still in an insert. The filter goes on with the segments that it has;
/// they do not become more each time that it is filled.
#[test]
fn a_thread_that_stands_still_does_not_make_segments_multiply() {
    let _turn = alone();
    let filter = filter(8);
    let held = crossbeam_epoch::pin();
    let mut most = 0;
    for round in 0..20 {
        let items = (0..2_000).map(|item| mix(round << 32 | item));
        for item in items.clone() {
            filter.insert_hash(item).expect("memory");
        }
        most = most.max(filter.segments());
        for item in items {
            assert!(filter.remove_hash(item), "a stored item");
        }
        filter.shrink_to_fit();
    }
    // From 8 slots to 2,048 there are nine sizes, and of each there may be one on its way out.
    assert!(most <= 2 * 9, "segments multiply: {most}");
    drop(held);
    shrink(&filter);
}

fn leaves_nothing<E: Grows>(filter: impl Fn(usize) -> Filter<E, AsGiven>) {
    let _turn = alone();
    let before = live();
    let mut filter = filter(1_000);
    let start = live();
    for _ in 0..3 {
        for item in 0..50_000 {
            filter.insert_hash(mix(item)).expect("memory");
        }
        let copy = filter.try_clone().expect("memory");
        assert_eq!(copy.len(), 50_000);
        filter.clear();
        drop(copy);
        assert_given_back(start + SLACK, "a cleared filter");
    }
    drop(filter);
    assert_given_back(before + SLACK, "a dropped filter");
}

#[test]
fn clear_and_drop_leave_nothing() {
    leaves_nothing(filter);
}

/// Those who come to build while one builds already wait for about as long as it takes. If they build all the same,
/// it is one segment each, and not for long.
#[test]
fn racing_growers_build_little_in_vain() {
    const THREADS: usize = 4;
    let _turn = alone();
    for round in 0..10 {
        let before = LIVE_LARGE.load(Ordering::Relaxed);
        PEAK_LARGE.store(before, Ordering::Relaxed);
        let filter = filter(10_000);
        Crew::workers(THREADS, |crew, thread| {
            for turn in 0..60_000 {
                if turn % 5_000 == 0 {
                    crew.meet();
                }
                let item = mix(mix(round) ^ (thread as u64) << 32 ^ turn);
                filter.insert_hash(item).expect("memory");
            }
        });
        assert_eq!(filter.len(), 240_000);
        // Each twice as large as the last, as many as the items need, and perhaps one that was not needed yet.
        let needed = (240_000 / 10_000u32).ilog2() as usize + 1;
        let (segments, used) = (filter.segments(), filter.memory_usage());
        assert!(
            segments <= needed + 1,
            "{segments} segments for 240,000 items"
        );
        let peak = PEAK_LARGE.load(Ordering::Relaxed);
        // The last segment is the largest by far.
        let most = before + used * THREADS;
        assert!(peak <= most, "{peak} bytes at once, for {used}");
        drop(filter);
        settle(|| LIVE_LARGE.load(Ordering::Relaxed) == before);
        let left = LIVE_LARGE.load(Ordering::Relaxed) - before;
        assert_eq!(left, 0, "bytes that are left of a dropped filter");
    }
}

/// Whichever table cannot be had, the insert says so, and all that is in stays in. With memory again, it goes on.
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let _turn = alone();
    let mut told = 0;
    for number in 0..4 {
        let filter = filter(4_000);
        let mut items = (0..).map(mix);
        let mut stored = Vec::new();
        while filter.segments() < 3 {
            let item = items.next().expect("endless");
            // Only what the insert itself allocates can fail.
            LEFT.with(|left| left.set(Some(number)));
            let inserted = filter.insert_hash(item);
            let failed = LEFT.with(|left| left.take()).is_none();
            match inserted {
                Ok(()) => stored.push(item),
                Err(InsertError::CannotGrow { error, .. }) => {
                    assert!(failed && error.is_out_of_memory(), "{error}");
                    assert_eq!(filter.len(), stored.len(), "not conserved");
                    filter.insert_hash(item).expect("memory");
                    stored.push(item);
                    told += 1;
                }
                Err(other) => panic!("allocation {number}: {other}"),
            }
        }
        let found = stored.iter().filter(|&&item| filter.contains_hash(item));
        assert_eq!(found.count(), stored.len(), "stored items were lost");
    }
    // The table and the descriptors, of two segments.
    assert!(told >= 4, "few allocations failed: {told}");
}
