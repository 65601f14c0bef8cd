//! The path search, and the execution of what it finds.
//!
//! The tables are so small that a search examines each bucket once.

use model::Token;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::fixed::memory::BUCKETS;
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Item;
use crate::replay::{Again, Done, Step};

/// Buckets that the first search examines at most.
const SHORT_BUDGET: usize = 256;

/// What came of the search for room in two full buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Opened {
    /// A slot was opened, and has the item if that was to be placed.
    Done,
    /// The table has changed.
    Changed,
    /// There is none.
    Refused,
    /// Both are full of copies.
    AllCopies,
}

/// What moves, from where and to where.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Hop {
    moved: Token,
    source: u8,
    destination: u8,
}

/// The hops of a path, from the vacant slot back to a candidate.
type Path = [Option<Hop>; BUCKETS - 1];

/// What a search has found: a candidate with room, a path, or nothing.
type Found = Option<Option<Path>>;

/// A full bucket that a search has come by.
struct Node {
    bucket: u8,
    content: u64,
    /// The path to it, and the token that would be moved here by its last hop.
    path: Path,
}

impl Run<'_> {
    /// Finds a path that opens a slot of a full pair, and executes it. The last hop puts the item into the slot if it is
    /// `placing`.
    pub(super) fn open(&mut self, placing: bool) -> Step<Opened> {
        self.repeat(None, |run, begun: Option<(u8, Path)>| {
            let Some((index, [hop, next, last])) = begun else {
                return Ok(match run.find_path()? {
                    None => Done(run.refuse()?),
                    Some(None) => Done(Opened::Changed),
                    Some(Some(path)) => match run.claim()? {
                        None => Done(Opened::Changed),
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
            Ok(Done(if done { Opened::Done } else { Opened::Changed }))
        })
    }

    /// Executes a hop, and places the item, if it is the last.
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
            let found = run.look_near()?;
            if found.is_some() {
                return Ok(found);
            }
            let found = run.search(budget.min(SHORT_BUDGET))?;
            if found.is_some() || budget <= SHORT_BUDGET {
                return Ok(found);
            }
            run.search(budget)
        })
    }

    /// Where a token could go.
    fn alternate(&self, bucket: u8, token: Token) -> u8 {
        let f = self.layout().fingerprint_of(token);
        self.world.shape.alternate(bucket, f)
    }

    fn has_room(&mut self, bucket: u8) -> Step<bool> {
        self.routine(|run| {
            let content = run.peek(bucket)?;
            Ok(run.layout().has_room(content))
        })
    }

    /// Whether one hop is enough, if the budget is.
    fn look_near(&mut self) -> Step<Found> {
        let Item { first, second, .. } = self.call.item;
        self.routine(|run| {
            let layout = run.layout();
            let contents = [run.peek(first)?, run.peek(second)?];
            if contents.iter().any(|&content| layout.has_room(content)) {
                return Ok(Some(None));
            }
            if run.world.shape.budget < 2 + 2 * layout.slots {
                return Ok(None);
            }
            let mut found = None;
            for (source, content) in [first, second].into_iter().zip(contents) {
                for moved in (0..layout.slots).map(|slot| layout.occupant(content, slot)) {
                    let moved = moved.unwrap_or(0);
                    let destination = run.alternate(source, moved);
                    let other = first ^ second ^ source;
                    let hop = Hop {
                        moved,
                        source,
                        destination,
                    };
                    if destination != other && run.has_room(destination)? {
                        found = found.or(Some(hop));
                    }
                }
            }
            Ok(found.map(|hop| Some(just(hop))))
        })
    }

    /// Searches breadth first, within a budget.
    fn search(&mut self, budget: usize) -> Step<Found> {
        let Item { first, second, .. } = self.call.item;
        self.routine(|run| {
            let layout = run.layout();
            let mut left = budget - 2;
            let mut nodes = Vec::with_capacity(BUCKETS);
            let mut visited = 0;
            for bucket in [first, second] {
                let content = run.peek(bucket)?;
                if layout.has_room(content) {
                    return Ok(Some(None));
                }
                visited |= 1 << bucket;
                nodes.push(Node {
                    bucket,
                    content,
                    path: Path::default(),
                });
            }
            let mut parent = 0;
            while parent < nodes.len() && left > 0 {
                let mut room = None;
                let examined = nodes.len();
                for slot in 0..layout.slots {
                    let Node {
                        bucket: source,
                        content,
                        path,
                    } = nodes[parent];
                    let Some(moved) = layout.occupant(content, slot) else {
                        continue;
                    };
                    let destination = run.alternate(source, moved);
                    let fresh = visited & 1 << destination == 0;
                    visited |= 1 << destination;
                    if !fresh || left == 0 {
                        continue;
                    }
                    left -= 1;
                    let content = run.peek(destination)?;
                    let hop = Hop {
                        moved,
                        source,
                        destination,
                    };
                    let node = Node {
                        bucket: destination,
                        content,
                        path: behind(hop, path),
                    };
                    if layout.has_room(content) {
                        room = room.or(Some(node.path));
                    }
                    nodes.push(node);
                }
                if room.is_some() {
                    return Ok(Some(room));
                }
                debug_assert!(examined <= BUCKETS, "each bucket is examined once");
                parent += 1;
            }
            Ok(None)
        })
    }

    fn refuse(&mut self) -> Step<Opened> {
        let Item { first, second, f } = self.call.item;
        let (layout, contents) = (self.layout(), [self.peek(first)?, self.peek(second)?]);
        let room = contents.iter().any(|&content| layout.has_room(content));
        let is_full_of_copies = |&content: &u64| layout.count(content, f) == layout.slots;
        Ok(if room && !self.is(Mutant::RefusalIgnoresRoom) {
            // Somebody has removed one meanwhile.
            Opened::Changed
        } else if contents.iter().all(is_full_of_copies) {
            Opened::AllCopies
        } else {
            Opened::Refused
        })
    }
}

fn just(hop: Hop) -> Path {
    behind(hop, Path::default())
}

/// A path with one more hop, which is executed first.
fn behind(hop: Hop, [next, last, _]: Path) -> Path {
    [Some(hop), next, last]
}
