//! Random programs: shared by all machines. A seed gives the same programs on every machine, and
//! must not change.

use std::collections::HashSet;

use model::mix;

use crate::notation::{Kind, Notation, Program};

/// A generator of random numbers: SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// The share of each kind of call.
pub(crate) type Shares = &'static [(Kind, usize)];

/// Makes shares from kinds and numbers.
macro_rules! shares {
    ($($kind:ident $share:literal),*) => { &[$(($crate::notation::Kind::$kind, $share)),*] };
}

pub(crate) use shares;

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        let mixed = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub(crate) fn kind(&mut self, shares: Shares) -> Kind {
        let mut at = self.below(shares.iter().map(|(_, share)| share).sum());
        let kind = shares.iter().find_map(|&(kind, share)| {
            let here = at < share;
            at = at.wrapping_sub(share);
            here.then_some(kind)
        });
        kind.expect("the shares add up")
    }
}

/// The distribution of calls over threads: at least one and at most three for each.
#[derive(Debug)]
pub(crate) struct Deal {
    threads: usize,
    calls: usize,
}

impl Deal {
    /// Distributes this number of calls, or one for each thread.
    pub(crate) fn new(threads: usize, calls: usize) -> Self {
        let calls = calls.max(threads);
        Self { threads, calls }
    }

    /// Returns the number of calls of the next thread.
    pub(crate) fn next(&mut self, random: &mut Random) -> usize {
        let most = (self.calls + 1 - self.threads).min(3);
        let calls = 1 + random.below(most);
        self.calls -= calls;
        self.threads -= 1;
        calls
    }
}

/// Returns this number of the programs that `make` returns, distinct up to the order of their
/// threads.
pub(crate) fn distinct<M: Notation>(
    number: usize,
    mut make: impl FnMut() -> Option<Program<M>>,
) -> Vec<Program<M>> {
    let mut known = HashSet::new();
    let mut programs = Vec::new();
    while programs.len() < number {
        let made = make().filter(|program| M::fits(program).is_ok());
        let new = made.filter(|program| known.insert(program.to_string()));
        programs.extend(new);
    }
    programs
}
