//! Simulated caches, and the work that is counted in them. The program `cache-lines` says more.

pub mod caches;
pub mod ledger;
pub mod locks;
pub mod mix;
