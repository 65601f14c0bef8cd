//! Threads without the standard library: the crate knows only where their stacks are.

pub(crate) use core::hint::spin_loop as yield_now;

/// No number belongs to one thread alone.
pub(crate) const EXCLUSIVE: usize = 0;

/// A number below 2^16 from the address of a local variable. It is mostly the same within a thread, and mostly
/// different between threads. It only spreads load: nothing may depend on it.
#[inline]
pub(crate) fn thread_index() -> usize {
    /// About the size of the smallest stacks. Calls of different depth in one stack give few different numbers.
    const STACK_BITS: u32 = 12;
    /// 2^64 divided by the golden ratio: neighbouring stacks get numbers that are far apart.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let local = 0u8;
    let stack = (&raw const local).addr() as u64 >> STACK_BITS;
    (stack.wrapping_mul(SPREAD) >> 48) as usize
}

/// A guess at the number of threads that the machine runs at once.
pub(crate) fn parallelism() -> usize {
    16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Barrier;

    #[test]
    fn threads_spread_over_many_numbers() {
        const THREADS: usize = 64;
        let all_have_one = Barrier::new(THREADS);
        let number = || {
            let number = thread_index();
            assert!(number < 1 << 16);
            // Without this, a thread might get the stack of one that has ended.
            all_have_one.wait();
            number
        };
        let numbers: HashSet<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(number)).collect();
            let numbers = threads.into_iter().map(|thread| thread.join());
            numbers.map(|number| number.expect("no panic")).collect()
        });
        assert!(numbers.len() > THREADS / 2, "{} numbers", numbers.len());
    }
}
