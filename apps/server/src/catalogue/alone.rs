//! Exclusive access: takes a filter away from other threads, to make it smaller.

use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use cf::Filter;

use super::{Catalogue, Loan, Place, reserved, take};

/// The number of tries to get a filter exclusively, and the pause between them, in which other
/// threads use it.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// The number of checks, once it is away, whether earlier users have finished, and the pause
/// between them. Other threads wait.
const LOOKS: usize = 20;
const LOOK_PAUSE: Duration = Duration::from_micros(250);

/// An error: other threads used the filter all the time.
#[derive(Debug, thiserror::Error)]
#[error("the filter is in use: commands of many items, or copies of it, take long; try again")]
pub(crate) struct InUse;

/// A filter that is away until this is dropped.
struct Away<'a> {
    catalogue: &'a Catalogue,
    key: Arc<[u8]>,
    filter: Arc<Filter>,
    lock: &'a Arc<Mutex<()>>,
    /// Keeps the memory of the filter reserved.
    _loan: Loan,
}

impl Catalogue {
    /// Makes the filter of a key as small as its items allow. Returns false if there is none.
    ///
    /// Commands on the filter that come meanwhile wait for that.
    ///
    /// # Errors
    ///
    /// If other threads use it during all tries.
    pub(crate) fn shrink(&self, key: &[u8]) -> Result<bool, InUse> {
        for _ in 0..TRIES {
            let Some(filter) = self.get(key) else {
                return Ok(false);
            };
            if !filter.settings().grows() {
                return Ok(true);
            }
            // Two references: of the map and of this call. Other users may take long, and no
            // command should wait for them.
            if Arc::strong_count(&filter) == 2 && self.try_to_shrink(filter, key) {
                return Ok(true);
            }
            sleep(PAUSE);
        }
        Err(InUse)
    }

    fn try_to_shrink(&self, filter: Arc<Filter>, key: &[u8]) -> bool {
        let lock = Arc::default();
        let _until_it_is_back = take(&lock);
        let Some(mut away) = self.take_away(filter, key, &lock) else {
            return false;
        };
        (0..LOOKS).any(|_| match Arc::get_mut(&mut away.filter) {
            Some(filter) => {
                filter.shrink_to_fit();
                true
            }
            None => {
                sleep(LOOK_PAUSE);
                false
            }
        })
    }

    /// Takes the filter away, unless the key has another one by now.
    fn take_away<'a>(
        &'a self,
        filter: Arc<Filter>,
        key: &[u8],
        lock: &'a Arc<Mutex<()>>,
    ) -> Option<Away<'a>> {
        let turn = self.take_turn();
        let filters = self.filters();
        let (key, place) = filters.get_key_value(key)?;
        let is_it = place.here().is_some_and(|here| Arc::ptr_eq(here, &filter));
        is_it.then(|| {
            let loan = Loan::of(&self.pool, reserved(key, &filter));
            self.put(Arc::clone(key), Place::Away(Arc::clone(lock)), &turn);
            Away {
                catalogue: self,
                key: Arc::clone(key),
                filter,
                lock,
                _loan: loan,
            }
        })
    }
}

impl Drop for Away<'_> {
    fn drop(&mut self) {
        let turn = self.catalogue.take_turn();
        let is_awaited = match self.catalogue.filters().get(&self.key) {
            Some(Place::Away(lock)) => Arc::ptr_eq(lock, self.lock),
            // It was removed meanwhile, and another one may be there.
            _ => false,
        };
        if is_awaited {
            let place = Place::Here(Arc::clone(&self.filter));
            self.catalogue.put(Arc::clone(&self.key), place, &turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::scope;

    use cf::Settings;
    use clap::Parser;

    use super::*;
    use crate::args::Args;
    use crate::rotations::Rotations;

    /// Makes a catalogue with one growing filter.
    fn catalogue() -> (Catalogue, Arc<Filter>) {
        let args = Args::parse_from(["lockfree-cuckoo-server"]);
        let rotations = Rotations::start().expect("threads");
        let catalogue = Catalogue::new(&args.filters, &args.limits, rotations);
        let filter = catalogue.get_or_create(b"f", settings()).expect("room");
        (catalogue, filter)
    }

    fn settings() -> Settings {
        Settings::new(100, true)
    }

    fn add(filter: &Filter, items: std::ops::Range<u32>) {
        for item in items {
            filter.insert(&item.to_le_bytes()).expect("room");
        }
    }

    fn remove(filter: &Filter, items: std::ops::Range<u32>) {
        for item in items {
            assert!(filter.remove(&item.to_le_bytes(), 0));
        }
    }

    #[test]
    fn shrinks_a_filter_without_users() {
        let (catalogue, filter) = catalogue();
        assert!(!catalogue.shrink(b"none").expect("it is not in use"));
        let (start, before) = (filter.slots(), catalogue.reserved());
        add(&filter, 0..10_000);
        remove(&filter, 0..10_000);
        let (grown, identity) = (filter.slots(), filter.identity());
        assert!(start < grown && before < catalogue.reserved());
        scope(|scope| {
            let shrinks = scope.spawn(|| catalogue.shrink(b"f"));
            // Other users can still use it.
            while !shrinks.is_finished() {
                let found = catalogue.filters().get(b"f".as_slice()).cloned();
                assert!(matches!(found, Some(Place::Here(_))));
                drop(found);
                sleep(PAUSE);
            }
            assert!(shrinks.join().expect("no panic").is_err());
        });
        assert_eq!(filter.slots(), grown);
        drop(filter);
        assert!(catalogue.shrink(b"f").expect("it is not in use"));
        let filter = catalogue.get(b"f").expect("it is back");
        assert!(identity == filter.identity());
        assert_eq!(filter.slots(), start);
        assert!(catalogue.reserved() <= before);
    }

    /// Checks that users find it although it is taken away again and again.
    #[test]
    fn other_users_find_the_filter_again() {
        let (catalogue, filter) = catalogue();
        drop(filter);
        let is_over = AtomicBool::new(false);
        scope(|scope| {
            let users: Vec<_> = (0..2_u32)
                .map(|user| {
                    let (catalogue, is_over) = (&catalogue, &is_over);
                    scope.spawn(move || {
                        let items = user * 1_000..(user + 1) * 1_000;
                        let mut rounds = 0;
                        while !is_over.load(Ordering::Relaxed) || rounds < 3 {
                            for item in items.clone() {
                                let filter = catalogue.get(b"f").expect("it is there");
                                add(&filter, item..item + 1);
                            }
                            for item in items.clone() {
                                let made = catalogue.get_or_create(b"f", settings());
                                let filter = made.expect("it is there");
                                assert!(filter.contains(&item.to_le_bytes()));
                                remove(&filter, item..item + 1);
                            }
                            rounds += 1;
                        }
                    })
                })
                .collect();
            let done = (0..10).filter(|_| catalogue.shrink(b"f").is_ok_and(|is_there| is_there));
            assert!(done.count() > 0);
            is_over.store(true, Ordering::Relaxed);
            users
                .into_iter()
                .for_each(|user| user.join().expect("no panic"));
        });
        let filter = catalogue.get(b"f").expect("it is there");
        assert_eq!(filter.items(), 0);
        let alone = catalogue.pool.bytes_of_filters();
        assert_eq!(catalogue.reserved(), alone, "nothing is lent any more");
    }

    /// A filter that is removed while it is away stays removed.
    #[test]
    fn a_removed_filter_stays_removed() {
        let (catalogue, filter) = catalogue();
        let identity = filter.identity();
        let lock = Arc::default();
        let away = catalogue
            .take_away(filter, b"f", &lock)
            .expect("it is there");
        assert!(catalogue.reserved() > 0);
        assert_eq!(catalogue.remove(&[b"f".to_vec()]), 1);
        catalogue.reserve(b"f", settings()).expect("room");
        drop(away);
        assert!(identity.is_gone());
        let filter = catalogue.get(b"f").expect("the other one");
        assert!(catalogue.reserved() == reserved(b"f", &filter));
    }
}
