//! The chain: a list of segments, the finest first.
//!
//! Each segment refines those behind it: the same ranges, longer. So if two items share a class in one segment,
//! only the segments before it can distinguish them. A walk that takes the first token it finds takes no token that
//! another item needs. One of the segments, the target, takes the inserts.
//!
//! A list does not change while it is the current one, and not while a thread is pinned that has loaded it as the
//! current one. Later its memory holds another list. So who is not pinned may read a part of each, and must
//! [look](super::published::Published::is_current) whether the list is still current. Whatever was read is a segment of
//! this filter, and those stay.

use core::ptr;
use std::sync::Arc;

use super::link::Link;
use crate::layout::Layout;
use crate::sync::{self, AtomicPtr, AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Chain<L> {
    /// The only link, or null if there are several: lookups come to it at once.
    only: AtomicPtr<Link<L>>,
    target: AtomicPtr<Link<L>>,
    /// From the finest to the coarsest, then null.
    links: Box<[AtomicPtr<Link<L>>]>,
    /// The number of threads that have started to build a segment for this chain.
    builders: AtomicU64,
    /// 1 while it holds a list that somebody may need. By itself, because it may be given back when the filter is gone.
    used: Arc<AtomicU64>,
}

/// What a chain is to hold.
#[derive(Debug)]
pub(super) struct List<'a, L> {
    pub(super) links: Vec<&'a Link<L>>,
    pub(super) target: usize,
}

/// The links that there is room for in each chain, but for the end.
const ROOM: usize = if sync::MODEL { 3 } else { 15 };

impl<L: Layout> Chain<L> {
    /// The most segments. There is more than one segment of a size only if shrinking loses races; the stored form
    /// numbers them in a byte.
    pub(crate) const MOST: usize = u8::MAX as usize;

    /// One with room for this many links, in use, which holds none yet.
    pub(super) fn with_room(links: usize) -> Self {
        let null = || AtomicPtr::new(ptr::null_mut());
        let room = if links > ROOM { Self::MOST } else { ROOM };
        Self {
            only: null(),
            target: null(),
            links: (0..=room).map(|_| null()).collect(),
            builders: AtomicU64::new(0),
            used: Arc::new(AtomicU64::new(1)),
        }
    }

    /// Takes this one, if nobody uses it and it has the room.
    pub(super) fn take(&self, links: usize) -> bool {
        // Acquire: pairs with the Release in `give_back`, so that what is put in comes after all that were pinned.
        links < self.links.len()
            && self
                .used
                .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    }

    /// Puts a list in. Only for who has made this one or taken it, and before it is published.
    pub(super) fn put(&self, list: &List<'_, L>) {
        // Release, here and below: pairs with the Acquire of whoever reads it behind a list that it has replaced.
        let set = |cell: &AtomicPtr<_>, index: usize| {
            let link = list.links.get(index);
            let link = link.map_or(ptr::null_mut(), |link| ptr::from_ref(*link).cast_mut());
            cell.store(link, Ordering::Release);
        };
        let only = if list.links.len() == 1 { 0 } else { usize::MAX };
        set(&self.only, only);
        set(&self.target, list.target);
        for (index, cell) in self.links.iter().enumerate().take(list.links.len() + 1) {
            set(cell, index);
        }
        self.builders.store(0, Ordering::Relaxed);
    }

    /// What gives it back, when nobody who was pinned can read it any more.
    pub(super) fn give_back(&self) -> impl FnOnce() + Send + 'static + use<L> {
        let used = Arc::clone(&self.used);
        // Release: pairs with the Acquire in `take`.
        move || used.store(0, Ordering::Release)
    }

    /// From the finest to the coarsest.
    #[inline]
    pub(crate) fn links(&self) -> impl Iterator<Item = &Link<L>> {
        self.links.iter().map_while(Self::link)
    }

    /// Those behind the first.
    #[inline]
    pub(super) fn coarser(&self) -> impl Iterator<Item = &Link<L>> {
        self.links[1..].iter().map_while(Self::link)
    }

    #[inline]
    #[allow(unsafe_code, reason = "segments stay as long as chains")]
    fn link(cell: &AtomicPtr<Link<L>>) -> Option<&Link<L>> {
        // Acquire: pairs with the Release in `put`. Who reads what was put in later finds that the list is not current.
        let link = cell.load(Ordering::Acquire);
        // SAFETY: it is null, or a segment of the filter that has this chain. Neither is freed while the filter is
        // shared.
        unsafe { link.as_ref() }
    }

    #[inline]
    #[allow(unsafe_code, reason = "a chain is never empty")]
    pub(super) fn finest(&self) -> &Link<L> {
        // SAFETY: see `link`; and it was set before the chain was published, and is never null again.
        unsafe { &*self.links[0].load(Ordering::Acquire) }
    }

    /// The only link, if it is.
    #[inline]
    pub(super) fn only(&self) -> Option<&Link<L>> {
        Self::link(&self.only)
    }

    /// The one that takes inserts.
    #[inline]
    #[allow(unsafe_code, reason = "a chain has a target")]
    pub(crate) fn target(&self) -> &Link<L> {
        // SAFETY: as in `finest`.
        unsafe { &*self.target.load(Ordering::Acquire) }
    }

    /// Its place among the links. Only a list that is no longer the current one may have none.
    pub(crate) fn target_index(&self) -> Option<usize> {
        let target = self.target();
        self.links().position(|link| ptr::eq(link, target))
    }

    /// This list with another segment, which takes the inserts from now on.
    pub(super) fn with_target<'a>(&'a self, link: &'a Link<L>) -> List<'a, L> {
        let finer = |other: &&Link<L>| other.geometry().buckets() > link.geometry().buckets();
        let mut links: Vec<_> = self.links().collect();
        let target = links.iter().copied().take_while(finer).count();
        links.insert(target, link);
        List { links, target }
    }

    /// The list without the segments that are drained for ever, and those; or `None` if there are none. The target
    /// stays.
    pub(super) fn without_drained(&self) -> Option<(List<'_, L>, Vec<&Link<L>>)> {
        let target = self.target();
        let stays = |link: &&Link<L>| ptr::eq(*link, target) || !link.is_drained();
        let (links, drained): (Vec<_>, Vec<_>) = self.links().partition(stays);
        let target = links.iter().position(|link| ptr::eq(*link, target))?;
        (!drained.is_empty()).then_some((List { links, target }, drained))
    }

    /// The number of threads that have announced that they build before this one.
    pub(super) fn announce_builder(&self) -> u64 {
        // Relaxed: a hint, which orders nothing.
        self.builders.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn sum(&self, of: impl Fn(&Link<L>) -> usize) -> usize {
        self.links().map(of).sum()
    }
}
