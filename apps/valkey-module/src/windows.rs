//! Windows: lists the filters with a window, with their places and their next rotations.
//!
//! The engine does not tell a type the names of its keys. So the list keeps the database and the
//! name of each, from the command or the snapshot that it comes from, or the last command that used
//! it. If the filter is not there when it is to rotate, it is lost, until a command uses it or it
//! is found among all keys. (The engine has events for renamed keys. But in Valkey 8, a client
//! whose command causes one in another database finds itself in that database.)

use std::collections::{BTreeSet, HashMap};
use std::ffi::c_int;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cf::Filter;

use crate::metrics;

/// The place of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) database: c_int,
    pub(crate) name: Box<[u8]>,
}

/// An entry of the list, which is removed with the value.
#[derive(Debug)]
pub(crate) struct Listed {
    number: u64,
    place: Place,
}

/// A filter whose rotation is due.
#[derive(Debug)]
pub(crate) struct Due {
    entry: u64,
    pub(crate) place: Place,
    /// Whether nothing was added to it since this node took its present role.
    pub(crate) is_untouched: bool,
}

#[derive(Debug)]
struct Entry {
    filter: Arc<Filter>,
    place: Place,
    /// The time of the next check.
    next: Instant,
    /// Whether it belongs to another node until its slot is here.
    is_imported: bool,
    is_untouched: bool,
    is_lost: bool,
}

#[derive(Debug, Default)]
struct Windows {
    last: u64,
    lost: usize,
    entries: HashMap<u64, Entry>,
    by_time: BTreeSet<(Instant, u64)>,
}

static WINDOWS: LazyLock<Mutex<Windows>> = LazyLock::new(Mutex::default);

/// The time until the next try for a filter that could not be rotated.
const LATER: Duration = Duration::from_millis(10);

/// Longer than any filter waits: for a time that cannot be computed.
const NEVER: Duration = Duration::from_secs(1 << 32);

fn windows() -> MutexGuard<'static, Windows> {
    // Ignore poison: nothing in it is ever half done.
    WINDOWS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn next_of(filter: &Filter) -> Instant {
    let next = filter.next_rotation();
    next.unwrap_or_else(|| Instant::now() + NEVER)
}

/// Lists a filter.
pub(crate) fn list(filter: Arc<Filter>, place: Place, is_imported: bool) -> Listed {
    metrics::WINDOWS.add(1);
    let next = next_of(&filter);
    let mut windows = windows();
    windows.last += 1;
    let number = windows.last;
    windows.by_time.insert((next, number));
    let entry = Entry {
        filter,
        place: place.clone(),
        next,
        is_imported,
        is_untouched: true,
        is_lost: false,
    };
    windows.entries.insert(number, entry);
    Listed { number, place }
}

impl Drop for Listed {
    fn drop(&mut self) {
        metrics::WINDOWS.subtract(1);
        let mut windows = windows();
        let entry = windows.entries.remove(&self.number);
        if let Some(entry) = &entry {
            windows.by_time.remove(&(entry.next, self.number));
            windows.lost -= usize::from(entry.is_lost);
        }
        drop(windows);
        // Drop the entry, and perhaps the filter, without the lock.
        drop(entry);
    }
}

impl Listed {
    /// Records that a command finds it under this key, which may have changed.
    pub(crate) fn is_at(&mut self, database: c_int, name: &[u8]) {
        if self.place.database == database && *self.place.name == *name {
            return;
        }
        let name = name.into();
        self.place = Place { database, name };
        let mut windows = windows();
        if let Some(entry) = windows.entries.get_mut(&self.number) {
            entry.place.clone_from(&self.place);
        }
        windows.set_lost(self.number, false);
    }

    /// Records that a search finds it under this key, if it is lost.
    pub(crate) fn find(&mut self, database: c_int, name: &[u8]) {
        let entry = windows()
            .entries
            .get(&self.number)
            .map(|entry| entry.is_lost);
        if entry == Some(true) {
            // Forget the old place.
            self.place.name = [].into();
            self.is_at(database, name);
        }
    }

    /// Records that something was added to it.
    pub(crate) fn touch(&self) {
        if let Some(entry) = windows().entries.get_mut(&self.number) {
            entry.is_untouched = false;
        }
    }

    /// Records that it has rotated, or is older than before.
    pub(crate) fn aged(&self) {
        let mut windows = windows();
        let next = windows
            .entries
            .get(&self.number)
            .map(|entry| next_of(&entry.filter));
        if let Some(next) = next {
            windows.wait(self.number, next);
        }
    }

    pub(crate) fn is(&self, due: &Due) -> bool {
        self.number == due.entry
    }
}

impl Windows {
    fn set_lost(&mut self, number: u64, is_lost: bool) {
        if let Some(entry) = self.entries.get_mut(&number) {
            self.lost += usize::from(is_lost);
            self.lost -= usize::from(entry.is_lost);
            entry.is_lost = is_lost;
        }
    }

    /// Sets the time of the next check of an entry.
    fn wait(&mut self, number: u64, next: Instant) {
        if let Some(entry) = self.entries.get_mut(&number) {
            self.by_time.remove(&(entry.next, number));
            entry.next = next;
            self.by_time.insert((next, number));
        }
    }
}

/// Records that it is not at its place.
pub(crate) fn lose(due: &Due) {
    windows().set_lost(due.entry, true);
}

/// Returns whether any filter is lost.
pub(crate) fn has_lost() -> bool {
    windows().lost > 0
}

/// Takes one filter whose rotation is due, and sets its next check a little later, whatever becomes
/// of it.
pub(crate) fn take_due(now: Instant) -> Option<Due> {
    let mut windows = windows();
    loop {
        let &(next, number) = windows.by_time.first().filter(|(next, _)| *next <= now)?;
        windows.wait(number, now.max(next) + LATER);
        let entry = windows.entries.get(&number)?;
        // Do not rotate a filter that another thread still cleans, so that no command waits for
        // that.
        let can_rotate = !entry.is_imported && entry.filter.is_clean();
        if can_rotate {
            return Some(Due {
                entry: number,
                place: entry.place.clone(),
                is_untouched: entry.is_untouched,
            });
        }
    }
}

/// Returns the time of the next check of all filters.
pub(crate) fn next() -> Option<Instant> {
    windows().by_time.first().map(|&(next, _)| next)
}

/// Counts additions from now on.
pub(crate) fn begin_anew() {
    let mut windows = windows();
    let entries = windows.entries.values_mut();
    entries.for_each(|entry| entry.is_untouched = true);
}

/// Empties the forgotten generations of all filters. For the end of a load, before any command: a
/// filter that is not clean then would be passed over, and its overdue rotations not caught up.
pub(crate) fn clean_all() {
    let filters = |windows: MutexGuard<'_, Windows>| -> Vec<_> {
        let entries = windows.entries.values();
        entries.map(|entry| Arc::clone(&entry.filter)).collect()
    };
    // Without the lock, which the thread that cleans does not need but commands do.
    for filter in filters(windows()) {
        filter.clean();
    }
}

/// Takes over the filters that came from other nodes.
pub(crate) fn take_over() {
    let mut windows = windows();
    let entries = windows.entries.values_mut();
    entries.for_each(|entry| entry.is_imported = false);
}

/// Empties the forgotten generation of the filter in another thread. That takes 50 ms for a million
/// items.
pub(crate) fn clean(filter: &Arc<Filter>) {
    static CLEANER: LazyLock<Option<Sender<Arc<Filter>>>> = LazyLock::new(|| {
        let (sender, filters) = channel::<Arc<Filter>>();
        let again = sender.clone();
        let run = move || {
            for filter in filters {
                filter.clean();
                // If other threads disturbed it, try again: the filter rotates no more until then.
                if !filter.is_clean() && Arc::strong_count(&filter) > 1 {
                    thread::sleep(LATER);
                    let _ = again.send(filter);
                }
            }
        };
        let thread = thread::Builder::new().name("cf-cleaner".to_owned());
        thread.spawn(run).ok().map(|_| sender)
    });
    let sender = CLEANER.as_ref();
    if sender.is_none_or(|sender| sender.send(Arc::clone(filter)).is_err()) {
        filter.clean();
    }
}
