//! Rotation: why a filter that forgets misses nothing before its time, and keeps nothing after it.
//!
//! A [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) of `n` generations has `n + 1` tables of one geometry. One
//! word, the *state*, holds the number `g` of rotations, the index of the young table, and whether the spare is known
//! to be empty. The tables form a circle: after the young table comes the *spare*, which holds no generation, then the
//! generations from the oldest on. A rotation is one exchange of the state: the spare becomes the young table of
//! generation `g + 1`, and the table of the oldest generation becomes the spare. Nothing is allocated or freed, so
//! there are no epochs. But a thread can be late: it read the state, was stopped, and continues in a table that has
//! another role by now. This page is mostly about late threads.
//!
//! # Rules
//!
//! 1. All calls read the state first. Inserts go to the young table of that state. Lookups, removes and counts walk
//!    over its generations, from the oldest to the young one. Removes take the first token they find.
//! 2. A walk that has found nothing is repeated if there was a rotation meanwhile.
//! 3. A rotation requires that the state marks the spare as *clean*. The rotation clears the mark.
//! 4. A thread that wants to rotate empties the spare, if it is not clean, and marks it. Several threads may do so at
//!    once. The mark is set by an exchange of the state that was read before, so it fails if there was a rotation, or
//!    an insert *soiled* the spare.
//! 5. An insert reads the state again after its exchange. If there was a rotation, and its table is the spare now, it
//!    clears the mark and counts a soil before it returns.
//! 6. An [admission](super::protocol#admissions) freezes its word in the young table, asks the older generations from
//!    the oldest on by read-modify-writes, then its witness, then whether there was a rotation, and commits. Other
//!    writers abort it.
//!
//! # Emptying
//!
//! A plain exchange of a word for the empty bucket would be wrong. A thread that stops just before it could wake when
//! the table is the young one, find the same bits again, because an item was inserted again, and remove it. So an
//! emptying is a restricted double-compare single-swap (Harris, Fraser and Pratt, "A Practical Multi-Word
//! Compare-and-Swap Operation", 2002), a third kind of [transfer](super::protocol#transfers): it freezes the word with
//! a reference to its descriptor, then checks whether `g` is unchanged, then commits or aborts.
//!
//! **Everything that an emptying removes was inserted before the next rotation.** Let it freeze the word, and then find
//! that `g` is unchanged. Until the emptying is decided, no thread changes the word. So all tokens that it removes were
//! stored before that check, however much later the commit is. The same holds for another thread that empties the same
//! spare, meets the reference, finds `g` unchanged and commits: the word was frozen before its check too. If these
//! tokens were inserted while the table was young, no walk may see them from the next rotation on anyway. If a late
//! insert put them there, see [below](#late-inserts).
//!
//! **After a whole pass, one emptying of every word, no token is left that was stored at its beginning.** Each word was
//! empty at some moment of the pass. A token that is left can only have been in the other word of its class when one of
//! the two was emptied: it hopped to the word that was emptied first. Hops in a spare are those of late inserts, but
//! any token may hop. As for a [miss](super::protocol#a-miss), the stripes tell: a hop bumps one between its installs
//! and its commit. The pass reads all stripes before and after. If the bump came in between, the pass is repeated. If
//! it came after the second reading, so did the commit, but the pass has emptied the word that was to be frozen, or
//! aborted the relocation. If it came before the first reading, that acquired both installs, so the pass met the
//! reference in the first of the two words, and settled it.
//!
//! The pass aborts pending admissions in the spare, like relocations. An admission that has checked `g` froze its word
//! while the table was young. So the pass meets the reference, or the content that was committed: no admission places a
//! token in a word that the pass has left.
//!
//! # Late inserts
//!
//! Let an insert read the state at `g`, and make its exchange at `c`, after `c - g` more rotations.
//!
//! * *`c - g < n`*: its table still holds generation `g`, which is forgotten with rotation `g + n`.
//! * *Its table holds a later generation `h`, at most `c`*: it is an insert into that one. Its token is forgotten with
//!   rotation `h + n`, no later than the `n`-th rotation after it returned.
//! * *Its table is the spare at `c`.* A pass may or may not have passed the word. If there is no rotation before the
//!   insert has read the state again, it soils the spare before it returns. Then no pass that began before that marks
//!   the spare clean, and the next pass removes the token. If there is a rotation, the table holds generation `c + 1`
//!   before the insert has returned, and it is an insert into that generation.
//!
//! The exchange and the second read of the state must not miss a pass that misses the token. A pass reads the state and
//! then the words; the insert writes a word and then reads the state. All of these are sequentially consistent. So if,
//! in the one order, the pass read the word before the exchange, the insert's second read comes after the state that
//! the pass read.
//!
//! A token in the spare can be removed at any moment until the next rotation, and after it by an emptying that froze
//! its word before. Both happen only to inserts that took `n` rotations or longer, so no promise is broken. A token
//! that was removed does not come back.
//!
//! But a token can be found, not be found, and be found again, before its insert returns. Let the insert's exchange be
//! in the spare, after a pass that has set the mark. A late lookup, which has read the state before the rotation, finds
//! the token there. A lookup that begins now does not look there. If there is a rotation before the insert reads the
//! state again, lookups find the token in the young generation. So there is no one moment at which such an insert takes
//! effect. Only hits that are validated, as misses are, would rule this out: one more load for each hit.
//!
//! # The promises
//!
//! * *Found*: let an insert begin at `g`, so that its state is `g` or later, and a lookup begin after it returned and
//!   end before rotation `g + n`. The token is in the table of generation `g` or of a later one, and no emptying
//!   touches that before rotation `g + n`. By [Walks](#walks), the lookup finds it.
//! * *Forgotten*: shown above. A lookup that begins after the `n`-th rotation after the insert's return reads a state
//!   in which no generation's table has the token: the token's generation is no later than the rotations at the return,
//!   and its table was emptied before it was reused.
//! * *A rotation takes effect at once, for all*: it is one exchange. A late call that finds or removes a token in a
//!   table that is no longer live is placed before the rotation: it has read the state before. It removes a token that
//!   was stored when it began.
//! * *A late remove in a reused table* finds a token of the present generation. When it was called, its item was
//!   stored, but the item has been forgotten during the call. No check can detect this in one step, so the
//!   documentation counts such removes among those of absent items.
//!
//! # Walks
//!
//! **A class that is never empty during a lookup is not missed.** Suppose that it is. Consider the tokens in the tables
//! that the lookup has passed. When it passes a table, there are none in it. At the end all tables are passed. So there
//! is a last moment `s` from which on there are always some, and at `s` an insert put one into a table that had been
//! passed.
//!
//! * An insert that is not late goes to the young table, which is passed last. So another table was the young one by
//!   then: there was a rotation before `s`. If it was before the lookup's last read of the state, that read sees it,
//!   and the lookup walks again. If it was after, so was `s`. Then before `s` the class was empty when the last table
//!   was passed.
//! * Otherwise, only a late insert can put a token into an older table. At `s` the tokens of the class that the lookup
//!   was to find were in tables that were not passed. All of them have been removed before the lookup came. A remove
//!   that takes a younger token while there is an older one has passed the older table before the token came, so it
//!   began before `s`. Place these removes just before the late insert at `s`, and the miss between. No thread can
//!   tell, as for [equal tokens that take turns](super::protocol#a-miss).
//!
//! A walk with the youngest first would miss an item that is refreshed: inserted again, and then removed once.
//!
//! **A remove leaves each other item a token that lives as long as the item.** Let an item be due to leave with the
//! `n`-th rotation after its insert began. In each class, sort the items by when they are due, and the tokens by when
//! they leave. Then the `k`-th token from the end leaves no earlier than the `k`-th item from the end is due. Inserts
//! keep this: the token leaves when its item is due, or later. So do rotations, and removes that take the oldest token,
//! whichever item is removed. A remove that takes a younger one is placed before the late insert of the older one.
//!
//! # Admissions
//!
//! **In the life of an item, one call returns true.** Two admissions of a class in one table meet as in a filter of a
//! fixed size. Let one be in the table of generation `g`, and a rival in that of `g + k`, where `k < n`. The rival asks
//! the words of the first. If the first has frozen its word by then, the rival aborts it, or sees its token. If not,
//! the freeze acquires, through the word, that the rival has read `g + k`; so the first one finds that there was a
//! rotation, and gives up. If `k` is `n` or more, the life of the first is over when the rival's begins, and the first,
//! if it still commits, is placed just before rotation `g + n`.
//!
//! The older generations are asked from the oldest on, and before the witness: in the order of a walk, for the same
//! reason.
//!
//! **A [refresh](crate::RotatingCuckooFilter::refresh) is an admission** to the young table that records the answers of
//! the older generations instead of giving up. Before it, a lookup in the young generation spares most refreshes the
//! admission: the token that it sees makes the item "not new". The admission asks the older generations for the same
//! reasons as others: it aborts rivals there, so of two refreshes, or a refresh and an `insert_unique`, that race for
//! an absent class, one finds the token of the other. Of its answers, "new" is linearized as that of an admission. "Not
//! new" is true at the moment when the older token was seen. If another thread removes that token before the commit, no
//! single moment explains both the answer and the copy; the documentation says so.
//!
//! # Progress
//!
//! A walk and an insert are repeated only if there was a rotation. A rotation is retried only if another thread
//! rotated, marked the spare, or soiled it. Two threads that empty one word help each other, so that one of the
//! emptyings is committed. Only late writers (and late counts and snapshots, which settle words) abort an emptying.
//! Only late relocations, and late removes of one of two copies, invalidate a pass. Each can do so as long as its own
//! call lasts. After 64 attempts the rotation is [refused](crate::RotateError), as inserts are.
//!
//! A thread that stops in a pass costs one descriptor of one table, and its frozen word is emptied by the next pass. If
//! all descriptors of a table are lost, it can no longer be emptied, and the rotation that needs it is refused until
//! `clear`.
//!
//! # Orderings
//!
//! | access | ordering | pairs with | mutant |
//! |---|---|---|---|
//! | state: load | SeqCst | its exchange, so that a reused table is seen empty | yes, to Relaxed |
//! | the same | SeqCst | accesses of words, by a late insert and by a thread that empties its table | yes, to Acquire |
//! | state: exchange | SeqCst | its loads | yes, to Relaxed; to AcqRel no model tells |
//! | stripes, before a pass | Acquire | a bump: both references are met | no: the loads of the words meet them |
//! | stripes, after a pass | Acquire, though Relaxed would do | a bump, through a word | no, for that reason |
//! | older generations' words, for an admission | SeqCst read-modify-write | a rival's install | yes, see [orderings] |
//!
//! [orderings]: super::protocol#orderings
//!
//! A mutant shows for each rule what happens without it: a plain exchange for an emptying; no check of `g` in it, or a
//! check before the freeze; no check of the stripes; a rotation without a pass; no soil, one that leaves the mark, or
//! one that is not counted; a walk from the young generation on; a walk, or an admission, that does not check for a
//! rotation; an admission that does not ask the older generations, or that others decide.
//!
//! # Evidence
//!
//! Neither the state checker nor the histories of `tests/stress` have a filter that rotates. loom explores the races of
//! two and three threads (`loom-tests/tests/rotating.rs`). Threads are stopped at each access of all calls, and
//! overtaken by rotations (`tests/steps/tests/stops/rotations.rs` and `rotating_admissions.rs`). Real threads rotate
//! filters that others use (`tests/suite/rotating/threads.rs`).
//!
//! # Why not otherwise
//!
//! *A new table for each rotation*, freed by epochs, needs no emptying. But it allocates, so a rotation can fail, and
//! memory grows while a thread is stopped.
//!
//! *Clearing under a lock, or when all readers are gone*, makes a rotation wait for a thread that stops.
//!
//! *A token with its age in some bits* (as in ageing Bloom filters) costs bits of the fingerprint, and a pass over all
//! tokens at each rotation.
