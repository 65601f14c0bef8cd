//! Orderings: what each access is paired with.
//!
//! Words and controls are accessed with `SeqCst`. With Acquire and Release alone, two threads that each write
//! one word and then read the other could both miss what the other wrote; then no order of all operations
//! would explain what they saw. On x86-64 it costs nothing: the exchanges are locked instructions and the
//! loads plain ones either way. The rest is as weak as the arguments allow.
//!
//! "Mutant" says whether a model fails when the ordering is weakened (`cargo loom mutants`). The models weaken
//! `SeqCst` to Acquire and Release, except the models of the one order itself.
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
//! | scan: end | Relaxed | a writer that bumps later moves what was already copied | weakest there is |
//! | log of hints | Relaxed, before the commit or exchange that the scan acquires | the word | weakest there is |
//! | right to scan | Acquire, Release | its giving back, its taking | no: what they order is one log, cell by cell |
//! | control: publish | Release, then a Release fence | Acquire fence of the reader | yes, both |
//! | control: read | SeqCst, behind an Acquire fence | the decision | yes, to Relaxed, and the fence |
//! | control: decision | SeqCst | control: read | yes, to Relaxed |
//! | fields | Relaxed, between the fences | | weakest there is |
//! | claim of a descriptor | Acquire | its release | yes |
//! | release of a descriptor | Release | the next claim | yes |
//! | claim of the thread's own descriptor | Relaxed | nobody else writes it; the last holder of the number: see there | weakest there is |
//! | other tables' words, for an admission | SeqCst read-modify-write | a rival's install | yes, to a load |
//! | item counter | Relaxed | orders nothing | weakest there is |
//! | number of a thread: take | Acquire | its giving back | no model: the checker has its own threads |
//! | number of a thread: give back | Release | the next take; so that the next holder sees the count of its cell, and the last use of its descriptor | no model, see there |
//!
//! What only a table that doubles has, and the state of a filter that rotates, are in tables of their own:
//! [`doubling`](super::doubling#orderings), [`rotation`](super::rotation#orderings).
//!
//! No model tells SeqCst from Acquire and Release on a control. The argument: two commits seen in different
//! orders by two readers, before either is written back, would need four threads and is what `SeqCst` rules
//! out; once a commit is written back, the order of the words does.
