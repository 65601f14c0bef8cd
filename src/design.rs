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
//!
//! The abstract object is a multiset of tokens. `insert` adds one, `remove` takes one, `contains` asks
//! whether there is one, `insert_unique` adds one if there is none. `snapshot`, `count` and the measures stand
//! outside.
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
//! # Descriptors
//!
//! A descriptor is a cache line from a fixed pool: a control word (the number of the use, 62 bits, and its
//! state), an owner flag, and the fields of a transfer: the token that moves, the token that is placed, the
//! two buckets and their old contents. A use goes through
//!
//! ```text
//!            publish                  install            install, bump
//!  (free) -----------> PENDING --------------> PENDING ----------------> PENDING ----> COMMITTED
//!                         |      lower word       |      higher word        |
//!                         +-----------------------+-------------------------+-------> ABORTED
//! ```
//!
//! and both states on the right are final until the owner publishes the next use. What a frozen word holds is
//! a function of the descriptor: the old content while PENDING or when ABORTED, the new one when COMMITTED.
//! Only the owner installs references. Any writer that meets a pending relocation aborts it, any writer that
//! meets a decided one writes the word back; a pending admission is decided by whoever meets it.
//!
//! A reference carries the low 38 bits of the number. A reader takes the fields, then the control, and
//! discards both if the numbers differ: the word has changed since, so it loads the word again.
//!
//! # Invariants
//!
//! * **I1** A word is a packed bucket or a reference whose use has been published.
//! * **I2** A reference with number `n` is in the table only from its install until its write-back, and its
//!   descriptor is at number `n` all that time: both words have been written back, by the owner or by another,
//!   before the owner publishes again, and an owner that dies never publishes again.
//! * **I3** While a use is PENDING with both words frozen, their logical contents are the old ones, and the
//!   words change by its decision only.
//! * **I4** The commit of a relocation takes `moved` from the source, puts it into the destination, which is
//!   a bucket of the same class, and puts `placed` into the slot that it left. No other class changes.
//! * **I5** A relocation bumps the stripe of what it moves after both installs and before its commit. A remove
//!   that has seen an equal token in the other bucket has bumped between that and its exchange. Either has left
//!   a hint before its commit or exchange, if the stripe said that a scan is on.
//! * **I6** All writes to words and stripes of a shared table are read-modify-writes, so each continues the
//!   release sequences before it; those of words also acquire.
//! * **I7** All accesses to words, and all to controls but the publishing of a number, are sequentially
//!   consistent: all threads agree on one order of them.
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
//! The crate uses `unsafe` for four things: those two loads; the vector comparison and the prefetch, because
//! the intrinsics are unsafe to call; and, with the feature `huge-pages`, a system call.
//!
//! # Linearization points
//!
//! | operation | point |
//! |---|---|
//! | `insert`, room in a candidate | the exchange that adds the token |
//! | `insert`, by a path | the commit of the last hop, which places the token in the slot it opens |
//! | `insert`, refused | any moment of the call: it changed no class |
//! | `contains`, true | the load of the word that holds the token; for a token arriving from a word that is frozen by the same reference, a moment of the call at which both words were frozen and the token was in |
//! | `contains`, false | a moment between the two reads of the version, see below |
//! | `remove`, true | the exchange that clears the token, except below |
//! | `remove`, false | as `contains`, false |
//! | `insert_unique`, true | its commit; if equal tokens were inserted between the deciding read of the witness and the commit, the last moment before the commit at which the class was empty |
//! | `insert_unique`, false | the load that saw the token |
//! | `insert_unique`, refused | any moment of the call |
//! | `relocation` | its commit; it is no operation of the object |
//!
//! **A miss.** The reader reads the version, loads `A` and `B`, sees no `f` in either, and reads the same
//! version again. Suppose the class is never empty meanwhile. Then a token was in `B` when `A` was loaded, and
//! one in `A` when `B` was loaded: it hopped, or two equal tokens took turns. The cases:
//!
//! 1. *One token hopped from `B` to `A` in between.* The relocation bumped after both installs and before its
//!    commit. If the bump came after the first read of the version, the second read sees it, because the
//!    reader has acquired the commit, by way of the word `B` that it saw without the token. If the bump came
//!    before the first read, the reader acquired both installs with it, so its load of `A` sees the reference
//!    or what came later. What came later holds the token until it hops or is removed again, which is another
//!    link. If it is the reference and the descriptor says PENDING, the reader looks at the source: the same
//!    reference there means present; another value and an unchanged control mean that the relocation has not
//!    frozen the source, contrary to the bump; another value and a changed control send it round again.
//! 2. *Equal tokens were added to `A` behind the reader and those in `B` removed before it came.* Let `s` be
//!    the last moment before the load of `B` at which `A` held no `f`. A remove that cleared `B` after `s` and
//!    bumped between the two reads of the version is noticed, because the reader acquired its exchange with
//!    `B`. Every other such remove had begun before `s`: it read `A` before `s` and saw no token there, or it
//!    bumped, in an earlier round, before the first read of the version. Place as many of these removes as
//!    `B` held tokens just before the insert at `s`, and the miss right after them. Nobody can tell: `A` holds
//!    `f` from `s` on, and only "present" and "absent" can be seen.
//! 3. *A chain of both.* Each link that moves presence from the word that is read later to the one read
//!    earlier is of one of the two kinds.
//!
//! **Admissions.** The target is frozen from before the read of the witness until the decision. A relocation
//! of an equal token needs both words, so none can commit in that time, and the read of the witness together
//! with the frozen target is a snapshot of the class. Two admissions of one class with different targets are
//! each other's witness. Each first freezes its target and then reads its witness by a read-modify-write. If
//! the read of the one comes before the other's install in that word, the install acquires the read and with
//! it the first one's own install, so the other's read finds the reference of the first, or what came later.
//! Otherwise the first one's read finds the reference of the other. The one with the lower target aborts the
//! other, the one with the higher target gives way, and whoever helps applies the same rule. Of helpers that
//! decide one admission at different times the first to reach the control counts; its verdict was true when
//! it read, because until then the target was frozen. An equal token that a plain insert adds to the witness
//! after that read comes after the admission in the order of operations.
//!
//! **`count`** stands outside. It reads both words and validates as a miss does, so it never under-reports
//! tokens that are in throughout. No cheap read can tell one token from two that take turns, so it may
//! over-report.
//!
//! # Snapshots
//!
//! A scan sets a bit in each stripe, settles and copies each word, clears the bits, and counts the classes of
//! which it has hints once more. **In the copy, a class has at least as many tokens as it had at every moment of
//! the call.** If there is a hint, the validated count says so. If there is none, suppose that a token was in
//! all the while and the scan read neither of its buckets with it. Then it came to the bucket that was read first
//! after that read, and was gone from the other when that was read. As for a miss, it hopped, or equal
//! tokens took turns:
//!
//! 1. *It hopped.* If the relocation bumped after the bit was set, it was told of the scan and left a hint
//!    before its commit. The scan acquired that commit with the word that it saw without the token, so it finds
//!    the hint. (The bump cannot come after the bit was cleared, for the same reason.) If it bumped before, the
//!    scan acquired both installs with the stripe. So its read of the first word saw the reference, or what came
//!    later; a pending relocation it aborted, and a committed one had brought the token.
//! 2. *Equal tokens took turns.* The remove that cleared the one saw the other, bumped, and left a hint before
//!    its exchange, or the scan acquired with the stripe what the remove had seen; or it had begun before the
//!    other came, and is placed before that.
//!
//! A token too many in the copy is one of which a remove was under way during the call. Hints are never wrong, only superfluous:
//! those of relocations that were aborted, and those of an earlier scan whose writers were slow. A note takes a
//! vacant slot of the log by an exchange, so such a latecomer replaces no other. If the log is full the scan
//! starts over, for a part of the stripes at a time; if the copy is, because more came and went than it has room
//! for, likewise. After eight attempts the snapshot is given up. Nobody waits for a scan. One that dies leaves
//! the bits set, so that writers go on to note, until the log is full, and later snapshots are refused as busy,
//! until `clear` or a write-out takes the right to scan back.
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
//! # Orderings
//!
//! Words and controls are accessed with `SeqCst`. With Acquire and Release alone, two threads that each write
//! one word and then read the other could both miss what the other wrote; then no order of all operations
//! would explain what they saw. On x86-64 it costs nothing: the exchanges are locked instructions and the
//! loads plain ones either way. The rest is as weak as the arguments allow.
//!
//! "Mutant" says whether a model fails when the ordering is weakened (`cargo loom mutants`). The models weaken
//! `SeqCst` to Acquire and Release, except those of the one order itself.
//!
//! | access | ordering | pairs with | mutant |
//! |---|---|---|---|
//! | word: load of both | SeqCst | exchange of the word | yes, to Acquire and to Relaxed |
//! | word: load | SeqCst | exchange of the word | yes, to Relaxed |
//! | word: exchange | SeqCst | loads of the word | yes, to AcqRel and to Acquire |
//! | witness | SeqCst read-modify-write | the rival's install | yes, to a load |
//! | version, first read | Acquire | bump | yes |
//! | version, second read | Relaxed, behind the loads of the words | bump, by way of a word | weakest there is |
//! | bump | Release | version, first read; announcement of a scan | yes |
//! | the same | Acquire | announcement of a scan, so that a hint comes after the log was emptied | no: in the checker a read-modify-write finds the latest value anyway |
//! | scan: announce | Acquire | bump | yes |
//! | the same | Release | bump | no, see there |
//! | scan: end | Relaxed | who bumps later moves what was copied | weakest there is |
//! | log of hints | Relaxed, before the commit or exchange that the scan acquires | the word | weakest there is |
//! | right to scan | Acquire, Release | its giving back, its taking | no: what they order is one log, cell by cell |
//! | control: publish | Release, then a Release fence | Acquire fence of the reader | yes, both |
//! | control: read | SeqCst, behind an Acquire fence | the decision | yes, to Relaxed, and the fence |
//! | control: decision | SeqCst | control: read | yes, to Relaxed |
//! | fields | Relaxed, between the fences | | weakest there is |
//! | claim of a descriptor | Acquire | its release | yes |
//! | release of a descriptor | Release | the next claim | yes |
//! | item counter | Relaxed | orders nothing | weakest there is |
//! | number of a thread: take | Acquire | its giving back | no model: the checker has threads of its own |
//! | number of a thread: give back | Release | the next take | the same; so that the next holder of a cell sees its count |
//!
//! No model tells SeqCst from Acquire and Release on a control. The argument: two commits seen in different
//! orders by two readers, before either is written back, would need four threads and is what `SeqCst` rules
//! out; once a commit is written back, the order of the words does.
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
//!
//! # What is proved, checked, and tested
//!
//! * *Argued above*: linearizability of each operation, progress.
//! * *Model-checked* with loom on this code: the scenarios in `loom-tests/tests`, in all schedules with at most
//!   two preemptions (one for the largest models) and all outcomes of weak memory that loom explores, among
//!   them every case of a miss, the reuse of descriptors, racing removes and admissions, and threads that die
//!   at each access they make. The models are themselves checked: each piece of the protocol is taken out in
//!   turn, and the run fails if no model notices. loom explores no load buffering, and a bound proves nothing
//!   beyond itself.
//! * *Checked state by state*: the protocol as a machine of single accesses (`tests/checker`), in every
//!   interleaving of hand-written and random programs of up to four threads, without a bound on preemptions, with
//!   threads that stop for good at any step. The machine is held to this code call by call and word by word, and
//!   has its own mutants. It sees one order of all accesses, so it says nothing about weak memory; its tables
//!   are tiny.
//! * *Stressed* (`tests/stress`, this code in a build that can stop a thread before any access): histories of real
//!   threads, each class of which some order of the calls must explain, with a count of the races that happened;
//!   threads that die or stop at each step of each operation; churn for as long as there is time.
//! * *Tested*: agreement with a multiset under random programs; exactness and linearizable histories under
//!   real threads; that a filter takes what it is sized for; false-positive rate; load at the first refusal.
