//! The current list of segments, which lookups read without a pin while other threads replace it.
//!
//! Lists and segments stay until the filter is dropped, or until a call has it by `&mut`: then no other thread is about.
//! They are used again instead, so there are no more of them than were in use at a time. A list that was replaced is
//! used again when all threads have been unpinned that were pinned then (Fraser, "Practical lock-freedom", 2004): who is
//! pinned reads one list. Who is not pinned, which is all that inserts nothing, must look whether the list that it has
//! read is still the current one. The pointer alone does not tell, because it may have come back, so each exchange is
//! announced by a change of a number.

use core::mem::ManuallyDrop;
use core::ptr;

pub(crate) use crossbeam_epoch::{Guard, pin};

use super::chain::{Chain, List};
use super::kept::{Fresh, Kept};
use super::link::Link;
use crate::layout::Layout;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};
use crate::table::Geometry;

#[derive(Debug)]
pub(crate) struct Published<L> {
    /// The exchanges of the list that have been announced.
    changes: AtomicU64,
    /// Never null.
    current: AtomicPtr<Chain<L>>,
    chains: Kept<Chain<L>>,
    /// Those of the list, those that are parked, and those that a thread left between the two when it died.
    links: Kept<Link<L>>,
}

/// A list that was the current one when it was loaded, by a thread that need not be pinned.
#[derive(Debug)]
pub(crate) struct Look<'a, L> {
    pub(crate) chain: &'a Chain<L>,
    changes: u64,
}

/// A segment that is to be added to the list.
#[derive(Debug)]
pub(super) enum Next<'a, L> {
    /// One that was parked, and is taken.
    Used(&'a Link<L>),
    New(Fresh<Link<L>>),
}

impl<L: Layout> Published<L> {
    /// Of segments that no other thread knows.
    pub(crate) fn new(links: impl IntoIterator<Item = Link<L>>, target: usize) -> Self {
        let published = Self {
            changes: AtomicU64::new(0),
            current: AtomicPtr::new(ptr::null_mut()),
            chains: Kept::new(),
            links: Kept::new(),
        };
        let links = links.into_iter();
        let links = links
            .map(|link| published.links.add(Fresh::new(link)))
            .collect();
        published.set(&List { links, target });
        published
    }

    /// The same of segments that no thread has written to yet. Only the target ever takes an insert.
    pub(crate) fn at_rest(links: Vec<Link<L>>, target: usize) -> Self {
        for (index, link) in links.iter().enumerate() {
            if index != target {
                link.seal();
            }
        }
        Self::new(links, target)
    }

    /// Makes a list the current one while no other thread is about.
    fn set(&self, list: &List<'_, L>) {
        let chain = ptr::from_ref(self.chain_of(list)).cast_mut();
        self.current.store(chain, Ordering::Release);
    }

    /// A chain that holds a list, and that nobody else knows.
    fn chain_of(&self, list: &List<'_, L>) -> &Chain<L> {
        let links = list.links.len();
        let chain = match self.chains.iter().find(|chain| chain.take(links)) {
            Some(chain) => chain,
            None => self.chains.add(Fresh::new(Chain::with_room(links))),
        };
        chain.put(list);
        chain
    }

    /// The current list, for a thread that is not pinned.
    #[inline]
    pub(crate) fn look(&self) -> Look<'_, L> {
        // The number first. SeqCst, as every access to the list and as to words: no call may miss a token because it
        // does not know the segment that the token was inserted into before.
        let changes = self.changes.load(Ordering::SeqCst);
        Look {
            chain: self.current(),
            changes,
        }
    }

    #[inline]
    #[allow(unsafe_code, reason = "lists stay")]
    fn current(&self) -> &Chain<L> {
        // SeqCst: see `look`. As an Acquire it pairs with the exchange in `replace`, which publishes the list.
        let chain = self.current.load(Ordering::SeqCst);
        // SAFETY: it is never null, and what it points to is in `chains`, from where nothing goes while it is borrowed.
        unsafe { &*chain }
    }

    /// Whether the list has been the current one from the look until now.
    #[inline]
    pub(crate) fn is_current(&self, look: &Look<'_, L>) -> bool {
        // The pointer first. If the list had been replaced and had come back since the look, the exchange that brought
        // it back would have been announced, after the look and before that exchange. SeqCst: see `look`.
        ptr::eq(self.current.load(Ordering::SeqCst), look.chain)
            && self.changes.load(Ordering::SeqCst) == look.changes
    }

    /// The current list. While the guard is held its memory is not used again.
    #[inline]
    pub(crate) fn load<'g>(&'g self, _: &'g Guard) -> &'g Chain<L> {
        self.current()
    }

    /// Whether a list that was loaded under this guard is still the current one.
    #[inline]
    pub(crate) fn is(&self, chain: &Chain<L>, _: &Guard) -> bool {
        // The guard keeps the memory from being used again, so it cannot have come back. SeqCst: see `look`.
        ptr::eq(self.current.load(Ordering::SeqCst), chain)
    }

    /// Puts a list in the place of `current`, which was loaded under this guard. Returns false if that had been replaced
    /// before.
    pub(super) fn replace(&self, current: &Chain<L>, list: &List<'_, L>, guard: &Guard) -> bool {
        if !self.is(current, guard) {
            return false;
        }
        let chain = self.chain_of(list);
        // Announced after the current list was loaded and before it is replaced: see `is_current`.
        self.changes.fetch_add(1, Ordering::SeqCst);
        // SeqCst: see `look`. As a Release it publishes the list, and the announcement.
        let replaced = self.current.compare_exchange(
            ptr::from_ref(current).cast_mut(),
            ptr::from_ref(chain).cast_mut(),
            Ordering::SeqCst,
            Ordering::SeqCst,
        );
        if replaced.is_err() {
            // Nobody has loaded it as the current one.
            chain.give_back()();
            return false;
        }
        guard.defer(current.give_back());
        true
    }

    /// Adds a segment, which takes the inserts from now on, as [`replace`](Self::replace) does.
    pub(super) fn retarget(&self, chain: &Chain<L>, next: Next<'_, L>, guard: &Guard) -> bool {
        match next {
            Next::Used(link) => {
                let replaced = self.replace(chain, &chain.with_target(link), guard);
                if !replaced {
                    link.put_back();
                }
                replaced
            }
            Next::New(link) => {
                // A thread that dies from here on must not drop what it may have published.
                let link = ManuallyDrop::new(link);
                let replaced = self.replace(chain, &chain.with_target(link.get()), guard);
                let link = ManuallyDrop::into_inner(link);
                if replaced {
                    self.links.add(link);
                }
                replaced
            }
        }
    }

    /// Takes a parked segment of this geometry, if there is one.
    pub(super) fn take(&self, geometry: Geometry<L>) -> Option<&Link<L>> {
        let mut fitting = self.links.iter().filter(|link| link.geometry() == geometry);
        fitting.find(|link| link.take())
    }

    /// A parked segment of this geometry, if there is one, which another thread may take.
    pub(super) fn parked(&self, geometry: Geometry<L>) -> Option<&Link<L>> {
        let mut fitting = self.links.iter().filter(|link| link.geometry() == geometry);
        fitting.find(|link| link.is_parked())
    }

    /// The bytes that parked segments take.
    pub(super) fn parked_bytes(&self) -> usize {
        self.links.iter().map(Link::parked_bytes).sum()
    }

    /// The current list, with nothing besides: what is parked is freed.
    #[allow(unsafe_code, reason = "the list stays while the rest goes")]
    pub(crate) fn alone(&mut self) -> &Chain<L> {
        // Relaxed: `&mut` says that no other thread is about.
        let current = self.current.load(Ordering::Relaxed);
        // SAFETY: it is in `chains`, and is not used any more when others of them go.
        let chain = unsafe { &*current };
        self.links
            .retain(|link| chain.links().any(|listed| ptr::eq(listed, link)));
        self.chains.retain(|other| ptr::eq(other, current));
        self.current()
    }

    /// Frees all segments but the target, which is the list from now on.
    #[allow(
        unsafe_code,
        reason = "the list holds what is freed until it is replaced"
    )]
    pub(super) fn keep_target(&mut self) {
        let target = ptr::from_ref(self.current().target());
        self.links.retain(|link| ptr::eq(link, target));
        // SAFETY: it is not among those that were freed.
        let links = vec![unsafe { &*target }];
        self.set(&List { links, target: 0 });
        self.alone();
    }
}
