//! Insertion: one exchange if there is room, otherwise a path of relocations.

use core::hint::select_unpredictable;
use core::iter;

use super::parts::Tokens;
use super::path::{Candidate, CuckooGraph, Hop, LongSearch, ShortSearch, near_hop};
use super::relocation::relocate;
use super::settlement::settle;
use crate::layout::{Bucket, Layout, MIN_BUDGET, Token, Value};
use crate::sync::{self, Event};
use crate::table::sizing::pair_slots;
use crate::table::{Candidates, Word};

/// Attempts of one insert. Two inserts can abort each other's relocations. The bound ends both, so that the filter
/// stays lock-free.
pub(crate) const ATTEMPTS: usize = if sync::MODEL { 3 } else { 64 };

/// Why an insert was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No path to a vacant slot within the budget.
    NoPath,
    /// No attempt succeeded, and other threads disturbed the last one.
    Disturbed,
    /// No attempt succeeded, and the last one found no free descriptor.
    Starved,
    /// Both buckets hold only copies of this class.
    AllCopies,
}

/// How an attempt to open a full pair ended.
pub(super) enum Opened {
    /// Every hop of the path is done; if a token was to be placed, it is.
    Done,
    /// The table changed meanwhile.
    Disturbed,
    /// No descriptor was free.
    Starved,
}

/// Adds one token of this class, with a value.
///
/// Linearization point: the exchange that adds it, or the commit of the last hop that places it. A
/// refusal changes no class: the hops done so far moved tokens between their own candidates.
#[inline]
pub(super) fn insert<L: Layout>(
    tokens: &Tokens<L>,
    hash: u64,
    value: Value,
) -> Result<(), Refusal> {
    let pair = tokens.table.pair(hash);
    let class = pair.class();
    let token = Token::with_value(class.fingerprint, value);
    let (a, b) = pair.load();
    if Word::are_plain(a, b) && add_to(tokens, class, token, a.plain(), b.plain()) == Some(true) {
        return Ok(());
    }
    insert_slowly(tokens, hash, value)
}

/// [`insert`] in full: for frozen words, for a full pair, and after a lost exchange.
#[cold]
#[inline(never)]
fn insert_slowly<L: Layout>(tokens: &Tokens<L>, hash: u64, value: Value) -> Result<(), Refusal> {
    let class = tokens.table.candidates(hash);
    insert_token(tokens, class, Token::with_value(class.fingerprint, value))
}

/// Adds this token of this class.
pub(super) fn insert_token<L: Layout>(
    tokens: &Tokens<L>,
    class: Candidates,
    token: Token<L>,
) -> Result<(), Refusal> {
    let mut refusal = Refusal::Disturbed;
    for _ in 0..ATTEMPTS {
        match open(tokens, class, Some(token))? {
            Opened::Done => return Ok(()),
            // Another thread may have made room, which needs no path.
            Opened::Disturbed | Opened::Starved if add(tokens, class, token) => return Ok(()),
            Opened::Disturbed => refusal = Refusal::Disturbed,
            Opened::Starved => refusal = Refusal::Starved,
        }
    }
    Err(refusal)
}

/// Adds to the emptier candidate; false if both are full.
fn add<L: Layout>(tokens: &Tokens<L>, class: Candidates, token: Token<L>) -> bool {
    loop {
        let (a, b) = (settle(tokens, class.first), settle(tokens, class.second));
        match add_to(tokens, class, token, a, b) {
            None => return false,
            Some(true) => return true,
            // Lost to another writer, so the system as a whole made progress: retry.
            Some(false) => {}
        }
    }
}

/// Adds to the emptier of two buckets that held `a` and `b`. `None` if both are full, false if that one
/// has changed.
#[inline]
fn add_to<L: Layout>(
    tokens: &Tokens<L>,
    class: Candidates,
    token: Token<L>,
    a: Bucket<L>,
    b: Bucket<L>,
) -> Option<bool> {
    // Selects without a branch, because the choice is unpredictable.
    let first_is_emptier = a.vacancies() >= b.vacancies();
    let bucket = select_unpredictable(first_is_emptier, class.first, class.second);
    let content = select_unpredictable(first_is_emptier, a, b);
    let added = content.with(token)?;
    Some(tokens.table.exchange(bucket, content, added))
}

/// Finds a path that opens a slot of a full pair and executes it. The last hop puts `placed` into the
/// opened slot, so that nobody else can take it.
pub(super) fn open<L: Layout>(
    graph: &impl CuckooGraph<L>,
    class: Candidates,
    placed: Option<Token<L>>,
) -> Result<Opened, Refusal> {
    let (a, b) = (graph.look(class.first), graph.look(class.second));
    if a.has_room() || b.has_room() {
        // Another thread has made room since the caller found the pair full, and the caller can add there.
        return Ok(Opened::Disturbed);
    }
    let left = graph.budget() - MIN_BUDGET;
    let a = Candidate::of(graph, class.first, a, class.second, left);
    let left = left.saturating_sub(L::SLOTS);
    let b = Candidate::of(graph, class.second, b, class.first, left);
    match near_hop([&a, &b]) {
        Some(hop) => Ok(execute(graph, iter::once(hop), placed)),
        None => open_by_search(graph, class, [&a, &b], placed),
    }
}

/// [`open`] by a longer path. A separate function, so that only inserts that need more than one hop pay for its stack
/// frame of more than 1 KiB.
#[inline(never)]
fn open_by_search<L: Layout>(
    graph: &impl CuckooGraph<L>,
    class: Candidates,
    candidates: [&Candidate<L>; 2],
    placed: Option<Token<L>>,
) -> Result<Opened, Refusal> {
    match ShortSearch::new().run(graph, candidates, graph.budget()) {
        Some(path) => Ok(execute(graph, path, placed)),
        None if ShortSearch::<L>::suits(graph) => refusal(graph, class),
        None => open_far(graph, class, candidates, placed),
    }
}

/// [`open`] with the whole search budget. A separate function, so that inserts seldom pay for its stack frame of 33
/// KiB.
#[inline(never)]
fn open_far<L: Layout>(
    graph: &impl CuckooGraph<L>,
    class: Candidates,
    candidates: [&Candidate<L>; 2],
    placed: Option<Token<L>>,
) -> Result<Opened, Refusal> {
    match LongSearch::new().run(graph, candidates, graph.budget()) {
        Some(path) => Ok(execute(graph, path, placed)),
        None => refusal(graph, class),
    }
}

fn execute<L: Layout>(
    graph: &impl CuckooGraph<L>,
    path: impl Iterator<Item = Hop<L>>,
    placed: Option<Token<L>>,
) -> Opened {
    // After the search, so that a descriptor is held for the hops only.
    let Some(mut claim) = graph.pool().claim() else {
        // As in `Pool::claim`: the owners may need the processor.
        sync::happened(Event::Starved);
        sync::yield_now();
        return Opened::Starved;
    };
    for hop in path {
        if !relocate(graph, &mut claim, hop, placed.filter(|_| hop.last)) {
            return Opened::Disturbed;
        }
    }
    Opened::Done
}

/// Returns why no path was found. It reads one bucket after the other. So if other threads write, the copies need not
/// have been stored at the same time, and `AllCopies` may be wrong.
fn refusal<L: Layout>(graph: &impl CuckooGraph<L>, class: Candidates) -> Result<Opened, Refusal> {
    let pair = [graph.look(class.first), graph.look(class.second)];
    let copies = || {
        let buckets = [class.first, class.second].into_iter().zip(pair);
        buckets.map(|(bucket, content)| graph.copies(bucket, content, class))
    };
    if pair.iter().any(|bucket| bucket.has_room()) {
        // Another thread has removed one meanwhile.
        Ok(Opened::Disturbed)
    } else if copies().sum::<usize>() == pair_slots::<L>() {
        Err(Refusal::AllCopies)
    } else {
        Err(Refusal::NoPath)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{LONG_BUDGET, Lanes};
    use crate::table::{Geometry, Table};

    #[test]
    fn who_finds_no_descriptor_is_told_so() {
        let geometry = Geometry::<Lanes<4, 16>>::with_buckets(64).expect("accepted");
        let table = Table::new(geometry).expect("memory");
        let tokens = Tokens::with_table(table, LONG_BUDGET, Some(1)).expect("memory");
        let claim = tokens.pool.claim();
        // Where there is room, an admission needs one and an insert does not.
        assert_eq!(tokens.insert_unique(1), Err(Refusal::Starved));
        let mut hashes = (1u64..).map(|item| item.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let refused = hashes.find_map(|hash| Some((hash, tokens.insert(hash, 0).err()?)));
        let (hash, refusal) = refused.expect("two buckets are full in the end");
        assert_eq!(refusal, Refusal::Starved);
        drop(claim);
        assert_eq!(tokens.insert(hash, 0), Ok(()));
    }
}
