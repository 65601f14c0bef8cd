//! Writes what the batches give in the order of the capture, however the workers finish.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whatever takes one piece after the other.
pub(super) trait Output {
    type Piece;

    /// The bytes of memory that a piece takes, about.
    fn bytes(piece: &Self::Piece) -> usize;

    fn write(&mut self, piece: Self::Piece) -> io::Result<()>;
}

/// Pieces and bytes that may wait for an earlier batch. If a worker stands still for longer, its batch is written late:
/// the memory stays bounded.
const WAITING: usize = 1 << 14;
const WAITING_BYTES: usize = 64 << 20;

/// The writer behind a lock that is taken once for a batch.
pub(super) struct Ordered<W: Output>(Mutex<State<W>>);

struct State<W: Output> {
    writer: W,
    /// The batch that is to be written next.
    next: u64,
    waiting: BTreeMap<u64, W::Piece>,
    /// Those of all that wait.
    bytes: usize,
    /// The first error. After it nothing is written.
    failure: Option<io::Error>,
}

/// Nothing can be written any more.
pub(super) struct Failed;

impl<W: Output> Ordered<W> {
    pub(super) fn new(writer: W) -> Self {
        Self(Mutex::new(State {
            writer,
            next: 0,
            waiting: BTreeMap::new(),
            bytes: 0,
            failure: None,
        }))
    }

    /// Takes the piece of a batch, and writes all whose turn it is. Batches are numbered from 0.
    pub(super) fn put(&self, number: u64, piece: W::Piece) -> Result<(), Failed> {
        let mut state = lock(&self.0);
        state.bytes += W::bytes(&piece);
        state.waiting.insert(number, piece);
        if state.waiting.len() > WAITING || state.bytes > WAITING_BYTES {
            state.skip();
        }
        state.write();
        match state.failure {
            Some(_) => Err(Failed),
            None => Ok(()),
        }
    }

    /// Writes the rest. Gives the writer, and the first error of all.
    pub(super) fn finish(self) -> (W, io::Result<()>) {
        let mut state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        while !state.waiting.is_empty() {
            state.skip();
            state.write();
        }
        (state.writer, state.failure.map_or(Ok(()), Err))
    }
}

impl<W: Output> State<W> {
    /// Waits no longer for what is missing before the first that is there.
    fn skip(&mut self) {
        if let Some((&first, _)) = self.waiting.first_key_value() {
            self.next = self.next.max(first);
        }
    }

    fn write(&mut self) {
        while let Some(entry) = self.waiting.first_entry()
            && *entry.key() <= self.next
        {
            let (number, piece) = entry.remove_entry();
            self.bytes -= W::bytes(&piece);
            self.next = self.next.max(number + 1);
            if self.failure.is_none() {
                self.failure = self.writer.write(piece).err();
            }
        }
    }
}

/// A panic in the middle of a piece has written some of it, and that is all that it can have done.
fn lock<W: Output>(state: &Mutex<State<W>>) -> MutexGuard<'_, State<W>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes numbers up to one that it has no room for.
    struct Numbers {
        taken: Vec<u64>,
        full_at: u64,
    }

    impl Output for Numbers {
        type Piece = u64;

        /// A large number takes as many as it says, a small one nothing.
        fn bytes(&number: &u64) -> usize {
            let bytes = usize::try_from(number).unwrap_or(usize::MAX);
            if bytes < WAITING { 0 } else { bytes }
        }

        fn write(&mut self, piece: u64) -> io::Result<()> {
            if piece == self.full_at {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.taken.push(piece);
            Ok(())
        }
    }

    fn ordered(full_at: u64) -> Ordered<Numbers> {
        let taken = Vec::new();
        Ordered::new(Numbers { taken, full_at })
    }

    /// What was written before the end, and after it.
    fn written(numbers: impl IntoIterator<Item = u64>) -> [Vec<u64>; 2] {
        let ordered = ordered(u64::MAX);
        for number in numbers {
            assert!(ordered.put(number, number).is_ok());
        }
        let before = lock(&ordered.0).writer.taken.clone();
        let (writer, result) = ordered.finish();
        assert!(result.is_ok());
        [before, writer.taken]
    }

    #[test]
    fn pieces_are_written_in_order_as_soon_as_they_can_be() {
        let [before, all] = written([1, 2, 0, 4, 3, 6, 9, 8]);
        assert_eq!(before, [0, 1, 2, 3, 4]);
        assert_eq!(all, [0, 1, 2, 3, 4, 6, 8, 9]);
    }

    #[test]
    fn a_batch_that_does_not_come_holds_nothing_up_for_ever() {
        let most = WAITING as u64;
        let [before, _] = written(1..most);
        assert!(before.is_empty());
        // Too many pieces, and too many bytes.
        let half = WAITING_BYTES as u64 / 2;
        for first in [1, half] {
            let waiting = if first == 1 { most + 2 } else { 2 };
            let [before, all] = written((first..first + waiting).chain([0]));
            assert_eq!(before, all);
            assert_eq!(all[..2], [first, first + 1]);
            assert_eq!(all.last(), Some(&0), "the late one comes late");
        }
    }

    #[test]
    fn after_an_error_nothing_is_written() {
        let at_once = ordered(3);
        let results = (0..6).map(|number| at_once.put(number, number).is_ok());
        let results: Vec<bool> = results.collect();
        assert_eq!(results, [true, true, true, false, false, false]);
        let at_the_end = ordered(3);
        assert!([2, 3, 4].map(|number| at_the_end.put(number, number).is_ok()) == [true; 3]);
        for (ordered, expected) in [(at_once, &[0, 1, 2][..]), (at_the_end, &[2])] {
            let (writer, result) = ordered.finish();
            assert_eq!(writer.taken, expected);
            let error = result.expect_err("it is full");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
