//! The path search: how to make room in a full pair of buckets.
//!
//! A breadth-first search from both candidates over "this token could go to its alternate" finds a shortest
//! chain of relocations that ends in a vacant slot (Li, Andersen, Kaminsky, Freedman, EuroSys 2014). It only
//! reads. What it found may be outdated at once; each hop is checked again when it is executed.

use crate::bucket::Bucket;
use crate::fingerprint::Fingerprint;
use crate::geometry::Candidates;
use crate::sync;
use crate::tokens::Tokens;

/// One relocation of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) moved: Fingerprint,
    pub(crate) source: usize,
    pub(crate) destination: usize,
    /// Whether the source is a candidate of the item, so that the path is done with this hop.
    pub(crate) last: bool,
}

/// A full bucket that the search came through.
#[derive(Clone, Copy, Debug)]
struct Node {
    bucket: usize,
    content: Bucket,
    /// How it was reached: `None` for a candidate of the item.
    arrival: Option<Arrival>,
}

#[derive(Clone, Copy, Debug)]
struct Arrival {
    parent: u16,
    moved: Fingerprint,
}

#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// A candidate has a vacant slot after all.
    Room,
    Path(Path<'a>),
    Nothing,
}

/// The hops of a path, from the vacant slot back to a candidate: the order in which they are executed.
#[derive(Debug)]
pub(crate) struct Path<'a> {
    nodes: &'a [Node],
    destination: usize,
    next: Option<Arrival>,
}

/// A node that is expanded has three or four buckets examined, seldom fewer, so a third as many nodes as
/// buckets use up the budget.
const fn nodes_for(budget: usize) -> usize {
    budget.div_ceil(3) + 2
}

/// Nearly all searches end within this many buckets; a small array is cheap to have.
const SHORT_BUDGET: usize = if sync::MODEL { 8 } else { 256 };

/// Largest number of buckets that a search may examine.
pub(crate) const MAX_BUDGET: usize = if sync::MODEL { 32 } else { 4096 };

/// Room for the nodes of one search, on the stack.
pub(crate) struct Search<const BUDGET: usize, const NODES: usize> {
    nodes: [Node; NODES],
    len: usize,
}

pub(crate) type ShortSearch = Search<SHORT_BUDGET, { nodes_for(SHORT_BUDGET) }>;
pub(crate) type LongSearch = Search<MAX_BUDGET, { nodes_for(MAX_BUDGET) }>;

impl<const BUDGET: usize, const NODES: usize> Search<BUDGET, NODES> {
    pub(crate) fn new() -> Self {
        let vacant = Node {
            bucket: 0,
            content: Bucket::EMPTY,
            arrival: None,
        };
        Self {
            nodes: [vacant; NODES],
            len: 0,
        }
    }

    /// Whether a search within `budget` fits.
    pub(crate) fn suits(budget: usize) -> bool {
        budget <= BUDGET
    }

    /// Looks for the shortest path that opens a slot for `class`, examining at most `budget` buckets, and no
    /// more than this search has room for.
    pub(crate) fn run(&mut self, tokens: &Tokens, class: Candidates, budget: usize) -> Found<'_> {
        self.len = 0;
        for bucket in [class.first, class.second] {
            let content = tokens.peek(bucket);
            if content.has_room() {
                return Found::Room;
            }
            self.push(Node {
                bucket,
                content,
                arrival: None,
            });
        }
        let mut left = budget.min(BUDGET).saturating_sub(2);
        let mut parent = 0;
        while parent < self.len {
            let node = self.nodes[parent];
            for (slot, moved) in node.content.fingerprints().enumerate() {
                let bucket = tokens.geometry.alternate(node.bucket, moved);
                if self.leads_nowhere(&node, slot, moved, bucket) {
                    continue;
                }
                if left == 0 {
                    return Found::Nothing;
                }
                left -= 1;
                let content = tokens.peek(bucket);
                let arrival = Some(Arrival {
                    parent: parent as u16,
                    moved,
                });
                if content.has_room() {
                    let nodes = &self.nodes[..self.len];
                    return Found::Path(Path {
                        nodes,
                        destination: bucket,
                        next: arrival,
                    });
                }
                self.push(Node {
                    bucket,
                    content,
                    arrival,
                });
            }
            parent += 1;
        }
        Found::Nothing
    }

    /// Whether a move goes back where the search came from, or repeats one out of the same bucket.
    fn leads_nowhere(&self, node: &Node, slot: usize, moved: Fingerprint, bucket: usize) -> bool {
        let back = match node.arrival {
            Some(arrival) => self.nodes[usize::from(arrival.parent)].bucket == bucket,
            None => self.nodes[..2].iter().any(|root| root.bucket == bucket),
        };
        back || node
            .content
            .fingerprints()
            .take(slot)
            .any(|earlier| earlier == moved)
    }

    fn push(&mut self, node: Node) {
        // Nodes past the end would be expanded only after the budget is spent.
        if let Some(vacant) = self.nodes.get_mut(self.len) {
            *vacant = node;
            self.len += 1;
        }
    }
}

impl Iterator for Path<'_> {
    type Item = Hop;

    fn next(&mut self) -> Option<Hop> {
        let Arrival { parent, moved } = self.next?;
        let node = self.nodes[usize::from(parent)];
        let hop = Hop {
            moved,
            source: node.bucket,
            destination: self.destination,
            last: node.arrival.is_none(),
        };
        self.destination = node.bucket;
        self.next = node.arrival;
        Some(hop)
    }
}
