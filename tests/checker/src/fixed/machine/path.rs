//! The path search, and the execution of what it finds.
//!
//! The tables are so small that the search remembers where it was: each bucket is examined once, and what was
//! read of it is kept under its number.

use model::{Layout, Token};

use super::{ALL_COPIES, DONE, NOT_DONE, REFUSED, Run};
use crate::fixed::mutants::Mutant;
use crate::fixed::points::Caller;
use crate::fixed::thread::Search;

/// Buckets that are examined to find out whether one hop is enough.
fn near(layout: Layout) -> u16 {
    2 + 2 * layout.slots as u16
}

/// Buckets that the first search examines at most.
const SHORT_BUDGET: u16 = 256;

impl Run<'_> {
    /// Finds a path that opens a slot of a full pair, and executes it. The last hop puts the item into the slot
    /// if it is `placing`. Returns `DONE`, `NOT_DONE` if the table has changed, `REFUSED` or `ALL_COPIES`.
    pub(super) fn begin_open(&mut self, caller: Caller, placing: bool) {
        self.me.push(caller);
        self.me.search.placing = placing;
        self.begin_peek(Caller::OpenFirst, self.me.item.first);
    }

    fn opened(&mut self, outcome: u64) {
        self.me.search = Search::default();
        self.give_back(outcome);
    }

    pub(super) fn open_first(&mut self, content: u64) {
        let item = self.me.item;
        self.me.search.contents[usize::from(item.first)] = content;
        self.begin_peek(Caller::OpenSecond, item.second);
    }

    pub(super) fn open_second(&mut self, content: u64) {
        let (item, layout) = (self.me.item, self.layout());
        let search = &mut self.me.search;
        search.contents[usize::from(item.second)] = content;
        if layout.has_room(search.contents[usize::from(item.first)]) || layout.has_room(content) {
            self.opened(NOT_DONE);
        } else if self.world.shape.budget >= near(self.layout()) {
            self.near();
        } else {
            self.search(false);
        }
    }

    /// Of the tokens of two full candidates, the one in a slot: its bucket, and where it could go.
    fn exit(&self, slot: u8) -> (u8, Token, u8) {
        let item = self.me.item;
        let source = [item.first, item.second][usize::from(slot) / self.layout().slots];
        let content = self.me.search.contents[usize::from(source)];
        let moved = self
            .layout()
            .occupant(content, usize::from(slot) % self.layout().slots)
            .unwrap_or(0);
        (source, moved, self.alternate(source, moved))
    }

    /// Where a token could go.
    fn alternate(&self, bucket: u8, token: Token) -> u8 {
        let f = self.layout().fingerprint_of(token);
        self.world.shape.alternate(bucket, f)
    }

    /// Examines the next of the alternates of the candidates' tokens.
    fn near(&mut self) {
        while usize::from(self.me.search.slot) < 2 * self.layout().slots {
            let (source, _, destination) = self.exit(self.me.search.slot);
            let item = self.me.item;
            let other = if source == item.first {
                item.second
            } else {
                item.first
            };
            if destination != other {
                return self.begin_peek(Caller::OpenNear, destination);
            }
            self.me.search.slot += 1;
        }
        match self.me.search.rooms {
            0 => self.search(false),
            rooms => {
                let (source, moved, destination) = self.exit(rooms.trailing_zeros() as u8);
                self.execute(source, moved, destination);
            }
        }
    }

    pub(super) fn open_near(&mut self, content: u64) {
        let has_room = self.layout().has_room(content);
        let search = &mut self.me.search;
        search.rooms |= u16::from(has_room) << search.slot;
        search.slot += 1;
        self.near();
    }

    /// Searches from the beginning, within the short budget or the whole one.
    fn search(&mut self, far: bool) {
        let budget = self.world.shape.budget;
        self.me.search = Search {
            placing: self.me.search.placing,
            far,
            left: if far {
                budget
            } else {
                budget.min(SHORT_BUDGET)
            } - 2,
            ..Search::default()
        };
        self.begin_peek(Caller::SearchFirst, self.me.item.first);
    }

    pub(super) fn search_first(&mut self, content: u64) {
        if self.layout().has_room(content) {
            return self.opened(NOT_DONE);
        }
        self.push_node(self.me.item.first, content, (0, 0));
        self.begin_peek(Caller::SearchSecond, self.me.item.second);
    }

    pub(super) fn search_second(&mut self, content: u64) {
        if self.layout().has_room(content) {
            return self.opened(NOT_DONE);
        }
        self.push_node(self.me.item.second, content, (0, 0));
        self.expand();
    }

    fn push_node(&mut self, bucket: u8, content: u64, arrival: (u8, Token)) {
        let search = &mut self.me.search;
        search.contents[usize::from(bucket)] = content;
        search.arrivals[usize::from(bucket)] = arrival;
        search.nodes[usize::from(search.len)] = bucket;
        search.len += 1;
        search.visited |= 1 << bucket;
    }

    /// A token of the node that is being expanded, and where it could go.
    fn neighbour(&self, slot: u8) -> Option<(u8, Token, u8)> {
        let search = &self.me.search;
        let source = search.nodes[usize::from(search.parent)];
        let moved = self
            .layout()
            .occupant(search.contents[usize::from(source)], slot.into())?;
        Some((source, moved, self.alternate(source, moved)))
    }

    /// Examines the next alternate of the node that is being expanded, or goes on to the next node.
    fn expand(&mut self) {
        loop {
            let search = self.me.search;
            if search.slot == 0 && (search.parent >= search.len || search.left == 0) {
                return self.found_nothing();
            }
            if let Some((_, _, bucket)) = self.neighbour(search.slot) {
                let fresh = search.visited & 1 << bucket == 0;
                self.me.search.visited |= 1 << bucket;
                if fresh && search.left > 0 {
                    self.me.search.left -= 1;
                    return self.begin_peek(Caller::SearchSlot, bucket);
                }
                self.me.search.slot += 1;
                if usize::from(self.me.search.slot) < self.layout().slots {
                    continue;
                }
            }
            if self.expanded() {
                return;
            }
        }
    }

    pub(super) fn search_slot(&mut self, content: u64) {
        let has_room = self.layout().has_room(content);
        if let Some((_, _, bucket)) = self.neighbour(self.me.search.slot) {
            let search = &mut self.me.search;
            search.contents[usize::from(bucket)] = content;
            search.examined |= 1 << search.slot;
            search.rooms |= u16::from(has_room) << search.slot;
            search.slot += 1;
        }
        let complete = usize::from(self.me.search.slot) == self.layout().slots;
        if !(complete && self.expanded()) {
            self.expand();
        }
    }

    /// All alternates of a node are known. True if one has room, and the path is being executed.
    fn expanded(&mut self) -> bool {
        let search = self.me.search;
        let room = search.rooms.trailing_zeros() as u8;
        if search.rooms != 0
            && let Some((source, moved, destination)) = self.neighbour(room)
        {
            self.execute(source, moved, destination);
            return true;
        }
        for slot in (0..self.layout().slots as u8).filter(|slot| search.examined >> slot & 1 != 0) {
            if let Some((source, moved, bucket)) = self.neighbour(slot) {
                let content = search.contents[usize::from(bucket)];
                self.push_node(bucket, content, (source, moved));
            }
        }
        let search = &mut self.me.search;
        search.parent += 1;
        (search.slot, search.examined, search.rooms) = (0, 0, 0);
        false
    }

    fn found_nothing(&mut self) {
        let search = self.me.search;
        if !search.far && self.world.shape.budget > SHORT_BUDGET {
            self.search(true);
        } else {
            self.me.search = Search::default();
            self.begin_peek(Caller::RefusalFirst, self.me.item.first);
        }
    }

    fn is_full_of_copies(&self, content: u64) -> bool {
        self.layout().count(content, self.me.item.f) == self.layout().slots
    }

    pub(super) fn refusal_first(&mut self, content: u64) {
        self.me.search.contents[usize::from(self.me.item.first)] = content;
        self.begin_peek(Caller::RefusalSecond, self.me.item.second);
    }

    pub(super) fn refusal_second(&mut self, content: u64) {
        let other = self.me.search.contents[usize::from(self.me.item.first)];
        let copies = self.is_full_of_copies(content) && self.is_full_of_copies(other);
        let room = self.layout().has_room(content) || self.layout().has_room(other);
        self.opened(if room && !self.world.is(Mutant::RefusalIgnoresRoom) {
            // Somebody has removed one meanwhile.
            NOT_DONE
        } else if copies {
            ALL_COPIES
        } else {
            REFUSED
        });
    }

    /// Executes a path, from the vacant slot back to a candidate. Of the search only the way back is needed.
    fn execute(&mut self, source: u8, moved: Token, destination: u8) {
        let Search {
            placing, arrivals, ..
        } = self.me.search;
        self.me.search = Search {
            placing,
            arrivals,
            moved,
            source,
            destination,
            ..Search::default()
        };
        self.begin_claim(Caller::PathClaim);
    }

    pub(super) fn path_claimed(&mut self, claimed: u64) {
        if claimed == DONE {
            self.hop();
        } else {
            self.opened(NOT_DONE);
        }
    }

    fn arrival(&self) -> (u8, Token) {
        self.me.search.arrivals[usize::from(self.me.search.source)]
    }

    fn hop(&mut self) {
        let Search {
            placing,
            moved,
            source,
            destination,
            ..
        } = self.me.search;
        let last = self.arrival().1 == 0;
        let placed = match placing && last {
            false => 0,
            true if self.world.is(Mutant::PathLosesItsValue) => self.me.item.f,
            true => self.token(),
        };
        self.begin_relocation(Caller::PathHop, moved, placed, source, destination);
    }

    pub(super) fn path_hopped(&mut self, done: u64) {
        let (parent, moved) = self.arrival();
        if done == DONE && moved != 0 {
            let search = &mut self.me.search;
            search.arrivals[usize::from(search.source)] = (0, 0);
            search.destination = search.source;
            (search.source, search.moved) = (parent, moved);
            self.hop();
        } else {
            self.begin_release(Caller::PathRelease, done);
        }
    }

    pub(super) fn path_released(&mut self, done: u64) {
        self.opened(done);
    }
}
