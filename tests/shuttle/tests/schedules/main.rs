//! Random schedules of the shipping code.
//!
//! 1. `paths`: items that hop along paths of several relocations are found by every lookup, and nothing is lost
//!    or invented, in tables made for it and in random ones that are nearly full.
//! 2. `starvation`: the same with a single descriptor for six threads.
//! 3. `admission`: of threads that race to add an absent item, exactly one is told true.
//! 4. `removal`: of threads that race to remove a token that hops, exactly one is told true.
//! 5. `twins`: a class that is never empty is never missed, while its tokens come and go.
//! 6. `scan`: a snapshot holds what was in throughout.
//! 7. `histories`: what several threads see of each class is linearizable, whatever they do.
//! 8. `counting`: the number of items is exact once the threads are done.
//! 9. `doubling`: all of this while a table doubles.
//! 10. `growths`: a growth ends, whoever begins or ends it, up to the last level and beyond.
//!
//! Each test says which events it is about, and fails if they did not happen.
#![cfg(lockfree_cuckoo_shuttle)]

mod admission;
mod caravan;
mod counting;
mod doubling;
mod growths;
mod histories;
mod paths;
mod removal;
mod scan;
mod starvation;
mod twins;
