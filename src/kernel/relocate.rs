//! Making room in a full pair: finds a path that opens a slot, and executes it, hop by hop, from
//! the vacant slot back to a candidate. A hop moves one token to its alternate bucket, in one
//! atomic step: see [transfers](crate::design::protocol#transfers).

use core::iter;

use crate::kernel::change::change_two_words;
use crate::kernel::descriptor::Claim;
use crate::kernel::geometry::Class;
use crate::kernel::layout::{Layout, Token};
use crate::kernel::outcome::Failure;
#[cfg(feature = "growing")]
use crate::kernel::search::CuckooGraph;
use crate::kernel::search::sizes::MIN_BUDGET;
use crate::kernel::search::{Candidate, CuckooTable, Hop, LongSearch, ShortSearch, near_hop};
use crate::kernel::sizing::pair_slots;
use crate::kernel::transfer::Relocation;
use crate::sync;
use crate::sync::Event;

/// Finds a path that opens a slot of a full pair and executes it. The last hop puts `placed` into
/// the opened slot, so that no other thread can take it.
pub(crate) fn make_room<L: Layout>(
    graph: &impl CuckooTable<L>,
    class: Class,
    placed: Option<Token<L>>,
) -> Result<(), Failure> {
    // Look at both candidates once more, without writing.
    let (a, b) = (graph.look(class.first), graph.look(class.second));
    if a.has_room() || b.has_room() {
        // Another thread has made room since the caller found the pair full, and the caller can add
        // there.
        return Err(Failure::Disturbed);
    }
    // Examine the alternates of all tokens of both, as far as the budget goes.
    let left = graph.budget() - MIN_BUDGET;
    let a = Candidate::of(graph, class.first, a, class.second, left);
    let left = left.saturating_sub(L::SLOTS);
    let b = Candidate::of(graph, class.second, b, class.first, left);
    // Take the hop to the emptiest alternate with room, if there is one; else search on.
    match near_hop([&a, &b]) {
        Some(hop) => execute(graph, iter::once(hop), placed),
        None => make_room_by_search(graph, class, [&a, &b], placed),
    }
}

/// Whether a pair has room, or [`make_room`] would find a path. Changes nothing. A separate search,
/// because one function for both takes more instructions of each insert.
#[cfg(feature = "growing")]
#[inline(never)]
pub(crate) fn can_make_room<L: Layout>(
    graph: &impl CuckooGraph<L>,
    [first, second]: [usize; 2],
) -> bool {
    let (a, b) = (graph.look(first), graph.look(second));
    if a.has_room() || b.has_room() {
        return true;
    }
    // Search in the same order, and as far.
    let budget = graph.budget();
    let left = budget - MIN_BUDGET;
    let a = Candidate::of(graph, first, a, second, left);
    let b = Candidate::of(graph, second, b, first, left.saturating_sub(L::SLOTS));
    let pair = [&a, &b];
    near_hop(pair).is_some()
        || ShortSearch::<L>::new().run(graph, pair, budget).is_some()
        || !ShortSearch::<L>::suits(graph)
            && LongSearch::<L>::new().run(graph, pair, budget).is_some()
}

/// [`make_room`] by a longer path. A separate function, so that only inserts that need more than
/// one hop pay for its stack frame of more than 1 KiB.
#[inline(never)]
fn make_room_by_search<L: Layout>(
    graph: &impl CuckooTable<L>,
    class: Class,
    candidates: [&Candidate<L>; 2],
    placed: Option<Token<L>>,
) -> Result<(), Failure> {
    // Search with few nodes first: most paths are short.
    match ShortSearch::<L>::new().run(graph, candidates, graph.budget()) {
        Some(path) => execute(graph, path, placed),
        // Give up if the short search was all that the budget allows.
        None if ShortSearch::<L>::suits(graph) => failure(graph, class),
        // Begin again with the whole budget.
        None => make_room_far(graph, class, candidates, placed),
    }
}

/// [`make_room`] with the whole search budget. A separate function, so that inserts seldom pay for
/// its stack frame of 33 KiB.
#[inline(never)]
fn make_room_far<L: Layout>(
    graph: &impl CuckooTable<L>,
    class: Class,
    candidates: [&Candidate<L>; 2],
    placed: Option<Token<L>>,
) -> Result<(), Failure> {
    // Search until the budget is used up.
    match LongSearch::<L>::new().run(graph, candidates, graph.budget()) {
        Some(path) => execute(graph, path, placed),
        None => failure(graph, class),
    }
}

fn execute<L: Layout>(
    graph: &impl CuckooTable<L>,
    path: impl Iterator<Item = Hop<L>> + Clone,
    placed: Option<Token<L>>,
) -> Result<(), Failure> {
    // Ask for all lines that the hops will write. Other processors may have changed them, and the
    // hops would wait for one after the other.
    path.clone().for_each(|hop| graph.prefetch_hop(&hop));
    // After the search, so that a descriptor is held for the hops only.
    let mut claim = graph.claim().ok_or(Failure::NoDescriptor)?;
    // Execute the hops from the vacant slot back to a candidate: each fills the slot that the one
    // before it left. Each is atomic by itself, so a path that ends half-way has lost nothing.
    for hop in path {
        // Stop at the first hop that is not possible any more. The last hop places the token in
        // the slot that it vacates.
        if !relocate(graph, &mut claim, hop, placed.filter(|_| hop.last)) {
            return Err(Failure::Disturbed);
        }
    }
    Ok(())
}

/// Returns why no path was found. It reads one bucket after the other. So if other threads write,
/// the copies need not have been stored at the same time, and `TooManyCopies` may be wrong.
fn failure<L: Layout>(graph: &impl CuckooTable<L>, class: Class) -> Result<(), Failure> {
    // Look at both once more.
    let pair = [graph.look(class.first), graph.look(class.second)];
    let copies = || {
        let buckets = [class.first, class.second].into_iter().zip(pair);
        buckets.map(|(bucket, content)| graph.copies(bucket, content, class))
    };
    if pair.iter().any(|bucket| bucket.has_room()) {
        // Another thread has removed one meanwhile.
        Err(Failure::Disturbed)
    } else if copies().sum::<usize>() == pair_slots::<L>() {
        // All slots hold this class: no path can help.
        Err(Failure::TooManyCopies)
    } else {
        Err(Failure::Full)
    }
}

/// Executes one hop and, with it, places `placed` in the slot that becomes vacant. Returns false if
/// the table has changed so that the hop is impossible, or if another writer disturbed it. Then
/// nothing is changed.
///
/// Linearization point: the commit. It changes no class's number of tokens, but for `placed`.
pub(crate) fn relocate<L: Layout>(
    graph: &impl CuckooTable<L>,
    claim: &mut Claim<'_, L>,
    hop: Hop<L>,
    placed: Option<Token<L>>,
) -> bool {
    let committed = try_to_relocate(graph, claim, hop, placed);
    sync::trace(match (committed, placed) {
        (false, _) => Event::Broken,
        (true, None) => Event::Hop,
        (true, Some(_)) => Event::InsertByPath,
    });
    committed
}

fn try_to_relocate<L: Layout>(
    graph: &impl CuckooTable<L>,
    claim: &mut Claim<'_, L>,
    hop: Hop<L>,
    placed: Option<Token<L>>,
) -> bool {
    // Settle both words: a frozen one cannot be frozen again. The search read them without doing
    // so.
    let ends = [hop.source, hop.destination].map(|bucket| graph.settle(bucket));
    let [Some(old_source), Some(old_destination)] = ends else {
        // Give up: a word is no longer there.
        return false;
    };
    // Describe the hop: both words before, and what moves.
    let relocation = Relocation {
        moved: hop.moved,
        placed,
        source: hop.source,
        destination: hop.destination,
        old_source,
        old_destination,
    };
    // Compute both contents before anything is published: a use that is committed can always be
    // written back.
    let (Some(source), Some(destination)) = (relocation.new_source(), relocation.new_destination())
    else {
        return false;
    };
    change_two_words(graph, claim, relocation, [source, destination], || {
        graph.announce(hop.source, hop.moved);
    })
}
