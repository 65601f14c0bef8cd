//! Races with stopped threads, by what the filter is and what the stopped call does.
#![cfg(lockfree_cuckoo_steps)]

mod alone;
mod doubling;
mod doubling_admissions;
mod fixed;
mod given_back;
mod growths;
mod lookups;
mod nested;
mod rotating_admissions;
mod rotations;
mod snapshots;
