//! How the filter works, and why it is right. Documentation only.
//!
//! # Vocabulary
//!
//! | term | meaning |
//! |---|---|
//! | fingerprint `f` | 16 bits of an item's hash, never 0; 0 is a vacant slot |
//! | bucket | one 64-bit atomic word, four slots |
//! | candidates | the two buckets an item may be in, `A` and its alternate `B` |
//! | class | the items with equal fingerprint and candidates |
//! | token | one stored copy of a fingerprint; tokens of one class are interchangeable |
//! | stripe | one of 128 version counters, chosen by the fingerprint alone |
//! | path | the chain of relocations that opens a slot of a full pair of buckets |
//! | relocation | the move of one token to its alternate bucket, as one atomic step over two words |
//! | admission | the step of `insert_unique`: add a token if the other candidate holds no equal one |
//! | scan | the reading of the whole table for a snapshot |
//! | hint | a note that a writer leaves for a scan: tokens of this class change places |
//! | descriptor | the record that says what a relocation or an admission does to its words |
//! | reference | the value of a word that names a descriptor: the word is frozen |
//! | segment | one of the tables of a filter that grows |
//!
//! The abstract object is a multiset of tokens. `insert` adds one, `remove` takes one, `contains` asks
//! whether there is one, `insert_unique` adds one if there is none. `snapshot`, `count` and the measures stand
//! outside.
//!
//! # Pages
//!
//! | question | page |
//! |---|---|
//! | How does one step change two words, and what holds then? | [`transfers`] |
//! | When does each operation take effect, and why then? | [`linearization`] |
//! | Why does a copy made word by word miss nothing? | [`snapshots`] |
//! | Why does a filter that grows lose nothing? | [`growth`] |
//! | How weak may each access be, and which model can tell? | [`orderings`] |
//! | What is proved, what is checked, what is only tested? | [`evidence`] |
//!
//! # Words
//!
//! ```text
//! bit    63            48 47            32 31            16 15             0
//!       +----------------+----------------+----------------+----------------+
//! bucket|   slot 3 > 0   |     slot 2     |     slot 1     |     slot 0     |  or 0: empty
//!       +----------------+----------+-----+----------------+----------------+
//! refer-|       0        | index+1  |           sequence                    |  never 0
//! ence  |    16 bits     | 10 bits  |           38 bits                     |
//!       +----------------+----------+---------------------------------------+
//! ```
//!
//! Slots are kept packed from the top. So a bucket with a zero top slot is empty, all its bits are 0, and the
//! 2^48 - 1 other values with a zero top slot never occur as content. They carry references. The fingerprints
//! keep all their bits, the word keeps its size, and telling the two apart is one subtraction and one compare.
//!
//! # Fast paths
//!
//! `contains`, `insert` and `remove` begin with one attempt that knows nothing of descriptors: load both words;
//! if neither can be a reference, answer, or try one exchange. Whatever does not fit (a frozen word, a bump, a
//! full pair, nothing to remove, several equal tokens, a lost exchange) is left to a second, complete version
//! of the operation, out of line. The attempt is a round of the complete version with the rare branches cut
//! off, so it needs no argument of its own.
//!
//! What makes it fast, each measured against the same code without it:
//!
//! * *One branch on both words*: the smaller of `a - 1` and `b - 1` tells whether either is a reference.
//! * *Eight comparisons in one vector instruction* on x86-64; two words of arithmetic elsewhere.
//! * *No branch on the outcome.* Whether an item is in, and in which bucket, is a coin toss to the branch
//!   predictor, and a wrong guess is found out only when memory has answered. So a lookup compares the bumps
//!   that it saw with a weight, 0 for a miss and more for a hit, and writes select their bucket.
//! * *No bounds check* on the two loads, by an `unsafe` block: the geometry's indexes are below its size.
//! * *No locked instruction for the count*: the first threads alive, 48 in a large table, have a number that no
//!   other living thread has, and with it a cell that they alone write.
//!
//! The crate uses `unsafe` for five things: those two loads; the vector comparison and the prefetch, because
//! the intrinsics are unsafe to call; with the feature `std` the list of segments, which readers look at while
//! others replace it; and, with the feature `huge-pages`, a system call.
//!
//! # Progress
//!
//! Every operation is lock-free: a round of any of its loops is repeated only because another operation
//! changed a word or a control or bumped a shared stripe, or because another thread's transfer was brought to
//! its end. None is wait-free: a lookup can be sent round again by relocations without end. Aborting is not
//! progress of the one that is aborted, so relocations and admissions are attempted a bounded number of times
//! (64); after that an insert answers `Full`. A claim of a descriptor that fails counts as an attempt.
//!
//! A thread that stops for ever at any step leaves at most two frozen words behind, which the next writer
//! settles, and one descriptor that is lost until `clear`. If all are lost, inserts that need one are
//! refused. Between its exchange or commit and the count such a thread also leaves `len` off by one.
//!
//! The first write of a thread, to any filter, is lock-free as far as the crate goes: it takes a number by an
//! exchange. But it registers with the C runtime that the number be given back, and that may take a lock.
//!
//! The one assumption about time: no thread sleeps, between loading a reference and using what it read from
//! the descriptor, over exactly a multiple of 2^38 uses of that descriptor. At a million relocations a second
//! on one descriptor that is once in 76 hours, and must be hit exactly.
//!
//! # Geometry
//!
//! The table is a row of `r` ranges of `L = 2^k` buckets. With a 64-bit hash `h` and `m = r L`,
//!
//! ```text
//! first  = floor(h m / 2^64)                                        (Lemire 2019)
//! f      = h mod 2^16, 1 for 0
//! second = first xor (((f * 0x9e3779b97f4a7c15) | 2^63) >> (64 - k))
//! ```
//!
//! With `r = 1` this is equation (1) of Fan et al. For every `r` it is an involution inside the range. The
//! forced top bit makes the candidates differ. Doubling `k` refines every class.
//!
//! Ranges fill unevenly, so there are at most 31, and a filter is sized with a margin of five standard
//! deviations of a range's share.

pub mod evidence;
pub mod growth;
pub mod linearization;
pub mod orderings;
pub mod snapshots;
pub mod transfers;
