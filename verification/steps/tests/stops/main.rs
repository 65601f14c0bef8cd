//! Races with stopped threads, grouped by the kind of filter and the stopped call.
#![cfg(lockfree_cuckoo_steps)]

mod alone;
mod dead_threads;
mod doubling;
mod doubling_admissions;
mod fixed;
mod fixed_admissions;
mod full;
mod given_back;
mod growths;
mod lookups;
mod nested;
mod rotating_admissions;
mod rotations;
mod snapshots;
