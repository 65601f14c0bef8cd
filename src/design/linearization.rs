//! Linearization points: when each operation takes effect.
//!
//! | operation | point |
//! |---|---|
//! | `insert`, room in a candidate | the exchange that adds the token |
//! | `insert`, by a path | the commit of the last hop, which places the token in the slot it opens |
//! | `insert`, refused: `Full` or `TooManyCopies` | any moment of the call: it changed no class |
//! | `contains`, true | the load of the word that holds the token; for a token arriving from a word that is frozen by the same reference, a moment of the call at which both words were frozen and the token was stored |
//! | `contains`, false | a moment between the two reads of the version, see [a miss](#a-miss) |
//! | `remove`, true | the exchange that clears the token, except below |
//! | `remove`, false | as `contains`, false |
//! | `insert_unique`, true | its commit; if equal tokens were inserted between the deciding read of the witness and the commit, the last moment before the commit at which the class was empty |
//! | `insert_unique`, false | the load that saw the token |
//! | `insert_unique`, refused | any moment of the call: its attempt was aborted, or never begun |
//! | `rotate`, `rotate_if` that rotated | the exchange of the state |
//! | a call that does something in a table whose generation is forgotten | just before the rotation that forgot it; but see [late inserts](super::rotation#late-inserts) |
//! | a batch call | each item has the point of its own call; the batch has none |
//! | `clear`, and every call that takes `&mut self` or `self` | the call: no other thread uses the filter |
//! | a relocation that commits | its commit; it is no operation of the object and changes no class |
//! | a relocation that aborts | none: the words hold what they held |
//! | `count`, `len`, `snapshot` | none, but they have bounds: see [outside](#outside) and [`snapshots`](super::snapshots) |
//!
//! The points are those of a table. What the answers of several make together is in
//! [`doubling`](super::doubling#several-tables) and [`rotation`](super::rotation).
//!
//! A call that never returns, because its thread stopped or was killed, has taken effect if it passed its point,
//! and otherwise has not. There is no state between.
//!
//! # A miss
//!
//! The reader reads the version, loads `A` and `B`, sees no `f` in either, and reads the same
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
//!    `B` held tokens just before the insert at `s`, and the miss right after them. No thread can tell: `A` holds
//!    `f` from `s` on, and only "present" and "absent" can be seen.
//! 3. *A chain of both.* Each link that moves presence from the word that is read later to the one read
//!    earlier is of one of the two kinds.
//!
//! # Admissions
//!
//! The target is frozen from before the read of the witness until the decision. A relocation
//! of an equal token needs both words, so none can commit in that time, and the read of the witness together
//! with the frozen target is a snapshot of the class. Two admissions of one class with different targets are
//! each other's witness. Each first freezes its target and then reads its witness by a read-modify-write. If
//! the read of the one comes before the other's install in that word, the install acquires the read and with
//! it the first one's own install, so the other's read finds the reference of the first, or what came later.
//! Otherwise the first one's read finds the reference of the other. The one with the lower target aborts the
//! other, the one with the higher target gives way, and every helper applies the same rule. Of helpers that
//! decide one admission at different times the first to reach the control counts; its verdict was true when
//! it read, because until then the target was frozen. An equal token that a plain insert adds to the witness
//! after that read comes after the admission in the order of operations.
//!
//! # Outside
//!
//! `count` reads both words and validates as a miss does, so it never under-reports
//! tokens that are in throughout. No cheap read can tell one token from two that take turns, so it may
//! over-report.
//!
//! `len` reads the writers' counters one after the other and adds them up. Each writer changes its counter after
//! its point. `len` is exact when no call is under way. During calls it is off by at most the number of calls
//! that were under way at some moment of its own. Here a rotation counts as so many calls as it forgets tokens: it may
//! empty the table while `len` reads that table's counters. A thread that stops in an emptying, between its commit and
//! the count, leaves up to one word's tokens in the counters, and they are in the `len` of the next generation.
