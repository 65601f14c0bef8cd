//! Evidence: what is proved, checked, and tested.
//!
//! # Proved
//!
//! The arguments on these pages prove, on paper, that each operation takes effect at [one
//! moment](super::linearization), that a [snapshot](super::snapshots) misses nothing, that a filter that
//! [grows](super::doubling) loses nothing, that one that [rotates](super::rotation) keeps its promises, and
//! [progress](super#progress). Only their authors have checked these proofs. Everything below tries to refute them.
//!
//! # Checked
//!
//! *The protocol, state by state* (`tests/checker`): as a machine of single accesses, in every interleaving of
//! written and random programs of up to four threads, without a bound on preemptions, with threads that stop for
//! good at any step. A monitor knows all orders that are still possible and fails if there is none left. The
//! machine is held to this code call by call and word by word, and access by access in the build with steps. It
//! sees one order of all accesses, so it says nothing about weak memory; its tables are tiny.
//!
//! *This code under loom* (`loom-tests`): small races in all schedules with at most two preemptions (one for the
//! largest models), and all outcomes of weak memory that loom explores: every case of a miss, the reuse of
//! descriptors, racing removes and admissions, snapshots, chunks, growth with the epochs it relies on, rotations with late
//! inserts, admissions, relocations and emptyings, and threads that die at each access they make. loom explores no load buffering, and a bound proves nothing beyond itself.
//!
//! *This code under shuttle* (`tests/shuttle`): schedules of up to six threads with thousands of accesses, drawn
//! at random, in bursts, and by priorities that change at a few places: long paths, a single descriptor, crowds. A
//! sample, in one order of all accesses.
//!
//! *This code with stopped threads* (`tests/steps`): races in which calls stop at up to three accesses, at each access
//! in turn, while other calls overtake them. Most are splits, growths, admissions, copies and removes of the filter that
//! doubles, and all calls of the filter that rotates, overtaken by rotations.
//!
//! Each of these four is itself checked: pieces of the protocol are removed, one at a time, and the run fails if
//! no check notices.
//!
//! # Tested
//!
//! *Real threads* (`tests/stress`, in a build that can stop a thread before any access): histories, each class of
//! which some order of the calls must explain; threads that die or stop at each step of each operation, one and
//! two at a time, while others go on over the same buckets; the same seen from outside, next to sets in locks;
//! churn at high load for as long as there is time. A run fails if the races that it is for did not happen.
//!
//! *Sanitizers* (`.ci/sanitizers`): the tests with threads under ThreadSanitizer, those of memory and of stored
//! bytes under AddressSanitizer.
//!
//! *Fuzzing* (`tests/fuzz`): sequences of calls against a multiset, and stored bytes, plain and with their
//! checksums repaired.
//!
//! *Tests and proptests* (`tests`): agreement with a multiset; exactness under threads; that a filter takes what
//! it is sized for; false-positive rate; load at the first refusal; every way to damage a stored filter.
//!
//! *Other layouts* of a bucket than the default: the words of each are held to a second implementation (`tests/model`),
//! and each passes the same tests (`tests/layouts`). The state checker explores 2 x 31 and semi-sorted 4 x 17 too, and is
//! held to this code call by call in all but 8 x 8; loom explores the races that matter with these two. shuttle, the
//! stopped threads and the stress tests use the default; `--layout` has the stress tests take another.
//!
//! # Run it yourself
//!
//! `cargo verify` runs all of this in a good quarter of an hour and prints a line for each; `cargo verify --long` takes
//! some hours; `cargo verify --list` says what each can find that the others cannot.
