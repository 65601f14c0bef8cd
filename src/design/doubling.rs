//! Doubling: why a table that doubles in place loses nothing.
//!
//! A chain of segments pays for its growth with every lookup. A table that doubles does not: it has grown ten times, and
//! a lookup still loads two words. The price is a bit of a token for each doubling that the token lives through. (No
//! public filter of this crate is built on it yet.)
//!
//! # Prefixes
//!
//! The hash of an item gives a *head* of 6 bits, and two endless strings of index bits. The second string is the first
//! with an offset exclusive-ored that depends on the head alone. The first `k` bits of a string are the number of a
//! bucket at *level* `k`, in a table of `2^k` buckets; the first bit of all is 0 in the first string and 1 in the second.
//! A token holds the head, and the bits of the first string that follow those of the bucket: its *tail*. What a token says
//! of its item is a *prefix* of the first string, and the head.
//!
//! When the table doubles, a bucket splits in two, and the first bit of each tail says to which of the two the token goes.
//! It is then a bit of the number. So **the prefix of a token never changes**: not by a split, and not by a hop, which
//! exchanges the offset in number and tail alike. Prefixes of one head are nested or disjoint. A token *covers* the items
//! that begin with its prefix. Those that were stored earlier, in a smaller table, have shorter prefixes, and cover more.
//!
//! A tail has 10 bits where the table began; deeper, 9 at most, and a mark behind them. So a table doubles ten times, and
//! each level adds as much to the rate of false positives as the first.
//!
//! # Removal takes the longest
//!
//! *If each item that is in has a token of its own that covers it, then it is still so when an item is removed together
//! with the longest token that covers it.* Let `x` be removed, `s` be its own, and `t` the longest that covers it, which is
//! that of `y`. Both cover `x`, so the prefix of `s` begins that of `t`; and `y` begins with that of `t`. So `s` covers
//! `y`, and becomes its own. A remove that takes a shorter one is refuted by a test.
//!
//! Between two loads a longer token may hop. "There is no longer one" is a miss, and is validated as a miss is, by the
//! [stripe](super::linearization#a-miss): all tokens that cover an item have its head, and so one stripe. A new token is as
//! long as there can be, so that one that is found needs no validation.
//!
//! # Words
//!
//! The words of each level are in a block of their own. A word goes through these states in this order:
//!
//! ```text
//! absent -> bucket or reference -> gone -> absent
//! ```
//!
//! *Absent* words are 0: what fresh memory holds, and memory that was given back. A word that is *gone* sends its reader to
//! the two words below. A word is never a bucket again once it is gone. So an exchange that comes late, and expects a
//! bucket or a reference, fails, and a bucket that is found is the live one, whatever led to it.
//!
//! The *hint* is the level that lookups begin with, as one word with the address of its block. All words of that level have
//! been buckets. In front of the words the block has a header that never changes: for each head, by which bits the two
//! places of an item differ at this level, and the lane but for its tail. So a lookup that has the hint computes little.
//!
//! # A split
//!
//! | step | by |
//! |---|---|
//! | freeze | the owner: an exchange of the content of word `n` for the reference |
//! | parts | any thread: exchanges of words `2n` and `2n + 1`, absent, for their parts |
//! | gone | any thread: an exchange of the reference in word `n` for gone |
//!
//! A split is not decided: from the first step on it goes on to the end, and who meets it helps. **It changes nothing that
//! can be seen.** Until the parent is gone, what it holds is the frozen content, and nobody changes the children: a thread
//! comes to a child by way of its parent when that is gone, or by a hint that was published after all parents were gone.
//! From then on the children hold it, at first the same.
//!
//! *A bucket whose number was computed* is an exception that needs care: the ends of a hop come from each other. If such a
//! bucket is deeper than the hint, its parent has to be gone first, else it is split, or its split finished. Its word may
//! be a bucket already while the parent is still frozen: a hop to it would be undone for all who come by the parent.
//!
//! # A growth
//!
//! An insert that finds no room allocates the next block and sets a bit in the hint. From then on each insert splits some
//! words at the cursor, and those that it needs. When all are gone the hint moves on. Any insert can do each step, so no
//! thread waits for another. Words of two levels are live meanwhile, and a lookup that begins with the upper one may go
//! down one step: on the first side before it loads the second, and the stripe is checked after both.
//!
//! # Giving back
//!
//! The pages of a block behind the hint go back to the system, and read as absent words. A reader that comes to one loads
//! the hint again. A helper of a split writes into absent words: if it slept through the giving back, it would put a
//! bucket where none is any more, and a late exchange could succeed there. So helpers are pinned, and the pages go back
//! when all have been unpinned that were pinned when the hint moved on (Fraser, "Practical lock-freedom", 2004). Nothing
//! else needs a pin.
//!
//! # Admissions
//!
//! As in a [chain](super::growth#admissions), only its owner commits one, because only the owner knows the item, of which
//! a token at another level may hold a bit more. The target is frozen: no token that covers the item can hop out of it, and
//! it is not split. The witness is read from above, by read-modify-writes. A rival is a pending admission whose token
//! covers the item; the one in the lower word wins.
//!
//! # Beyond ten doublings
//!
//! At the last level the oldest tokens have no tail. Then another table is added, which begins one level deeper. All its
//! tokens are longer than those before, so the order of a chain holds: lookups, removes and counts go from the finest
//! table to the coarsest, and what is said [there](super::growth#removal-takes-nothing-that-another-item-needs) of
//! segments holds of these tables. A table is added only as the finest, and none is taken out, so a walk need not be
//! repeated: who began before counts as having passed it.
