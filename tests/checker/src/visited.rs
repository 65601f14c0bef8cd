//! The states that have been visited: a table of hashes with open addressing.

/// Hashes, each with the mark that its state is on the path that is being followed, and the number of steps of
/// the longest schedule from there.
#[derive(Debug)]
pub struct Visited {
    /// 0 is a vacant slot. The lowest bit is the mark; the next is set in all that are taken.
    slots: Vec<u128>,
    ahead: Vec<u16>,
    len: usize,
}

/// What is known of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// It has not been visited before.
    First,
    /// All that follows it has been explored: so many steps, at most.
    Again(u16),
    /// The path that is being followed has come back to it.
    Cycle,
}

const MARK: u128 = 1;
const TAKEN: u128 = 2;
const LEAST: usize = 1 << 10;

impl Visited {
    /// An empty table.
    pub fn new() -> Self {
        Self {
            slots: vec![0; LEAST],
            ahead: vec![0; LEAST],
            len: 0,
        }
    }

    /// How many states have been visited.
    pub fn states(&self) -> usize {
        self.len
    }

    /// Comes to a state, and marks it as on the path if that is the first time.
    pub fn enter(&mut self, hash: u128) -> Visit {
        let at = self.slot_of(hash);
        match self.slots[at] {
            0 => {
                self.slots[at] = hash | TAKEN | MARK;
                self.len += 1;
                if self.len * 2 > self.slots.len() {
                    self.grow();
                }
                Visit::First
            }
            slot if slot & MARK != 0 => Visit::Cycle,
            _ => Visit::Again(self.ahead[at]),
        }
    }

    /// Leaves a state for good, knowing the number of steps of the longest schedule from there.
    pub fn leave(&mut self, hash: u128, ahead: u16) {
        let at = self.slot_of(hash);
        self.slots[at] &= !MARK;
        self.ahead[at] = ahead;
    }

    /// The slot that holds a hash, or would.
    fn slot_of(&self, hash: u128) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 64) as usize & mask;
        while self.slots[at] != 0 && (self.slots[at] ^ hash) & !(TAKEN | MARK) != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        let slots = std::mem::replace(&mut self.slots, vec![0; len]);
        let ahead = std::mem::replace(&mut self.ahead, vec![0; len]);
        for (slot, ahead) in slots.into_iter().zip(ahead) {
            if slot != 0 {
                let at = self.slot_of(slot);
                self.slots[at] = slot;
                self.ahead[at] = ahead;
            }
        }
    }
}

impl Default for Visited {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_states_and_the_path() {
        let mut visited = Visited::new();
        let hashes: Vec<u128> = (1..5_000u128)
            .map(|n| (n * 0x1234_5678_9abc_def1) << 40)
            .collect();
        for &hash in &hashes {
            assert_eq!(visited.enter(hash), Visit::First);
            assert_eq!(visited.enter(hash), Visit::Cycle);
        }
        for &hash in &hashes {
            visited.leave(hash, 7);
            assert_eq!(visited.enter(hash), Visit::Again(7));
        }
        assert_eq!(visited.states(), hashes.len());
    }
}
