//! Rotations: make filters with windows forget their oldest items on time.
//!
//! There are two threads. One makes the rotations, each of which is one step, so that none delays
//! another. The second empties the forgotten generations, which takes longer the larger the filter
//! is. No command waits for either.
//!
//! A filter whose last rotation is not cleaned up yet rotates once it is. If a client reserves a
//! window that is both short and large, the rotations of this filter are late, and those of other
//! filters are not.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use cf::Filter;

/// The filters with windows, until they are gone.
#[derive(Debug)]
pub(crate) struct Rotations {
    due: Mutex<Due>,
    /// Notified when something is due earlier than before.
    earlier: Condvar,
    forgotten: mpsc::Sender<Weak<Filter>>,
}

/// The filters in the order in which they are to be checked, with a number that distinguishes
/// equal times.
#[derive(Debug, Default)]
struct Due {
    filters: BTreeMap<(Instant, u64), Weak<Filter>>,
    next_number: u64,
    /// The number of filters above which those that are gone are dropped.
    enough: usize,
}

/// The time until the next try for a filter that could not be rotated.
const RETRY: Duration = Duration::from_millis(5);

impl Rotations {
    /// Starts the threads, which run until the process ends.
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let (forgotten, to_clean) = mpsc::channel::<Weak<Filter>>();
        let again = forgotten.clone();
        let rotations = Arc::new(Self {
            due: Mutex::default(),
            earlier: Condvar::new(),
            forgotten,
        });
        let rotator = Arc::clone(&rotations);
        spawn("rotations", move || rotator.rotate_all())?;
        spawn("cleaning", move || {
            for filter in to_clean {
                let Some(filter) = filter.upgrade() else {
                    continue;
                };
                filter.clean();
                // If other threads disturbed it, try again: the filter rotates no more until then.
                if !filter.is_clean() {
                    thread::sleep(RETRY);
                    let _ = again.send(Arc::downgrade(&filter));
                }
            }
        })?;
        Ok(rotations)
    }

    /// Rotates the filter from now on, if it has a window.
    pub(crate) fn add(&self, filter: &Arc<Filter>) {
        // A filter that caught up when it was loaded has forgotten a generation.
        if !filter.is_clean() {
            self.clean(filter);
        }
        if let Some(time) = filter.next_rotation() {
            let mut due = self.due();
            let is_earlier = due.first().is_none_or(|first| time < first);
            due.add(time, Arc::downgrade(filter));
            if is_earlier {
                self.earlier.notify_one();
            }
        }
    }

    /// Empties the forgotten generation of the filter, in another thread.
    pub(crate) fn clean(&self, filter: &Arc<Filter>) {
        // The thread runs until the process ends.
        let _ = self.forgotten.send(Arc::downgrade(filter));
    }

    fn rotate_all(&self) {
        loop {
            for filter in self.wait() {
                // The filter may be gone.
                if let Some(filter) = filter.upgrade() {
                    self.rotate(&filter);
                }
            }
        }
    }

    /// Rotates the filter if that is due, and sets the time of the next check.
    fn rotate(&self, filter: &Arc<Filter>) {
        let now = Instant::now();
        let rotated = if filter.is_clean() {
            filter.rotate_if_due(now)
        } else {
            Ok(false)
        };
        match rotated {
            Ok(true) => self.clean(filter),
            Ok(false) => {}
            Err(error) => log::warn!(error:%; "a rotation failed: trying again"),
        }
        let next = filter.next_rotation().map(|next| next.max(now + RETRY));
        if let Some(next) = next {
            self.due().add(next, Arc::downgrade(filter));
        }
    }

    /// Waits until filters are due, and takes them.
    fn wait(&self) -> Vec<Weak<Filter>> {
        let mut due = self.due();
        loop {
            let now = Instant::now();
            let taken = due.take(now);
            if !taken.is_empty() {
                return taken;
            }
            due = match due.first() {
                // Ignore poison: nothing in it is ever half done.
                None => self
                    .earlier
                    .wait(due)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(first) => {
                    let rest = first.saturating_duration_since(now);
                    let waited = self.earlier.wait_timeout(due, rest);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn due(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Due {
    fn first(&self) -> Option<Instant> {
        self.filters.keys().next().map(|(time, _)| *time)
    }

    fn add(&mut self, time: Instant, filter: Weak<Filter>) {
        // Otherwise filters with long windows that are made and deleted would fill the memory.
        if self.filters.len() >= self.enough {
            self.filters.retain(|_, filter| filter.strong_count() > 0);
            self.enough = 64.max(2 * self.filters.len());
        }
        self.filters.insert((time, self.next_number), filter);
        self.next_number += 1;
    }

    /// Takes all filters that are due at this time.
    fn take(&mut self, now: Instant) -> Vec<Weak<Filter>> {
        let later = self.filters.split_off(&(now, u64::MAX));
        let taken = std::mem::replace(&mut self.filters, later);
        taken.into_values().collect()
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map(drop)
}

#[cfg(test)]
mod tests {
    use cf::{Settings, Window};

    use super::*;

    /// Makes a filter with a window of this many hours.
    fn window(hours: u64) -> Arc<Filter> {
        let settings = Settings {
            window: Window::new(Duration::from_secs(3_600 * hours), 2),
            ..Settings::new(10, false)
        };
        Arc::new(Filter::new(settings, usize::MAX, usize::MAX).expect("room"))
    }

    #[test]
    fn takes_filters_when_they_are_due() {
        let mut due = Due::default();
        let now = Instant::now();
        let filters = [3, 1, 2, 2].map(|hours| (hours, window(hours)));
        let time = |hours: u64| now + Duration::from_secs(3_600 * hours);
        for (hours, filter) in &filters {
            due.add(time(*hours), Arc::downgrade(filter));
        }
        assert_eq!(due.first(), Some(time(1)));
        assert_eq!(due.take(now).len(), 0);
        let taken = due.take(time(2));
        let taken: Vec<_> = taken.iter().filter_map(Weak::upgrade).collect();
        let expected = [1, 2, 3].map(|index: usize| &filters[index].1);
        assert!(
            taken.len() == 3
                && taken
                    .iter()
                    .zip(expected)
                    .all(|(one, other)| Arc::ptr_eq(one, other))
        );
        assert_eq!(due.take(time(3)).len(), 1);
        assert_eq!(due.first(), None);
    }

    #[test]
    fn filters_that_are_gone_free_their_memory() {
        let rotations = Rotations::start().expect("threads");
        let kept: Vec<_> = (0..100).map(|_| window(1_000)).collect();
        kept.iter().for_each(|filter| rotations.add(filter));
        (0..10_000).for_each(|_| rotations.add(&window(1_000)));
        let filters = rotations.due().filters.len();
        assert!((100..=200).contains(&filters), "{filters}");
    }
}
