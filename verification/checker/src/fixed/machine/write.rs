//! Insertion, removal and replacement, and the search for a path with its execution.
//!
//! The tables are so small that a search examines each bucket once.

use model::Token;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::fixed::memory::{Answer, BUCKETS};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Item;
use crate::notation::Kind;
use crate::replay::{Again, Done, Step};

/// Insertion.
impl Run<'_> {
    pub(super) fn insert(&mut self) -> Step<Answer> {
        let token = self.token();
        if self.insert_once(token)? {
            return Ok(Answer::Bool(true));
        }
        let takes_slot = !self.is(Mutant::OpenedSlotForAnybody);
        self.rounds(0, |run, attempt: u8| {
            let Some(next) = run.next_attempt(attempt) else {
                return Ok(Done(Answer::Full));
            };
            Ok(match run.open(takes_slot)? {
                Err(Failure::Full) => Done(Answer::Full),
                Err(Failure::NoDescriptor) => Done(Answer::NoDescriptor),
                Err(Failure::TooManyCopies) => Done(Answer::TooManyCopies),
                Ok(()) if takes_slot => Done(Answer::Bool(true)),
                _ if run.add(token)? => Done(Answer::Bool(true)),
                _ => Again(next),
            })
        })
    }

    /// Counts an attempt; `None` if all have been made.
    pub(super) fn next_attempt(&self, attempt: u8) -> Option<u8> {
        if self.is(Mutant::AttemptsNotBounded) {
            return Some(attempt);
        }
        (usize::from(attempt) < self.world.shape.attempts).then_some(attempt + 1)
    }

    /// Inserts if both words are plain, and one has room.
    fn insert_once(&mut self, token: Token) -> Step<bool> {
        let Item { first, second, .. } = self.call.item;
        self.routine(|run| {
            let words = [run.load(first)?, run.load(second)?];
            let Some((bucket, content, added)) = run.addable(words, token) else {
                return Ok(false);
            };
            if !run.surely_buckets(words) {
                return Ok(false);
            }
            let done = run.exchange(bucket, content, added)?;
            Ok(done || run.is(Mutant::InsertIgnoresItsExchange))
        })
    }

    /// Returns the emptier of the two buckets, its content, and its content with a token added.
    /// `None` if both are full.
    pub(super) fn addable(&self, [a, b]: [u64; 2], token: Token) -> Option<(u8, u64, u64)> {
        let (layout, item) = (self.layout(), self.call.item);
        let (bucket, content) = if layout.vacancies(a) >= layout.vacancies(b) {
            (item.first, a)
        } else {
            (item.second, b)
        };
        Some((bucket, content, layout.with(content, token)?))
    }

    /// Adds to the emptier candidate, if one has room.
    fn add(&mut self, token: Token) -> Step<bool> {
        let Item { first, second, .. } = self.call.item;
        self.repeat((), |run, ()| {
            let words = [run.settle(first)?, run.settle(second)?];
            Ok(match run.addable(words, token) {
                None => Done(false),
                Some((bucket, content, added)) if run.exchange(bucket, content, added)? => {
                    Done(true)
                }
                Some(_) => Again(()),
            })
        })
    }
}

/// Removal.
impl Run<'_> {
    pub(super) fn remove(&mut self) -> Step<bool> {
        if self.is_call(&[Kind::Remove]) && self.remove_once()? {
            return Ok(true);
        }
        let Item { f, .. } = self.call.item;
        let careless = if self.is_call(&[Kind::Replace, Kind::Take]) {
            Mutant::FailedReplacementNotValidated
        } else {
            Mutant::FailedRemoveNotValidated
        };
        let done = self.repeat(false, |run, bumped| {
            let version = run.version(f)?;
            Ok(match run.take(bumped)? {
                None => Done(true),
                Some(bumped) => {
                    if run.is(careless) || run.version(f)? == version {
                        Done(false)
                    } else {
                        Again(bumped)
                    }
                }
            })
        })?;
        if done && self.replaces_in_two_steps() {
            return self.add(self.layout().token(f, self.call.new));
        }
        Ok(done)
    }

    /// Removes the only token of the class in two plain words.
    fn remove_once(&mut self) -> Step<bool> {
        let Item { first, second, f } = self.call.item;
        self.routine(|run| {
            let layout = run.layout();
            let (a, b) = (run.load(first)?, run.load(second)?);
            let matches = layout.count(a, f) + layout.count(b, f);
            let suits = matches == 1 || matches > 1 && run.is(Mutant::TwoTokensTakenAtOnce);
            if !run.surely_buckets([a, b]) || !suits {
                return Ok(false);
            }
            let (bucket, content) = if layout.count(a, f) > 0 {
                (first, a)
            } else {
                (second, b)
            };
            let cleared = layout.without(content, f).unwrap_or(content);
            let done = run.exchange(bucket, content, cleared)?;
            Ok(done || run.is(Mutant::RemoveIgnoresItsExchange))
        })
    }

    /// Removes the token. Otherwise there was none, and it returns whether the thread has bumped.
    fn take(&mut self, bumped: bool) -> Step<Option<bool>> {
        let Item { first, second, f } = self.call.item;
        self.repeat(bumped, |run, mut bumped| {
            let words = [run.settle(first)?, run.settle(second)?];
            let mut both = [first, second].into_iter().zip(words);
            let removable =
                both.find_map(|(bucket, content)| Some((bucket, content, run.changed(content)?)));
            let Some((bucket, content, changed)) = removable else {
                return Ok(Done(Some(bumped)));
            };
            let elsewhere =
                run.is(Mutant::RemoveBumpsNothing) || run.is(Mutant::RemoveBumpsAfterItsExchange);
            if run.has_twin(words) && !bumped && !elsewhere {
                let hints = !run.is(Mutant::RemoveGivesNoHint);
                run.routine(|run| run.announce(first, f, hints).map(drop))?;
                bumped = true;
            }
            let careless =
                run.is_call(&[Kind::Replace]) && run.is(Mutant::ReplacementIgnoresItsExchange);
            if !run.exchange(bucket, content, changed)? && !careless {
                return Ok(Again(bumped));
            }
            if run.has_twin(words) && run.is(Mutant::RemoveBumpsAfterItsExchange) {
                run.bump(f)?;
            }
            Ok(Done(None))
        })
    }

    fn replaces_in_two_steps(&self) -> bool {
        self.is_call(&[Kind::Replace]) && self.is(Mutant::ReplacementInTwoSteps)
    }

    /// Returns the changed content of a bucket, if it holds the token of the call.
    fn changed(&self, content: u64) -> Option<u64> {
        let (layout, f, mut token) = (self.layout(), self.call.item.f, self.token());
        if self.is_call(&[Kind::Remove]) {
            return layout.without(content, f);
        }
        if self.is(Mutant::TokenFoundByFingerprint) {
            token = layout.find(content, f)?;
        }
        if self.is_call(&[Kind::Take]) || self.replaces_in_two_steps() {
            layout.without_token(content, token)
        } else {
            layout.replacing(content, token, layout.token(f, self.call.new))
        }
    }

    /// Whether the other bucket holds another token of the class.
    fn has_twin(&self, words: [u64; 2]) -> bool {
        let (layout, f) = (self.layout(), self.call.item.f);
        let [a, b] = words.map(|word| layout.find(word, f));
        let equal = a == b || !self.is(Mutant::TwinOfAnotherValueIsNone);
        a.is_some() && b.is_some() && equal
    }
}

/// The most buckets that the first search examines.
const SHORT_BUDGET: usize = 128;

/// The number of buckets whose tokens in one slot a search follows together.
const TOGETHER: usize = 8;

/// The reason why an attempt failed, in the terms of the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Failure {
    /// No path leads to a vacant slot.
    Full,
    /// Both buckets are full of copies.
    TooManyCopies,
    /// There is a path, but no descriptor for its hops.
    NoDescriptor,
    /// The table has changed.
    Disturbed,
}

/// The move of a token from one bucket to another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Hop {
    moved: Token,
    source: u8,
    destination: u8,
}

/// The hops of a path, from the vacant slot back to a candidate.
type Path = [Option<Hop>; BUCKETS - 1];

/// The result of a search: a candidate with room, a path, or nothing.
type Found = Option<Option<Path>>;

/// A full bucket that a search has reached, its content, and the path to it.
type Node = (u8, u64, Path);

/// The buckets that a search has reached, in order.
type Nodes = [Option<Node>; BUCKETS];

/// Adds a bucket, unless it has been reached before.
fn reach(nodes: &mut Nodes, bucket: u8, content: u64, path: Path) {
    if !nodes.iter().flatten().any(|node| node.0 == bucket) {
        let vacant = nodes.iter_mut().find(|node| node.is_none());
        *vacant.expect("one for each bucket") = Some((bucket, content, path));
    }
}

impl Run<'_> {
    /// Finds a path that opens a slot of a full pair, and executes it. If `placing`, the last hop
    /// puts the item into the slot.
    pub(super) fn open(&mut self, placing: bool) -> Step<Result<(), Failure>> {
        self.repeat(None, |run, begun: Option<(u8, Path)>| {
            let Some((index, [hop, next, last])) = begun else {
                return Ok(match run.find_path()? {
                    None => Done(Err(run.failure()?)),
                    Some(None) => Done(Err(Failure::Disturbed)),
                    Some(Some(path)) => match run.claim()? {
                        None => Done(Err(Failure::NoDescriptor)),
                        Some(index) => Again(Some((index, path))),
                    },
                });
            };
            let done = match hop {
                Some(hop) => run.hop(index, hop, placing && next.is_none())?,
                None => true,
            };
            if done && next.is_some() {
                return Ok(Again(Some((index, [next, last, None]))));
            }
            run.release(index)?;
            Ok(Done(done.then_some(()).ok_or(Failure::Disturbed)))
        })
    }

    /// Executes a hop, and places the item if it is the last one.
    fn hop(&mut self, index: u8, hop: Hop, placing: bool) -> Step<bool> {
        let placed = match placing {
            false => 0,
            true if self.is(Mutant::PathLosesItsValue) => self.call.item.f,
            true => self.token(),
        };
        self.relocate(index, (hop.moved, placed), hop.source, hop.destination)
    }

    fn find_path(&mut self) -> Step<Found> {
        let budget = self.world.shape.budget;
        self.routine(|run| {
            let (found, nodes) = run.look_near()?;
            if found.is_some() {
                return Ok(found);
            }
            let found = run.search(nodes, budget.min(SHORT_BUDGET))?;
            if found.is_some() || budget <= SHORT_BUDGET {
                return Ok(found);
            }
            run.search(nodes, budget)
        })
    }

    /// Returns the hop of the token in a slot to its other bucket.
    fn hop_of(&self, source: u8, content: u64, slot: usize) -> Hop {
        let layout = self.layout();
        let moved = layout.occupant(content, slot).unwrap_or(0);
        Hop {
            moved,
            source,
            destination: self
                .world
                .shape
                .alternate(source, layout.fingerprint_of(moved)),
        }
    }

    /// Returns the number of vacancies of a bucket, and its content if it has none.
    fn look(&mut self, bucket: u8) -> Step<(usize, u64)> {
        self.routine(|run| {
            let content = run.peek(bucket)?;
            let vacancies = run.layout().vacancies(content);
            Ok((vacancies, if vacancies == 0 { content } else { 0 }))
        })
    }

    /// Looks whether one hop is enough. Otherwise returns where a search begins.
    fn look_near(&mut self) -> Step<(Found, Nodes)> {
        let Item { first, second, .. } = self.call.item;
        self.routine(|run| {
            let layout = run.layout();
            let mut nodes = Nodes::default();
            let contents = [run.peek(first)?, run.peek(second)?];
            if contents.iter().any(|&content| layout.has_room(content)) {
                return Ok((Some(None), nodes));
            }
            let pair = [(first, contents[0]), (second, contents[1])];
            for (bucket, content) in pair {
                reach(&mut nodes, bucket, content, Path::default());
            }
            let mut left = run.world.shape.budget - 2;
            let mut emptiest = None;
            for (source, content) in pair {
                for slot in 0..layout.slots {
                    let hop = run.hop_of(source, content, slot);
                    if hop.destination == first ^ second ^ source || slot >= left {
                        continue;
                    }
                    let (vacancies, content) = run.look(hop.destination)?;
                    let path = behind(hop, Path::default());
                    emptiest = emptier(emptiest, (vacancies, slot), path);
                    if vacancies == 0 {
                        reach(&mut nodes, hop.destination, content, path);
                    }
                }
                left = left.saturating_sub(layout.slots);
            }
            Ok((emptiest.map(|(_, path)| Some(path)), nodes))
        })
    }

    /// Searches breadth first, within a budget.
    fn search(&mut self, mut nodes: Nodes, budget: usize) -> Step<Found> {
        self.routine(|run| {
            let slots = run.layout().slots;
            let mut left = budget.saturating_sub(2 + 2 * slots);
            let mut first = 2;
            loop {
                let len = nodes.iter().flatten().count();
                let parents = first..len.min(first + TOGETHER);
                if parents.is_empty() || left == 0 {
                    return Ok(None);
                }
                first = parents.end;
                for slot in 0..slots {
                    let mut emptiest = None;
                    for node in parents.clone() {
                        let Some((source, content, path)) = nodes[node] else {
                            continue;
                        };
                        let hop = run.hop_of(source, content, slot);
                        let mut reached = nodes.iter().flatten();
                        if left == 0 || reached.any(|node| node.0 == hop.destination) {
                            continue;
                        }
                        left -= 1;
                        let (vacancies, content) = run.look(hop.destination)?;
                        let path = behind(hop, path);
                        emptiest = emptier(emptiest, (vacancies, 0), path);
                        reach(&mut nodes, hop.destination, content, path);
                    }
                    if let Some((_, path)) = emptiest {
                        return Ok(Some(Some(path)));
                    }
                }
            }
        })
    }

    /// Returns the reason why no path was found.
    fn failure(&mut self) -> Step<Failure> {
        let Item { first, second, f } = self.call.item;
        let (layout, contents) = (self.layout(), [self.peek(first)?, self.peek(second)?]);
        let room = contents.iter().any(|&content| layout.has_room(content));
        let is_full_of_copies = |&content: &u64| layout.count(content, f) == layout.slots;
        Ok(if room && !self.is(Mutant::RefusalIgnoresRoom) {
            // Another thread has removed one meanwhile.
            Failure::Disturbed
        } else if contents.iter().all(is_full_of_copies) {
            Failure::TooManyCopies
        } else {
            Failure::Full
        })
    }
}

/// Returns a path with one more hop, which is executed first.
fn behind(hop: Hop, [next, last, _]: Path) -> Path {
    [Some(hop), next, last]
}

/// A rank, and the path that has it.
type Ranked = Option<((usize, usize), Path)>;

/// Returns the path to the emptier of two buckets; on a tie, the later one. A bucket without room
/// does not count.
fn emptier(best: Ranked, rank: (usize, usize), path: Path) -> Ranked {
    let is_better = rank.0 > 0 && best.is_none_or(|(other, _)| rank >= other);
    if is_better { Some((rank, path)) } else { best }
}
