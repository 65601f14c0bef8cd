//! A cell for what only one thread may touch.

/// A value that is shared in name only: the thread that made it gets it, any other panics. The check costs
/// less than the cheapest lock, so it does not decide a comparison.
pub(crate) struct OneThread<T> {
    value: T,
    owner: usize,
}

// SAFETY: `get` is the only way from `&OneThread` to the value, and it lets through none but the thread in
// whose storage `owner` is. If that thread has ended and another has got its storage, the value has in effect
// been sent there, which `T: Send` allows; nobody else has a reference to it.
#[allow(unsafe_code, reason = "the check is made at run time")]
unsafe impl<T: Send> Sync for OneThread<T> {}

impl<T> OneThread<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value,
            owner: this_thread(),
        }
    }

    #[inline]
    pub(crate) fn get(&self) -> &T {
        assert!(self.owner == this_thread(), "not the thread that made it");
        &self.value
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// An address that belongs to the calling thread, which is quicker to have than its identifier.
#[inline]
fn this_thread() -> usize {
    thread_local! {
        static PLACE: u8 = const { 0 };
    }
    PLACE.with(|place| &raw const *place as usize)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use super::*;

    #[test]
    fn lets_no_other_thread_in() {
        let mut cell = OneThread::new(Cell::new(1));
        cell.get().set(2);
        let other = thread::scope(|scope| scope.spawn(|| cell.get().get()).join());
        assert!(other.is_err());
        assert_eq!(cell.get_mut().get(), 2);
    }
}
