//! Random schedules of the shipping code.
//!
//! 1. `riders`: items that hop along paths of several relocations are found by every lookup, and nothing is lost or
//!    invented, removed twice or added twice; a snapshot holds what was in throughout.
//! 2. `crowds`: items are counted once, one of many admissions wins, and equal tokens that come and go are never missed.
//! 3. `histories`: what several threads see of each class is linearizable, whatever they do.
//! 4. `doubling`: all of this while a table doubles.
//! 5. `growths`: a growth ends, whoever begins or ends it, up to the last level and beyond.
//!
//! Each test says which events it is about, and fails if they did not happen.
#![cfg(lockfree_cuckoo_shuttle)]

mod caravan;
mod crowds;
mod doubling;
mod growths;
mod histories;
mod riders;
