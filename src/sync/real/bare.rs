//! Threads where there is no standard library: nothing is known of them but where their stacks are.

pub(crate) use core::hint::spin_loop as yield_now;

/// No number belongs to one thread alone.
pub(crate) const EXCLUSIVE: usize = 0;

/// A number below 2^16 that is mostly the same in one thread and another in another, by the address of a local
/// variable. It only spreads load: nothing may depend on it.
#[inline]
pub(crate) fn thread_index() -> usize {
    /// The smallest stacks are about as large. Within one, calls of different depth give few numbers.
    const STACK_BITS: u32 = 12;
    /// 2^64 over the golden ratio: stacks that follow each other give numbers far apart.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let local = 0u8;
    let stack = (&raw const local).addr() as u64 >> STACK_BITS;
    (stack.wrapping_mul(SPREAD) >> 48) as usize
}

/// A guess at the number of threads the machine runs at once.
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
            // Else a thread might get the stack of one that has ended.
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
