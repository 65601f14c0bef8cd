//! Doubling: why a table that doubles in place loses nothing.
//!
//! A filter that grows by adding a table each time (Almeida et al., "Scalable Bloom Filters", 2007) pays for its growth
//! with every lookup. A table that doubles does not: after ten doublings a lookup still loads two words. The price is
//! one bit of a token for each doubling that the token lives through.
//!
//! # Prefixes
//!
//! The hash of an item gives a *head* of 6 bits, and two endless strings of index bits. The second string is the first,
//! exclusive-ored with an offset that depends on the head alone. The first `k` bits of a string are the number of a
//! bucket at *level* `k`, in a table of `2^k` buckets; the very first bit is 0 in the first string and 1 in the second.
//! A token holds the head, and the bits of the first string that follow those of the bucket: its *tail*. A token thus
//! determines a *prefix* of its item's first string, and the head.
//!
//! When the table doubles, a bucket splits in two, and the first bit of each tail selects the half to which the token
//! goes. That bit then belongs to the number. A hop changes the number by the offset and leaves the token as it is: in
//! both buckets its tail is that of the first string. So **the prefix of a token never changes**. Prefixes of one head
//! are nested or disjoint. A token *covers* the items that begin with its prefix. Tokens that were stored earlier, in a
//! smaller table, have shorter prefixes, and cover more.
//!
//! A tail has 10 bits at the level where the table began; at deeper levels it has at most 9, with a mark after them. So
//! a table doubles ten times, and each level adds as much to the rate of false positives as the first.
//!
//! # Removal takes the longest
//!
//! *If each stored item has a token of its own that covers it, this still holds after an item is removed together with
//! the longest token that covers it.* Let `x` be removed, let `s` be its own token, and let `t`, `y`'s own token, be
//! the longest that covers `x`. Both cover `x`, so the prefix of `t` begins with that of `s`; and `y` begins with the
//! prefix of `t`. So `s` covers `y`, and becomes `y`'s own token. A test refutes a remove that takes a shorter token.
//!
//! Between two loads a longer token may hop. "There is no longer token" is a miss, and is validated as a miss is, by
//! the [stripe](super::protocol#a-miss): all tokens that cover an item have its head, and so one stripe. A new token
//! has the maximum length, so finding one needs no validation.
//!
//! # Words
//!
//! The words of each level are in a separate block. A word goes through these states in this order:
//!
//! ```text
//! absent -> bucket or reference -> gone -> absent
//! ```
//!
//! *Absent* words are 0: fresh memory, or memory that was given back. So the empty bucket is another number here, 2^48.
//! A word that is *gone* sends its reader to the two words below, and never becomes a bucket again. So a late exchange
//! that expects a bucket or a reference fails, and a bucket that is found is the live one, however its reader came to
//! it.
//!
//! The *root* is one word: the level at which lookups begin, and the address of its block. All words of that level have
//! been buckets. The *aside* bit of the root says that tokens may be outside the words of this level: in those of the
//! next level, while the table grows into that; in another table, if this level is the last. The block begins with a
//! header. It holds the marks of the lanes of this level, which never change, and the progress of its
//! [growth](#a-growth). The bits in which the two strings of an item differ are a constant for each of the 64 heads. So
//! a lookup that has the root computes little.
//!
//! # A split
//!
//! | step | by |
//! |---|---|
//! | freeze | the owner: an exchange of the content of word `n` for the reference |
//! | parts | any thread: exchanges of words `2n` and `2n + 1`, absent, for their parts |
//! | gone | any thread: an exchange of the reference in word `n` for gone |
//!
//! A split needs no decision: once begun, it goes on to the end, and any thread that meets it helps. **It has no
//! observable effect.** Until the parent is gone, its content is the frozen content, and no thread changes the
//! children: a thread comes to a child through its parent when that is gone, or through a root that was published after
//! all parents were gone. From then on the children hold the content, initially the same.
//!
//! *A bucket whose number was computed* needs care: the ends of a hop are computed from each other. If such a bucket is
//! deeper than the root, its parent must be gone first. If the parent is not gone, the thread first splits it, or
//! finishes its split. The word may already be a bucket while the parent is still frozen: a hop to it would be undone
//! for all threads that come through the parent.
//!
//! # A growth
//!
//! An insert that finds no room allocates the next block and sets the aside bit. From then on inserts and removes split
//! the words of the level from the first to the last, each a few: the *sweep*. All words before its *cursor* are gone.
//! An insert whose buckets are both full also splits one of them that the sweep has not reached. When all words are
//! gone the root moves on. Any writer can do each step, so no thread waits for another.
//!
//! A table does not grow below the capacity of its size: a search for a path then goes as far as that of a fixed-size
//! filter, which has room up to its capacity. Above it a search is shorter, because a doubling costs less than many
//! long searches.
//!
//! During a growth the words of two levels are live. From the cursor, a lookup infers the level of each of its two
//! words: below, if the cursor has passed the bucket, otherwise above. It loads these two, and checks the stripe. If
//! both are buckets, they are the live ones: a bucket above is not split, and a word below is read only if its parent
//! was gone when the cursor moved on. Otherwise the guess may be wrong, because inserts also split words ahead of the
//! cursor, or a split or a hop is in progress; then the lookup descends step by step from the word above. An old cursor
//! makes more guesses wrong, and has no other effect.
//!
//! The header of the level being split contains the cursor and the address of the level below, which is written before
//! the aside bit is set. Several threads may begin one growth. A thread that begins a growth or moves the cursor may be
//! late by a whole growth. A level has one growth, and the same level below for its whole life. So late threads do not
//! affect the next growth.
//!
//! A thread that moves the cursor has split the words that it passes, or read that they are gone. Threads that split
//! the same words would do the work of one. So each *takes* some words beyond those that others have taken. This
//! restricts no thread, because any thread may split any word of the level: the number up to which words are taken may
//! have any value. A thread that stops leaves words that are taken and not split, and the cursor stays there. When
//! 1,024 words from the cursor on are taken, or all of the level, inserts split the words at the cursor, and then the
//! cursor passes all words beyond them that are gone.
//!
//! # Giving back
//!
//! The pages of a block that the root has left go back to the system, and read as absent words. A reader that comes to
//! one loads the root again. A helper of a split writes into absent words: if it slept while they were given back, it
//! would put a bucket where there must be none, and a late exchange could succeed there. So helpers are pinned, and the
//! pages go back when all threads that were pinned when the root moved on have been unpinned (Fraser, "Practical
//! lock-freedom", 2004). Apart from helpers, only the first insert into a word of an added table pins.
//!
//! *An added table* begins with absent words, and no thread fills them in advance: as long as the root is at the first
//! level, an absent word there is an empty bucket. A reader of such a word checks the root afterwards. A writer to one
//! is pinned before it checks the root: if the root was still there, the word is not given back meanwhile.
//!
//! A block of more than 2 MiB goes back in parts of that size. When it is due, a bit in the root says so, and each
//! insert or remove gives back one part, until the last is gone and the bit is cleared. Nothing is lost if inserts and
//! removes stop before that: `finish_doubling` and `shrink_to_fit` give back the rest, and until then it counts as
//! memory in use. The thread that clears the bit looks for parts once more, and sets it again if there are any.
//!
//! # Copies
//!
//! Storing, copying or listing a table neither begins nor ends a growth. The copy has the level, the cursor, and for
//! each bucket of the level the bucket itself or, if it is split, its children. So it continues as the table does. The
//! copy does not contain the number of words that are taken: with exclusive access, what others had taken is discarded.
//! It does not contain memory that is to be given back either. For copies made while others split, see
//! [`snapshots`](super::snapshots#tables-that-double).
//!
//! # The longest step
//!
//! No insert has a step that takes longer in a larger table:
//!
//! | step of an insert | at most |
//! |---|---|
//! | path search | its bound, in buckets |
//! | splits | 16 words of the sweep, and one bucket of the item for each of its few attempts |
//! | cursor | a look at the 1,024 words beyond it |
//! | next block | one allocation of zeros; descriptors and cells of the counter, up to 72 KiB |
//! | an added table | the same |
//! | giving back | one part |
//!
//! Descriptors and cells are added if the table has far fewer than a table of its new size. On Linux a block of 1 MiB
//! or more comes from the system, which provides the zeros page by page when they are written: an allocator that has
//! used such memory before would write the zeros itself. On other systems the allocator decides.
//!
//! One exception: at the memory limit, an insert gives back everything that is due before it is refused.
//!
//! # Admissions
//!
//! Only its owner commits an admission. Only the owner knows the whole item (a token at another level may hold one more
//! bit of it) and the answers of the [other tables](#several-tables). The target is frozen: no token that covers the
//! item can hop out of it, and it is not split. The witness is read from the upper level down, by read-modify-writes. A
//! rival is a pending admission whose token covers the item; the one in the lower word wins.
//!
//! # Several tables
//!
//! At the last level the oldest tokens have no tail. Then another table is added, which begins at this level. It is
//! *finer*: its tokens are longer than all before, because a tail has one bit more at the level where a table begins.
//! Tables are only added, each as the finest, and none is removed. Inserts go to the finest. Lookups, removes and
//! counts walk from the finest to the coarsest, and take the first token they find. (A lookup in two tables loads the
//! words of both, because the answer of the finer one cannot be predicted; but it loads them in this order.) A token
//! never changes its table. So a snapshot copies the tables in this order, and the argument for a lookup applies to it.
//!
//! **A remove takes nothing that another item needs.** At each moment the stored items can have tokens of their own
//! that cover them, such that an item's own token is in none of the tables that a lookup or remove of the item, in
//! progress, has passed. By induction over the steps:
//!
//! * *An insert* adds an item and its own token. A late insert, into a table that is no longer the finest, does the
//!   same: it moves no other item's own token.
//! * *A walk passes a table*, having missed. There was a moment at which no token there covered its item, so the item's
//!   own token was in none of the tables up to there.
//! * *A table is added.* It is empty, so no item's own token is in it, and a walk that began before counts as having
//!   passed it. So no walk need be repeated.
//! * *A remove of `x` takes `t`*, `y`'s own token. Let `s` be `x`'s own token, in the same table or a coarser one. So
//!   `t` is at least as long: in one table because a remove takes [the longest](#removal-takes-the-longest), otherwise
//!   because the table is finer. As there, `s` covers `y`, and becomes `y`'s own token. It is not in a finer table than
//!   `t` was, so in none that a walk for `y` has passed.
//! * *Splits and hops* change no prefix.
//!
//! No walk can pass the coarsest table: after it there is no table where the item's own token could be. So no lookup
//! and no remove misses an item that is stored throughout. Equal items can take turns: one arrives in a table that the
//! walk has passed, and then the other is removed from a coarser one. That remove had passed the finer table before the
//! token came, so it began before. Place it just before the insert, and the miss between. No thread can tell, as for
//! [equal tokens](super::protocol#a-miss) in one table.
//!
//! **An admission** freezes its word in the finest table, asks the coarser ones by read-modify-writes, and finally
//! checks whether its table is still the finest. It aborts admissions there whose token covers the item. Let two
//! admissions have different targets, the second in a finer table. If the first froze its word before the second asked
//! for it, the second aborts it, or sees its token. If it froze it afterwards, the first has acquired through that word
//! that there is a finer table, so its final check finds it, and it gives up.
//!
//! # Contraction
//!
//! `shrink_to_fit` has exclusive access. It puts the tokens of all tables into one table of the smallest level, from
//! the first on, that is large enough for them. If no level is, it leaves the coarsest table as it is, and proceeds
//! likewise with the others. Tables whose tokens do not fit after all are left as they were.
//!
//! It is the inverse of a doubling. The last bits of a bucket's number return to the front of the tail. If the lane has
//! no room for them, the last bits of the tail are dropped: the prefix becomes shorter. So each item still has a token
//! of its own that covers it, which is all that [removal](#removal-takes-the-longest) needs.
//!
//! *No tail becomes shorter than the doublings from the first level on would have left it.* A prefix has at least ten
//! bits more than the first level. At a level that is `d` deeper, `10 - d` of them are left for the tail, or 9 if it is
//! marked. So the table can double as often as before. Its rate of false positives is at most that of a table that has
//! grown to this size, with the same number of tokens of each age. At the first level all tails are full again.
//!
//! # Orderings
//!
//! Words, controls and stripes are accessed as in a table of a fixed size ([orderings](super::protocol#orderings)), but
//! no model tells `Pair::exchange` of `blocks.rs` with AcqRel. The additional accesses of a table that doubles:
//!
//! | access | ordering | pairs with | mutant |
//! |---|---|---|---|
//! | root: load | SeqCst | its exchange | yes, to Relaxed |
//! | root: exchange | SeqCst | its load | no: a read-modify-write, which a model lets no thread miss for long |
//! | address of the level below: load, store | Acquire, Release | each other: the block is there | no: see below |
//! | cursor: load, exchange | Acquire, AcqRel | each other: the splits before it are there | no: see below |
//! | number of words taken: load, exchange | Relaxed | nothing depends on it | weakest there is |
//! | marks in the header of a block | plain, written before the root leads there | root: load | no: not an atomic |
//! | bytes given back | Relaxed | a measure | weakest there is |
//!
//! A thread that loads the root sees that the block is there, that the words of the level before are gone, and that the
//! table after this one is there. Its accesses are in the one order of the words, because a token in an added table is
//! as visible as the bit that leads there. The bit in the root, which is set later, says the same as the address of the
//! level below. A thread that moves the root has read the words before the cursor by then, and the content of a frozen
//! bucket is its parts.
//!
//! # Evidence
//!
//! The state checker has a separate machine for this page (`cargo run --release -p protocol-checker -- --growing`):
//! splits, hops, the longest match, admissions, snapshots, giving back, two tables, and deaths, with mutants that must
//! die. Its second table begins a level deeper than here; the only property that it uses is that the tokens are longer.
//! Unlike the machine of a fixed-size table, it is not compared with this code access by access. loom explores the
//! races of two and three threads on this code (`loom-tests/tests/growing.rs`). shuttle draws schedules of up to five
//! threads, through all ten doublings (`tests/shuttle`). Threads are stopped at each access of splits, growths,
//! admissions, copies and removes (`tests/steps`), die there, and write histories (`tests/stress`). In `stress-tests
//! lives`, threads own items in short-lived filters, and remove each of them at the end.
