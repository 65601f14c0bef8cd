//! What all measurements share: threads that start together and are timed, the sizes and the machine
//! that they name, medians, and tables in pages.

pub mod machine;
pub mod markdown;
mod median;
pub mod race;
pub mod sizes;

pub use median::median;
