//! The line between the engine and Rust: a panic that crossed it would end the engine with all its data.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does the work, or returns `otherwise` if it panics.
pub(crate) fn guarded<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // What a panic leaves half done is a reply or a value of its own; filters are always whole.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_ends_at_the_line() {
        assert_eq!(guarded(1, || 2), 2);
        assert_eq!(guarded(1, || panic!("on purpose")), 1);
    }
}
