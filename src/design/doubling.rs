//! Doubling: why a table that doubles in place loses nothing.
//!
//! A filter that grows by one more table each time (Almeida et al., "Scalable Bloom Filters", 2007) pays for its growth
//! with every lookup. A table that doubles does not: it has grown ten times, and a lookup still loads two words. The price
//! is a bit of a token for each doubling that the token lives through.
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
//! [stripe](super::protocol#a-miss): all tokens that cover an item have its head, and so one stripe. A new token is as
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
//! been buckets. A bit of it says that tokens may be elsewhere than in words of this level: in those of the next level, while
//! the table grows into that; in another table, if this level is the last. In front of the words the block has a header. It holds
//! the marks of the lanes of this level, which never change, and how far its [growth](#a-growth) is. By which bits the two
//! strings of an item differ is a constant for each of the 64 heads. So a lookup that has the hint computes little.
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
//! An insert that finds no room allocates the next block and sets the bit in the hint. From then on each insert and each
//! remove splits some words of the sweep, and an insert of which both buckets are full splits one of them that is not split
//! yet. When all are gone the hint moves on. Any writer can do each step, so no thread waits for another.
//!
//! Below the capacity of its size a table does not grow: before it does, a search for a path goes as far as that of a filter
//! of a fixed size, which has room up to there. Beyond it a search is shorter, because a doubling costs less than many long
//! searches.
//!
//! Words of two levels are live meanwhile. A lookup takes from the cursor at which level each of its two is: below, if the
//! cursor has passed the bucket, else above. It loads these two, and checks the stripe. If both are buckets, they are the
//! live ones: one above that is a bucket is not split, and one below is looked at only if its parent was gone when the
//! cursor moved on. Else the guess may be wrong, because inserts split words in front of the cursor too, or a split or a
//! hop is under way; then the lookup goes down step by step from the word above. An old cursor makes more guesses wrong, and
//! nothing else.
//!
//! The cursor is in the header of the level that is split, and so is the address of the level below, which is written
//! before the bit is set. Many may begin one growth, and one of them may be late by a whole growth, and so may be one who
//! moves the cursor. A level has one growth, and for all of its life the same level below. So they take nothing from the
//! next growth.
//!
//! *The cursor* is a word before which all are gone. Who moves it has split the words that it passes, or read that they are
//! gone. Threads that split the same words would do the work of one. So each *takes* some beyond those that others have
//! taken. That binds nobody, because any thread may split any word of the level: the number up to which words are taken may
//! say what it likes. A thread that stops leaves words that are taken and not split, and the cursor stays there. When 1,024
//! words from it on are taken, or all of the level, inserts split the words at the cursor, and then it passes all that are
//! gone beyond them.
//!
//! # Giving back
//!
//! The pages of a block behind the hint go back to the system, and read as absent words. A reader that comes to one loads
//! the hint again. A helper of a split writes into absent words: if it slept through the giving back, it would put a
//! bucket where none is any more, and a late exchange could succeed there. So helpers are pinned, and the pages go back
//! when all have been unpinned that were pinned when the hint moved on (Fraser, "Practical lock-freedom", 2004). Besides
//! that, only the first insert into a word of a table that was added pins.
//!
//! *A table that was added* begins with absent words, and nobody fills them in advance: as long as the hint is at the first
//! level, an absent word there is an empty bucket. Who reads one asks the hint afterwards. Who writes to one is pinned before
//! it asks: so if the hint was still there, the word is not given back under it.
//!
//! A block of more than 2 MiB goes back in parts of that size. When its time has come, a bit in the hint says so, and each
//! insert or remove gives back one part, until the last is gone and the bit is cleared. Nothing is lost if they end before:
//! `finish_doubling` and `shrink_to_fit` give back the rest, and until then it counts as memory in use. Who clears the bit
//! looks for parts once more, and sets it again if there are any.
//!
//! # Copies
//!
//! To store a table, to copy or to list it neither begins nor ends a growth. The copy has the level, the cursor, and of
//! each bucket of the level the bucket itself or, if it is split, its children; so it goes on as the table does. The number
//! of words that are taken is not part of it: who has the table alone gives up what others had taken. Nor is memory that is
//! to be given back. How a copy is made while others split: [`snapshots`](super::snapshots#tables-that-double).
//!
//! # The longest step
//!
//! No insert does anything that takes longer in a larger table:
//!
//! | step of an insert | at most |
//! |---|---|
//! | path search | its bound, in buckets |
//! | splits | 16 words of the sweep, and one bucket of the item for each of its few attempts |
//! | cursor | a look at the 1,024 words beyond it |
//! | next block | one allocation of zeros, which the system hands out page by page when they are written to; descriptors and cells of the counter, if the table has much fewer than one of its new size, up to 72 KiB |
//! | a table that is added | the same |
//! | giving back | one part |
//!
//! On Linux a block of 1 MiB or more comes from the system: an allocator that has used such memory before would write the
//! zeros itself. On other systems it is left to the allocator.
//!
//! What is not so: at the limit on memory an insert gives back all that is due before it is refused.
//!
//! # Admissions
//!
//! Only its owner commits one, because only the owner knows the item, of which a token at another level may hold a bit
//! more, and what it has asked in [other tables](#several-tables). The target is frozen: no token that covers the item can
//! hop out of it, and it is not split. The witness is read from above, by read-modify-writes. A rival is a pending admission
//! whose token covers the item; the one in the lower word wins.
//!
//! # Several tables
//!
//! At the last level the oldest tokens have no tail. Then another table is added, which begins at this level. It is
//! *finer*: its tokens are longer than all before, because at the level where a table begins a tail has a bit more. A table
//! is only ever added, as the finest, and none is taken out. Inserts go to the finest. Lookups, removes and counts walk
//! from the finest to the coarsest, and take what they find first. (A lookup in two tables loads the words of both whatever
//! the finer one says, because nobody can foretell that; but in this order.) A token never changes its table, so a snapshot copies
//! them in this order, and what holds for a lookup holds for it.
//!
//! **A remove takes nothing that another item needs.** At each moment the items that are in can have tokens of their own
//! that cover them, such that an item's own is in none of the tables that a lookup or remove of it, which is under way, has
//! passed. By induction over the steps:
//!
//! * *An insert* adds an item and its own token. One that comes late, into a table that is not the finest any more, does
//!   the same: it moves no other item's own.
//! * *A walk passes a table*, having missed. There was a moment at which no token there covered its item, so the item's own
//!   was in none of the tables up to there.
//! * *A table is added.* It is empty, so no item's own is in it, and a walk that began before counts as having passed it.
//!   So no walk need be repeated.
//! * *A remove of `x` takes `t`*, the own of `y`. The own of `x` is `s`, in the same table or a coarser one. So `t` is at
//!   least as long: in one table because a remove takes [the longest](#removal-takes-the-longest), else because the table
//!   is finer. As there, `s` covers `y`, and becomes its own. It is not in a finer table than `t` was, so in none that a walk
//!   for `y` has passed.
//! * *Splits and hops* change no prefix.
//!
//! No walk can pass the coarsest table: behind it there is nothing, where the item's own would have to be. So no lookup and
//! no remove of an item that is in throughout misses it. Equal items can take turns: one comes to a table that the walk has
//! passed, and then the other is removed from a coarser one. That remove had passed the finer table before the token came,
//! so it began before. Place it just before the insert, and the miss between. No thread can tell, as for
//! [equal tokens](super::protocol#a-miss) in one table.
//!
//! **An admission** freezes its word in the finest table, asks the coarser ones by read-modify-writes, and at last whether
//! its table is still the finest. It aborts admissions of a token that covers the item there. Let two admissions have
//! different targets, the second a finer one. If the first froze its word before the second asked for it, the second aborts
//! it, or sees its token. If after, the first has acquired through that word that there is a finer table, so its last look
//! finds it, and it gives up.
//!
//! # Contraction
//!
//! `shrink_to_fit` has the filter alone. It puts the tokens of all tables into one table of the smallest level, from the
//! first on, that is large enough for them; if none is, it leaves the coarsest table as it is, and does so with the others.
//! What does not fit after all is left as it was.
//!
//! It is the inverse of a doubling. The last bits of a bucket's number come back in front of the tail. Where the lane has no
//! room for them the last bits of the tail go: the prefix becomes shorter. So each item has still a token of its own that
//! covers it, which is all that [removal](#removal-takes-the-longest) rests on.
//!
//! *No tail becomes shorter than the doublings from the first level on would have left it.* A prefix has at least ten bits
//! more than the first level. At a level that is `d` deeper, `10 - d` of them are left for the tail, or 9 if it is marked.
//! So the table can double as often as before, and its rate of false positives is at most that of one which has come to
//! this size by growth, with as many tokens of each age. At the first level all tails are full again.
//!
//! # Orderings
//!
//! Words, controls and stripes are accessed as those of a table of a fixed size ([orderings](super::protocol#orderings)). What
//! only a table that doubles has:
//!
//! | access | ordering | pairs with | mutant |
//! |---|---|---|---|
//! | hint: load, exchange | SeqCst | each other: the block is there, the words of the level before are gone, the table after this one is there. In the one order of the words, because a token in a table that was added is as visible as the bit that leads there | load: yes, to Relaxed; exchange: no, it is a read-modify-write, which a model lets nobody miss for long |
//! | address of the level below: load, store | Acquire, Release | each other: the block is there | no: the bit in the hint, which is set later, says the same |
//! | cursor: load, exchange | Acquire, AcqRel | each other; who goes on from there, or looks behind it, has the splits behind it | no: whoever moves the hint has read the words by then, and of a bucket that is frozen, the parts are what it is |
//! | number of words taken: load, exchange | Relaxed | nothing depends on it | weakest there is |
//! | marks in the header of a block | plain, written before the hint leads there | hint: load | no: not an atomic |
//! | bytes given back | Relaxed | a measure | weakest there is |
//!
//! # Evidence
//!
//! The state checker has a machine of its own for this page (`cargo run --release -p protocol-checker -- --growing`): splits,
//! hops, the longest match, admissions, snapshots, giving back, two tables, and deaths, with mutants that must
//! die. Its second table begins a level deeper than here; all that it uses of that is that the tokens are longer. It is not
//! held to this code access by access, as the machine of a table of a fixed size is. loom explores the races
//! of two and three threads on this code (`loom-tests/tests/growing.rs`). shuttle draws schedules of up to
//! five, through all ten doublings (`tests/shuttle`). Threads are stopped at each access of splits, growths, admissions,
//! copies and removes (`tests/steps`), die there, and write histories (`tests/stress`).
//! Filters live and die under threads that own items, and remove each of them in the end (`stress-tests lives`).
