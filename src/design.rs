//! How the filter works, and why it is correct. Documentation only.
//!
//! # Vocabulary
//!
//! | term | meaning |
//! |---|---|
//! | fingerprint `f` | the low bits of an item's hash, 16 with 4 x 16; never 0, which marks a vacant slot |
//! | bucket | one 64-bit atomic word; the layout sets the number of slots: four with 4 x 16 |
//! | candidates | the two buckets an item may be in, `A` and its alternate `B` |
//! | class | the items with equal fingerprint and candidates |
//! | token | a stored copy of a fingerprint; those of a class are interchangeable but for [values](protocol#values) |
//! | twin | of a token that a remove takes: a token of the same class in the other candidate |
//! | stripe | one of 8 to 128 counters, chosen by the fingerprint alone; its value is the *version* of its classes |
//! | bump | to increment a stripe before tokens change places; `announce` bumps, and leaves a hint if a scan is on |
//! | path | the chain of relocations that opens a slot in a full pair of buckets |
//! | relocation, or hop | the move of one token to its alternate bucket, as one atomic step over two words |
//! | admission | the step of `insert_unique`: add a token if the other candidate holds no equal one |
//! | target | the word that an admission freezes and adds to (of an engine: the table that takes inserts) |
//! | witness | the other candidate, which an admission reads |
//! | emptying | the removal of all tokens of one word, in a table whose generation is forgotten |
//! | pass | one visit to every word of a table, by an emptying or a scan |
//! | scan | the reading of the whole table for a snapshot |
//! | hint | a note from a writer to a scan: tokens of this class change places |
//! | descriptor | the record of a *transfer*: a relocation, an admission, an emptying or a split |
//! | use | one transfer of a descriptor; its uses are numbered |
//! | control | the word of a descriptor that holds the number of its use and the state: pending, committed or aborted |
//! | reference | the value of a word that names a use of a descriptor |
//! | frozen | of a word: it holds a reference. To *install* one freezes the word, to *write back* content thaws it |
//! | settle | to read a word as a writer does: decide what is pending, and write back what is decided |
//! | level | the number of bits of a bucket's number, in a table that doubles |
//! | root | of a table that doubles: the word that says at which level lookups begin |
//! | split | the replacement of a bucket by its two children, one level deeper |
//! | generation | the tokens inserted between two rotations, in one of the tables of a filter that rotates |
//! | spare | the table that holds no generation |
//!
//! The abstract object is a multiset of tokens. `insert` adds one, `remove` takes one, `contains` asks whether there is
//! one, `insert_unique` adds one if there is none. `snapshot`, `count` and the measures are not operations of this
//! object.
//!
//! # Pages
//!
//! | question | page |
//! |---|---|
//! | How does one step change two words, and what holds after it? | [`protocol`](protocol#transfers) |
//! | When does each operation take effect, and why at that moment? | [`protocol`](protocol#linearization-points) |
//! | How weak may each access be, and which model detects a weaker one? | [`protocol`](protocol#orderings) |
//! | What holds if tokens carry values? | [`protocol`](protocol#values) |
//! | Why does a copy made word by word miss nothing? | [`snapshots`] |
//! | Why does a table that doubles in place lose nothing? | [`doubling`] |
//! | Why does a filter that rotates miss nothing before its time, and keep nothing after it? | [`rotation`] |
//! | What does an insert into a full pair cost, and which rules were tried? | [here](#full-pairs) |
//! | What is proved, what is checked, what is only tested? | [here](#evidence) |
//!
//! # Words
//!
//! With the layout 4 x 16, which the pages assume where they give numbers:
//!
//! ```text
//! bit    63            48 47            32 31            16 15             0
//!       +----------------+----------------+----------------+----------------+
//! bucket|   slot 0 > 0   |     slot 1     |     slot 2     |     slot 3     |  or 0: empty
//!       +----------------+----------+-----+----------------+----------------+
//! refer-|       0        | index+1  |           sequence                    |  never 0
//! ence  |    16 bits     | 10 bits  |           38 bits                     |
//!       +----------------+----------+---------------------------------------+
//! ```
//!
//! The picture is of fixed tables; in a table that doubles [0 is absent](doubling), and 2^48 is the empty bucket.
//!
//! Slots are packed from the top. So a bucket with a zero top slot is empty, all its bits are 0, and the 2^48 - 1 other
//! values with a zero top slot never occur as content. They encode references. The fingerprints keep all their bits,
//! the word keeps its size, and distinguishing the two takes one subtraction and one compare.
//!
//! The other [layouts](crate::guide::layouts) divide the word differently, and encode references in other words that
//! are no bucket. 8 x 8 does it as 4 x 16 does; lanes with bits to spare use the top bit; semi-sorted layouts use
//! numbers that no list of nibbles has. They have 56 to 63 bits for a reference; 4 x 16 has 48. Nothing else in the
//! protocol depends on the layout.
//!
//! # Fast paths
//!
//! `contains`, `insert` and `remove` begin with one attempt that ignores descriptors. It loads both words; if neither
//! can be a reference, it answers, or tries one exchange. All other cases (a frozen word, a bump, a full pair, nothing
//! to remove, several equal tokens, a lost exchange) go to a second, complete version of the operation, out of line.
//! The attempt is a round of the complete version without the rare branches, so it needs no separate proof.
//!
//! The optimizations, each measured against the same code without it:
//!
//! * *One branch on both words*: the smaller of `a - 1` and `b - 1` tells whether either is a reference.
//! * *Eight comparisons in one vector instruction* with 4 x 16 on x86-64; word arithmetic elsewhere.
//! * *No branch on the outcome.* The branch predictor cannot predict whether an item is stored, nor in which bucket,
//!   and it learns of a wrong guess only when memory has answered. So a lookup checks the version whether or not it has
//!   found the item, although only a miss needs it, and writes select their bucket without a branch.
//! * *No mutable field in the filter.* All atomics are behind pointers, so the compiler keeps the geometry and the
//!   pointers in registers from one lookup of a loop to the next.
//! * *No bounds check* on the two loads, by an `unsafe` block: the table computes the candidates from its own geometry,
//!   whose indexes are below its size. The load of the version has none either: its index is masked by the number of
//!   stripes less one.
//! * *No locked instruction for the count*: each of the first live threads, 48 in a large table, has a number that no
//!   other live thread has. The number selects a cell that only this thread writes.
//!
//! The crate uses `unsafe` for five things: those loads; the vector comparison and the prefetch, because the intrinsics
//! are unsafe to call; with the feature `std` the tables of a growing filter, which readers read while another thread
//! replaces them; and system calls for the pages of tables, with the feature `std` on Linux and with `huge-pages`.
//!
//! # Full pairs
//!
//! At 95 % load two of three inserts find both buckets full. A filling spends half of its time on its last tenth.
//! Samples of fillings with a million items (`perf record` of `scaling --work insert`, Intel Xeon, table in the
//! second-level cache) show where: in the attempt that finds room 52 %, in relocations 20 %, in the loads of the first
//! alternates 13 %, in longer searches 12 %. The cost of a relocation is its six locked instructions. With ten million
//! items the shares are 59, 8, 20 and 10 %: full pairs wait for memory, first for their own words and then for their
//! alternates.
//!
//! So the search looks at as few buckets as it can, and at several at a time. A simulation of the placement alone, with
//! 2^18 buckets of 4 x 16, compares the rules. Means per insert, from empty to 95 %:
//!
//! | rule | full pairs | longer searches | hops | loads of words |
//! |---|---|---|---|---|
//! | the first vacancy of a search bucket by bucket | 0.077 | 0.0167 | 0.095 | 2.85 |
//! | the same with each candidate expanded twice | 0.077 | 0.0167 | 0.095 | 2.99 |
//! | into the fullest alternate | 0.080 | 0.0182 | 0.100 | 2.91 |
//! | into the emptiest alternate | 0.074 | 0.0153 | 0.091 | 2.81 |
//! | **into the emptiest, the same slot of eight buckets at a time** | 0.074 | 0.0149 | 0.090 | 2.80 |
//! | the same, without the lowest two slots | 0.074 | 0.0150 | 0.096 | 2.77 |
//! | into the emptiest, and one more hop to leave room in the pair | 0.073 | 0.0122 | 0.132 | 2.74 |
//! | insert into the first candidate if it has three vacancies | 0.078 | 0.0164 | 0.096 | 2.46 |
//! | insert into the first candidate if it has room | 0.113 | 0.0226 | 0.138 | 2.50 |
//! | insert into the fuller candidate with room | 0.159 | 0.0303 | 0.193 | 3.79 |
//!
//! On average a search in the bold row waits for memory 1.8 times; bucket by bucket it waits 3.6 times. The order of
//! the slots matters. The token in the top slot came first, and most such tokens had a choice between two buckets with
//! room. So its alternate is full less often: in a table that is 95 % full it has room in 8 % of the cases, and that of
//! the lowest token in 2 %. All rules refuse the first insert at the same load with the default budget; with a budget
//! of 256 the bold row reaches 95.4 % of 1.1 million slots, the first row 95.0 %.
//!
//! The rules with fewer loads are slower. More hops cost more locked instructions than they save loads. To insert into
//! the first candidate without a look at the second takes a branch on random content. In measurements, a filling takes
//! 12 % more time with 100,000 items, and 6 % more with ten million.
//!
//! A batch knows the next calls. In a table of more than 1 MiB it prefetches the words of each call 16 calls ahead. For
//! inserts into more than 4 MiB it also prefetches, twelve calls ahead, the alternates if the words are full: fillings
//! with ten million items take 0.7 of the time of batches without this second step. In tables of up to 1 MiB a batch
//! prefetches nothing: there the prefetches of a lookup cost a third of its time.
//!
//! # What processors share
//!
//! A processor that needs a cache line that another one has changed waits longer than for a usual cache miss. The
//! repository's program `cache-lines` counts such lines, operation by operation, for up to 128 processors:
//!
//! * *Lookups alone* make no line pass between processors, because they write nothing.
//! * *A change* takes the line of its bucket, which no design avoids. If it finds room it takes nothing else: each cell
//!   of the counter belongs to one thread, up to 48 threads. (A small table has fewer cells, and a table for less than
//!   2,000 items a single one, which all threads write.)
//! * *A hop* bumps a stripe, and the lookups of that stripe must read it again. So at 95 % load, where inserts hop, the
//!   lines per operation rise with the processors, to at most one stripe per operation. More stripes would not help: a
//!   processor then returns to each stripe later, and another processor has bumped it meanwhile.
//!
//! # Progress
//!
//! Every operation is lock-free. A loop repeats only because another operation changed a word or a control or bumped a
//! shared stripe, or because another thread's transfer was settled. No operation is wait-free: an endless sequence of
//! relocations can make a lookup repeat indefinitely. An aborted operation makes no progress itself, so an insert makes
//! at most 64 attempts at relocations or an admission, and then answers `Disturbed` or `NoDescriptor`. A growing filter
//! makes more attempts, and may grow instead. A claim of a descriptor counts as a failed attempt if it finds none free
//! 65 times, yielding the processor to other threads in between.
//!
//! A thread that stops permanently at any step leaves at most two frozen words, which the next writer settles. It also
//! costs one descriptor, which is lost until `clear`, or `shrink_to_fit` of a growing filter. A table has as many
//! descriptors as fit into a 16th of the bytes of its words: 2 in a table of less than 512 buckets, and at most 64, or
//! four for each processor. If all descriptors that a thread can claim are lost, its inserts that need one are refused.
//! If the thread stops between its exchange or commit and the count, `len` stays off by one.
//!
//! The first write of a thread, to any filter, is lock-free inside the crate: it takes a number by an exchange. But it
//! also registers with the C runtime to return the number when the thread ends. That may take a lock.
//!
//! There is one assumption about time: between loading a reference and using the fields of its descriptor, no thread
//! sleeps for exactly a multiple of 2^38 uses of that descriptor. At a million relocations a second on one descriptor,
//! this moment comes once in 76 hours, and the thread would have to wake exactly then.
//!
//! # The same calls, the same bytes
//!
//! No step draws a random number, and none depends on the time or on an address. So the same calls, made by one thread
//! or one after another, put each token into the same slot everywhere, and return the same answers, refusals included.
//! A replica needs only the sequence of calls. This is a contract between releases and machines:
//!
//! * the geometry, and the size that a builder chooses for a capacity;
//! * that an insert takes the emptier bucket, or the first if both have the same room;
//! * the order in which a search for a path visits buckets and slots, and its bound;
//! * which of several equal tokens a removal takes;
//! * when a filter grows, and to which size.
//!
//! `tests/suite/replay.rs` enforces it for every release: it has the digests of the answers and of the stored bytes
//! after a million operations, for each engine and for plain and semi-sorted layouts. A change of one of these digests
//! is a change of the contract, whatever it improves.
//!
//! Two things are not part of it. *Concurrent calls* have no order that could be repeated. *The moment at which a
//! growing filter reaches its memory limit* depends on the machine, and on when all threads have left the words that a
//! doubling leaves behind. So set the limit only on the replica that makes the decision.
//!
//! # Geometry
//!
//! The table is a row of `r` ranges of `L = 2^k` buckets. With a 64-bit hash `h` and `m = r L`,
//!
//! ```text
//! first  = floor(h m / 2^64)
//! f      = h mod 2^16, 1 for 0                                      (2^b for fingerprints of b bits)
//! second = first xor (((f * 0x9e3779b97f4a7c15) | 2^63) >> (64 - k))
//! ```
//!
//! The multiplication (Lemire, "Fast random integer generation in an interval", 2019) allows any number of ranges. With
//! `r = 1` the last line is equation (1) of Fan et al. For every `r` it is an involution within the range. The forced
//! top bit makes the candidates differ.
//!
//! Ranges fill unevenly, so there are at most 31, and a filter is sized with a margin of five standard
//! deviations of a range's share.
//!
//! # Evidence
//!
//! ## Proved
//!
//! The arguments on these pages prove, on paper, that each operation takes effect at [one
//! moment](protocol#linearization-points), that a [snapshot](snapshots) misses nothing, that a [growing](doubling)
//! filter loses nothing, that a [rotating](rotation) filter keeps its promises, and [progress](#progress). Only their
//! authors have checked these proofs. Everything below tries to refute them.
//!
//! ## Checked
//!
//! *The protocol, state by state* (`tests/checker`): as a machine of single accesses, in every interleaving of written
//! and random programs of up to four threads, without a bound on preemptions, with threads that stop permanently at any
//! step. A monitor tracks all orders that are still possible and fails if none is left. The machine of a fixed table is
//! compared with this code call by call and word by word, and access by access in the build with steps. It sees one
//! order of all accesses, so it says nothing about weak memory; its tables are tiny.
//!
//! *This code under loom* (`loom-tests`): small races in all schedules with at most two preemptions (one for the
//! largest models), and all outcomes of weak memory that loom explores. The races are every case of a miss, the reuse
//! of descriptors, racing removes and admissions, snapshots, chunks, growth with the epochs it relies on, rotations
//! with late inserts, admissions, relocations and emptyings, and threads that die at each of their accesses. loom
//! explores no load buffering, and a bound proves nothing beyond itself.
//!
//! *This code under shuttle* (`tests/shuttle`): schedules of up to six threads with thousands of accesses, drawn at
//! random, in bursts, and by priorities that change at a few places: long paths, a single descriptor, crowds. This is a
//! sample, in one order of all accesses.
//!
//! *This code with stopped threads* (`tests/steps`): races in which calls stop at up to three accesses, at each access
//! in turn, while other calls overtake them. Most are splits, growths, admissions, copies and removes of the filter
//! that doubles, and all calls of the filter that rotates, overtaken by rotations.
//!
//! These four are themselves checked: pieces of the protocol are removed, one at a time, and the run fails if no check
//! notices.
//!
//! ## Tested
//!
//! *Real threads* (`tests/stress`, in a build that can stop a thread before any access): histories, in which some order
//! of the calls must explain each class; threads that die or stop at each step of each operation, one and two at a
//! time, while others continue on the same buckets; the same seen from outside, next to a set in a lock; churn at high
//! load for as long as there is time. A run fails if its intended races did not happen.
//!
//! *Sanitizers* (`.ci/sanitizers`): the threaded tests under ThreadSanitizer, the tests of memory and of stored bytes
//! under AddressSanitizer.
//!
//! *Fuzzing* (`tests/fuzz`): sequences of calls against a multiset, and stored bytes, plain and with repaired
//! checksums.
//!
//! *Tests and proptests* (`tests`): agreement with a multiset; exactness under threads; that a filter holds the items
//! it is sized for; false-positive rate; load at the first refusal; every way to damage a stored filter.
//!
//! *Other layouts*: the words of each are compared with a second implementation (`tests/model`), and each passes the
//! same tests (`tests/suite`). The state checker also explores 2 x 31 and semi-sorted 4 x 17, and is compared with this
//! code call by call in all layouts but 8 x 8; loom explores the relevant races with these two. shuttle, the stopped
//! threads and the stress tests use the default; `--layout` selects another for the stress tests.
//!
//! ## Run it yourself
//!
//! `cargo verify` runs all of this in just over a quarter of an hour and prints a line for each; `cargo verify --long`
//! takes some hours; `cargo verify --list` says what each check can find that the others cannot.

pub mod doubling;
pub mod protocol;
pub mod rotation;
pub mod snapshots;
