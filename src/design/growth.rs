//! Growth: why a chain of segments loses nothing.
//!
//! A fingerprint does not say where its item would be in a larger table, so a filter of fingerprints cannot be
//! rehashed. It grows by another table, a *segment* (Almeida et al., "Scalable Bloom Filters", 2007, for filters
//! without removal). Removal makes that delicate: if two items share a class in one segment and not in another, a
//! remove of one item can take the token that the other item needs. The rules here prevent that.
//!
//! # Rules
//!
//! 1. Of two segments one *refines* the other: it has the same number of ranges, and its ranges are at least as
//!    long. So items of one class in the finer segment are of one class in the coarser. The list has the finest
//!    segment first.
//! 2. A list does not change while it is the current one. It is published by an exchange, which fails if it has been
//!    replaced.
//! 3. Inserts go to one segment of the list they loaded, the target. An insert that comes late, by an old list,
//!    does no harm.
//! 4. Lookups, removes and counts walk from the finest to the coarsest and take what they find first. A remove
//!    checks before each segment and after the last, and so after each miss, that the list is still the same. A lookup
//!    checks it when it has missed in all segments. If the list has changed, they walk again.
//! 5. A segment that is no longer the target is *sealed* when a grace period has passed since it was the target:
//!    no insert can come any more. If it is sealed and empty, it is taken out of the list, and *parked*. Nothing but
//!    this takes a seal back: a parked segment can become the target of a later list, like a new one.
//! 6. An [admission](super::linearization#admissions) freezes its word in the target, asks the finer segments,
//!    its sibling, the coarser segments, and at last whether the list is the same, and commits. It reads words of
//!    other segments by read-modify-writes, and aborts admissions that it meets there. Only its owner commits it,
//!    because only the owner knows what it has asked.
//!
//! # Removal takes nothing that another item needs
//!
//! Let the items be the inserted ones that are not removed yet, and let a *claim* be an item with a remove or
//! lookup under way that has missed in all segments down to some level. For a class `C` of the segment at level
//! `j`, let `e(C)` be the number of items in `C` minus the number of tokens of classes within `C` at levels down
//! to `j`: this is the number of items of `C` that have their tokens in coarser segments. **`e(C)` is never less
//! than the number of claims in `C` that have passed level `j`.** By induction over the steps:
//!
//! * *An insert* into level `i` adds an item and a token, so `e` stays the same at coarser levels and at `i`, and
//!   grows at finer ones.
//! * *A remove takes a token* of level `i`. At `i` and coarser levels, item and token go together. At finer levels,
//!   which it has passed, `e` falls by one, and so does the number of claims.
//! * *A claim passes level `j`*, having missed. There was a moment at which `C` had no token in segment `j`. Then
//!   `e(C)` is the sum of `e` over the classes of level `j - 1` within `C`, each of which is at least its claims, this
//!   one among them.
//! * *A segment is added* at some level, empty. If it is coarser than what a claim has passed, the claim sees
//!   before it goes on that the list has changed, and begins again. If it is finer, `e` at its level is what it
//!   is one level finer, or all items of the class, and the claim counts as having passed.
//! * *A segment is taken out.* It is empty, and stays so until it is added again. Then it is a segment that is added. A
//!   call that is late by an older list may meet it there. It has passed all segments that are finer and were in the list
//!   at its last check, and counts as having passed the finer ones that were added since. So if it is a remove, it may
//!   take what it finds. If it misses, its next check fails.
//!
//! Below the coarsest level there is nothing, and items equal tokens there, so `e` is 0: no claim can pass the last
//! level. That is, no lookup and no remove of an item that is in throughout misses it. And `e` is never negative, so
//! each item finds a token at each moment: none was taken that it needed. A remove that takes the coarsest first
//! breaks the third step, and a list that is not looked at again the fourth; models show both.
//!
//! # Admissions
//!
//! Two admissions of one class can have different targets. In one segment they are each other's witness, as in a
//! single table. In two segments, suppose that the first admission loaded a list without the second one's
//! segment. If it froze its word before the second asked that word, the second aborts it, or sees its token. If
//! after, it has acquired through that word what the second did before, so its last look at the list finds a
//! changed list.
//!
//! # Epochs
//!
//! An insert is pinned from before it loads the list until it ends, and so is whoever replaces a list. Deferred work runs
//! when every thread that was pinned at the time has been seen unpinned (crossbeam-epoch; Fraser 2004). The seal of a
//! segment is such work, and so is the next use of the memory of a list. So a thread that stops in the middle of an
//! insert keeps segments from being sealed and taken out, and nothing else. A thread that stops in any other call
//! delays nothing.
//!
//! # Calls without a pin
//!
//! A pin costs as much as a lookup. So lookups, removes, counts and snapshots have none, and nothing that they may read
//! is freed while the filter is shared. It is freed when the filter is dropped, or by a call that has it by `&mut`.
//! Until then it is used again:
//!
//! * *The memory of a list* holds another list after a grace period. A call without a pin may read a part of each. All
//!   that it reads are segments of this filter, so what a lookup finds there is in. Before a remove takes something,
//!   and before a call says that something is absent, it checks that the list is still the current one. If it is, it
//!   was so at each moment since the call loaded it, and all that was read belongs to it.
//! * *The pointer does not tell*, because it may have come back. So each exchange of the list is announced by a
//!   change of a number, after the list that it replaces was loaded, and before it. A call loads the number, then the
//!   pointer; its check loads the pointer, then the number. Suppose that the pointer had come back. The exchange that
//!   brought it back replaced another list, which became the current one after the call loaded the pointer. So it was
//!   announced after the call loaded the number, and the check finds another one.
//! * *A parked segment* is empty, and no thread writes to it: inserts have ended, and removes find nothing. So its
//!   pages can go back to the system, where the system gives pages of zeros for them, which are empty buckets. Late
//!   calls see no difference. Its versions and descriptors stay, and count on when it is used again, so no exchange
//!   of an earlier use succeeds later than it could in a single table.
//!
//! A segment is allocated only if none of its size is parked, and a list only if none is free. So there are as many
//! segments of a size as were in the list at a time, and lists as many as were replaced in a grace period. A thread
//! that dies between taking a segment out and parking it costs that segment, until a call has the filter by `&mut`.
//!
//! # Progress
//!
//! A walk is repeated only if the list was replaced, or an exchange was announced that failed because another one was
//! first. A list is replaced because a segment was full, or drained.
//! If several threads find a segment full, the first starts to build the next one. The others wait about the time
//! that this takes, then build too, so a builder that stops does not block them. If an admission is aborted again
//! and again, or an insert is disturbed again and again, the insert treats the segment as full after a number of
//! attempts and grows the filter.
//!
//! # Why not in place
//!
//! A token could carry a bit of its item's hash to say, after a doubling, which half it belongs to. That halves
//! the number of codes with each doubling, so the false-positive rate doubles. Here the rate grows by the same
//! amount with each doubling of the content. And a token that has no bits left cannot be split.
