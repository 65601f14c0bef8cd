//! Path search: finds the shortest chain of moves from two full buckets to a bucket with room.
//!
//! It visits buckets breadth first, eight at a time: first the fingerprints of their top lanes,
//! which most often came by choice and not by a move. It takes the emptiest of several buckets with
//! room.

use crate::word::{SLOTS, Word};
use crate::{Candidates, SerialFilter};

/// The most buckets that a search examines.
const BUDGET: usize = 4096;

/// Buckets that are examined together.
const TOGETHER: usize = 8;

/// A bucket that a search has reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) bucket: usize,
    pub(crate) word: Word,
    /// The node from which the search came. The first two nodes are the candidates.
    pub(crate) parent: usize,
    /// The lane of the parent whose fingerprint goes here.
    pub(crate) lane: u32,
}

/// A path to a node with room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    pub(crate) end: usize,
}

/// Returns the number of vacant lanes, and a place: the emptiest of a few words is the one with the
/// largest rank.
#[inline]
fn rank(word: Word, place: usize) -> u32 {
    word.vacancies() << u8::BITS | place as u32
}

/// The lanes of a bucket, the top one first.
const LANES: [u32; SLOTS] = [3, 2, 1, 0];

impl SerialFilter {
    /// Returns a bucket and a lane of it such that one hop opens a slot: the hop to the emptiest
    /// alternate. On a tie it takes the lowest lane, so that the top ones stay.
    #[inline]
    pub(crate) fn near_hop(&self, of: Candidates) -> Option<(usize, u32)> {
        let best = |bucket: usize| {
            let word = self.load(bucket);
            let ranks = LANES.map(|lane| {
                let alternate = self.alternate(bucket, word.lane(lane));
                rank(self.load(alternate), LANES.len() - 1 - lane as usize)
            });
            ranks.into_iter().max().unwrap_or(0)
        };
        let (first, second) = (best(of.first), best(of.second));
        let (bucket, rank) = if first > second {
            (of.first, first)
        } else {
            (of.second, second)
        };
        let lane = LANES[(rank & u32::from(u8::MAX)) as usize];
        (rank >> u8::BITS > 0).then_some((bucket, lane))
    }

    /// Finds a path from two candidates that are full, with full alternates.
    #[inline(never)]
    pub(crate) fn search(&mut self, of: Candidates) -> Option<Path> {
        let mut nodes = std::mem::take(&mut self.nodes);
        let path = self.search_in(of, &mut nodes);
        self.nodes = nodes;
        path
    }

    fn search_in(&self, of: Candidates, nodes: &mut Vec<Node>) -> Option<Path> {
        nodes.clear();
        for bucket in [of.first, of.second] {
            let word = self.load(bucket);
            let (parent, lane) = (usize::MAX, 0);
            nodes.push(Node {
                bucket,
                word,
                parent,
                lane,
            });
        }
        for parent in 0..2 {
            for lane in LANES {
                let bucket = self.alternate(nodes[parent].bucket, nodes[parent].word.lane(lane));
                if bucket != nodes[1 - parent].bucket {
                    let word = self.load(bucket);
                    nodes.push(Node {
                        bucket,
                        word,
                        parent,
                        lane,
                    });
                }
            }
        }
        let mut first = 2;
        while first < nodes.len() && nodes.len() < BUDGET {
            let parents = first..nodes.len().min(first + TOGETHER);
            first = parents.end;
            for (nth, lane) in LANES.into_iter().enumerate() {
                if let Some(&next) = LANES.get(nth + 1) {
                    for node in &nodes[parents.clone()] {
                        self.prefetch(self.alternate(node.bucket, node.word.lane(next)));
                    }
                }
                let (start, mut best) = (nodes.len(), 0);
                for parent in parents.clone() {
                    let node = nodes[parent];
                    let bucket = self.alternate(node.bucket, node.word.lane(lane));
                    // The move that led here, backward.
                    if bucket == nodes[node.parent].bucket {
                        continue;
                    }
                    let word = self.load(bucket);
                    best = best.max(rank(word, nodes.len() - start));
                    nodes.push(Node {
                        bucket,
                        word,
                        parent,
                        lane,
                    });
                }
                if best >> u8::BITS > 0 {
                    let end = start + (best & u32::from(u8::MAX)) as usize;
                    return Some(Path { end });
                }
            }
        }
        None
    }
}
