//! The protocol of one hash table: how a step changes two words, when each operation takes effect, and how weak each
//! access may be.
//!
//! # Transfers
//!
//! How one step changes two words, and what holds after it.
//!
//! ## Descriptors
//!
//! A descriptor is a cache line from a pool: a control word (the number of the use, 62 bits, and its state), an owner
//! flag, and the fields of a transfer: the token that moves, the token that is placed, the two buckets and their old
//! contents. A use goes through these states:
//!
//! ```text
//!            publish                  install            install, bump
//!  (free) -----------> PENDING --------------> PENDING ----------------> PENDING ----> COMMITTED
//!                         |      lower word       |      higher word        |
//!                         +-----------------------+-------------------------+-------> ABORTED
//! ```
//!
//! Both states on the right are final until the owner publishes the next use. The logical content of a frozen word is a
//! function of the descriptor: the old content while PENDING or when ABORTED, the new one when COMMITTED.
//!
//! The edges of a relocation, who takes them, and how:
//!
//! | edge | who | by |
//! |---|---|---|
//! | publish | the owner | a store of the next number with PENDING, then of the fields |
//! | install | the owner | a compare-and-exchange of the word, from what was read to the reference; on failure, abort |
//! | bump | the owner | an addition to the stripe of the token that moves |
//! | commit | the owner | an exchange of the control, PENDING for COMMITTED |
//! | abort | any writer that meets the reference, or the owner | an exchange of the control, PENDING for ABORTED |
//! | write-back | any writer that meets the reference, or the owner | one from the reference to the logical content |
//!
//! A relocation is six locked instructions: two installs, the bump, the commit, two write-backs. None of them can be a
//! plain store. A stripe has many writers. A store of COMMITTED could come after ABORTED, when another thread has
//! already restored one word. A stored write-back could come after that of another thread, and undo later changes to
//! the word. A plain store suffices for the claim before the six: a quarter of the descriptors belong to one thread
//! each, by its [number](super#progress), and only that thread writes the owner flag. A thread without a number of its
//! own, and a call from a signal handler inside another call, claims one of the others by an exchange.
//!
//! A table that doubles adds descriptors to its pool after it has grown, and removes none. They are in a separate
//! allocation, numbered after the existing ones. A quarter of them belong to one thread each from the beginning, and
//! descriptors that already belonged to a thread still do. So a thread may claim one from any allocation, whichever
//! allocations other threads know of. A thread that reads a reference to an added descriptor finds it: the owner had
//! read the address of the allocation before it installed the reference.
//!
//! An admission freezes one word, its target, and has no bump. A writer that meets it pending reads its witness, and
//! commits or aborts accordingly. An emptying freezes one word too; a writer that meets it pending aborts it, unless it
//! [empties](super::rotation#emptying) the same table. In every transfer only the owner installs references, so no
//! thread freezes a word for another.
//!
//! A reference carries the low 38 bits of the number of the use. A reader reads the fields, then the control, and
//! discards both if the numbers differ: the word has then changed, so it loads the word again.
//!
//! ## Invariants
//!
//! * **I1** A word is a packed bucket or a reference whose use has been published.
//! * **I2** A reference with number `n` is in the table only from its install until its write-back, and its descriptor
//!   is at number `n` all that time: both words have been written back, by the owner or by another thread, before the
//!   owner publishes again, and an owner that dies never publishes again.
//! * **I3** While a use is PENDING with both words frozen, their logical contents are the old ones, and only its
//!   decision changes the words.
//! * **I4** The commit of a relocation takes `moved` from the source, puts it into the destination, which is a bucket
//!   of the same class, and puts `placed` into the slot that it left. No other class changes.
//! * **I5** A relocation bumps the stripe of the token that it moves after both installs and before its commit. A
//!   remove that has seen an equal token in the other bucket has bumped between that and its exchange. Either has left
//!   a hint before its commit or exchange, if the stripe said that a scan is on.
//! * **I6** All writes to words and stripes of a shared table are read-modify-writes, so each continues the release
//!   sequences before it; those of words also acquire.
//! * **I7** All accesses to words, and all to controls except the publishing of a number, are sequentially consistent:
//!   all threads agree on one order of them.
//!
//! # Linearization points
//!
//! When each operation takes effect:
//!
//! | operation | point |
//! |---|---|
//! | `insert`, room in a candidate | the exchange that adds the token |
//! | `insert`, by a path | the commit of the last hop, which places the token in the slot it opens |
//! | `insert`, in a growing filter | the same points, in its table; it ends a split that it meets, and adds to a child |
//! | `insert`, in a rotating filter | the same two points; if the filter rotates meanwhile, see [late inserts] |
//! | `insert` or `insert_unique`, refused, whatever the error | any moment of the call: it changed no class |
//! | `contains`, true | the load of the word that holds the token; if the token is arriving, see below |
//! | `contains`, false | a moment between the two reads of the version, see [a miss](#a-miss) |
//! | `remove`, true | the exchange that clears the token, except below |
//! | `remove`, false | as `contains`, false |
//! | `insert_unique`, true | its commit; if equal tokens came before it, see below |
//! | `insert_unique`, false | the load that saw the token |
//! | `rotate`, `rotate_if` that rotated | the exchange of the state |
//! | a call that acts on a forgotten generation | just before the rotation that forgot it; but see [late inserts] |
//! | a batch call | each item has the point of its own call; the batch has none |
//! | `clear`, and every call that takes `&mut self` or `self` | the call: no other thread uses the filter |
//! | a relocation that commits | its commit; it is not an operation of the object and changes no class |
//! | a relocation that aborts | none: the words hold what they held |
//! | `count`, `len`, `snapshot` | none, but they have [bounds](#outside); see [`snapshots`](super::snapshots) |
//!
//! [late inserts]: super::rotation#late-inserts
//!
//! A lookup that finds a token arriving from a word that is frozen by the same reference takes effect at a moment of
//! the call at which both words were frozen and the token was stored. If equal tokens were inserted between the
//! deciding read of the witness and the commit, `insert_unique` takes effect at the last moment before the commit at
//! which the class was empty.
//!
//! The points are those of one table. [`doubling`](super::doubling#several-tables) and [`rotation`](super::rotation)
//! combine the answers of several.
//!
//! A call that never returns, because its thread stopped or was killed, has taken effect if and only if it passed its
//! point. There is no state between.
//!
//! ## A miss
//!
//! The reader reads the version, loads `A` and `B`, sees no `f` in either, and reads the same version again. Suppose
//! the class is never empty meanwhile. Then a token was in `B` when `A` was loaded, and one in `A` when `B` was loaded:
//! a token hopped, or two equal tokens took turns. The cases:
//!
//! 1. *One token hopped from `B` to `A` in between.* The relocation bumped after both installs and before its commit.
//!    If the bump came after the first read of the version, the second read sees it: the reader has acquired the commit
//!    through the word `B`, which it saw without the token. If the bump came before the first read, the reader acquired
//!    both installs with it, so its load of `A` sees the reference or a later value. A later value holds the token
//!    until it hops or is removed again, which is another case of this list. If it is the reference and the descriptor
//!    says PENDING, the reader looks at the source. The same reference there means present. Another value and an
//!    unchanged control mean that the relocation has not frozen the source, contrary to the bump. Another value and a
//!    changed control make the reader start again.
//! 2. *Equal tokens were added to `A` after the reader loaded it, and those in `B` were removed before the reader
//!    loaded `B`.* Let `s` be the last moment before the load of `B` at which `A` held no `f`. A remove that cleared
//!    `B` after `s` and bumped between the two reads of the version is noticed, because the reader acquired its
//!    exchange with `B`. Every other such remove had begun before `s`: it read `A` before `s` and saw no token there,
//!    or it bumped, in an earlier round, before the first read of the version, and so before `s`. Take one of these
//!    removes for each token that `B` held, place them just before the insert at `s`, and the miss right after them. No
//!    thread can tell: `A` holds `f` from `s` on, and only "present" and "absent" are observable.
//! 3. *A chain of both.* Each link that moves presence from the word that is read later to the one read earlier is of
//!    one of the two kinds.
//!
//! ## Admissions
//!
//! The target is frozen from before the read of the witness until the decision. A relocation of an equal token needs
//! both words, so none can commit in that time, and the read of the witness together with the frozen target is a
//! snapshot of the class. Two admissions of one class with different targets are each other's witness. Each first
//! freezes its target and then reads its witness by a read-modify-write. If the first admission's read comes before the
//! second one's install in that word, the install acquires the read and with it the first one's own install, so the
//! second one's read finds the reference of the first, or a later value. Otherwise the first one's read finds the
//! reference of the second. The one with the lower target aborts the other, the one with the higher target gives way,
//! and every helper applies the same rule. If helpers decide one admission at different times, the first to reach the
//! control counts; its verdict was true when it read, because until then the target was frozen. An equal token that a
//! plain insert adds to the witness after that read comes after the admission in the order of operations.
//!
//! ## Outside
//!
//! `count` reads both words and validates as a miss does, so it never under-reports tokens that are stored throughout.
//! No cheap read can distinguish one token from two that take turns, so it may over-report.
//!
//! `len` reads the writers' counters one after the other and adds them up. Each writer changes its counter after its
//! point. `len` is exact when no call is in progress. During calls it is off by at most the number of calls that were
//! in progress at some moment of its own. For this bound a rotation counts as one call for each token that it forgets:
//! it may empty the table while `len` reads that table's counters. A thread that stops in an emptying, between its
//! commit and the count, leaves up to one word's tokens in the counters, and they are in the `len` of the next
//! generation.
//!
//! # Orderings
//!
//! The pairing of each access.
//!
//! Words and controls are accessed with `SeqCst`. With Acquire and Release alone, two threads that each write one word
//! and then read the other could each miss the other's write; then no order of all operations would explain what they
//! saw. On x86-64 it costs nothing: the exchanges are locked instructions and the loads plain ones either way. All
//! other accesses are as weak as the arguments allow.
//!
//! "Mutant" says whether a model fails when the ordering is weakened (`cargo loom mutants`). `tests/verify/mutants`
//! names the model, beside the change: search it for the name of the source file, for words `table.rs`, for versions
//! `tokens/stripes.rs`. The models weaken `SeqCst` to Acquire and Release, except those of the one order itself
//! (`in_one_order`), so only these can tell AcqRel from SeqCst.
//!
//! | access | ordering | pairs with | mutant |
//! |---|---|---|---|
//! | word: `Pair::load` | SeqCst | exchange of the word | yes, to Acquire and to Relaxed |
//! | word: `Table::load` | SeqCst | exchange of the word | yes, to Relaxed |
//! | word: exchange | SeqCst | loads of the word | yes, to AcqRel and to Acquire |
//! | witness | SeqCst read-modify-write | the rival's install | yes, to a load |
//! | version, first read | Acquire | bump | yes |
//! | version, second read | Relaxed, after the loads of the words | bump, through a word | weakest there is |
//! | bump, its write | Release | version, first read; announcement of a scan | yes |
//! | bump, its read | Acquire | announcement of a scan: a hint comes after the log was emptied | no: see below |
//! | scan: announce, its read | Acquire | bump, its write | yes |
//! | scan: announce, its write | Release | bump, its read | no: see below |
//! | scan: end | Relaxed | a writer that bumps later moves what was already copied | weakest there is |
//! | log of hints | Relaxed, before the commit or exchange that the scan acquires | the word | weakest there is |
//! | right to scan | Acquire, Release | its release, its claim | no: what they order is one log, cell by cell |
//! | control: publish | Release, then a Release fence | Acquire fence of the reader | yes, both |
//! | control: read | SeqCst, after an Acquire fence | the decision | yes, to Relaxed, and the fence |
//! | control: decision | SeqCst | control: read | yes, to Relaxed |
//! | fields | Relaxed, between the fences | | weakest there is |
//! | claim of a descriptor | Acquire | its release | yes |
//! | release of a descriptor | Release | the next claim | yes |
//! | claim of the thread's own descriptor | Relaxed | the last holder of the number: see below | weakest there is |
//! | other tables' words, for an admission | SeqCst read-modify-write | a rival's install | yes, to a load |
//! | item counter | Relaxed | orders nothing | weakest there is |
//! | number of a thread: take | Acquire | its return | no model |
//! | number of a thread: return | Release | the next take, which then sees the cell and the descriptor | no model |
//!
//! Under loom a read-modify-write finds the latest value anyway, whatever its ordering, and a thread takes no number.
//! No other thread writes the claim of a thread's own descriptor. The next holder of a number sees the count of its
//! cell, and the last use of its descriptor.
//!
//! The accesses that only a table that doubles has, and those to the state of a filter that rotates, are in separate
//! tables: [`doubling`](super::doubling#orderings), [`rotation`](super::rotation#orderings).
//!
//! No model distinguishes SeqCst from Acquire and Release on a control. The argument: two commits seen in different
//! orders by two readers, before either is written back, would need four threads, and `SeqCst` rules this out; once a
//! commit is written back, the order of the words does.
//!
//! # Values
//!
//! The guarantees if tokens of one class are not alike.
//!
//! In a layout with values a token is a fingerprint and a value. As before, the fingerprint determines the class: the
//! candidates, the stripe, and what lookups compare. The value moves with the token.
//!
//! ## What changes
//!
//! | module | what it does with values |
//! |---|---|
//! | relocation | moves *this* token: if it has another value by now, the hop is impossible, as if it were gone |
//! | replacement | one exchange of the word that holds the token; a frozen word is settled first |
//! | removal of a value | takes a token with that value; one of any value in the other bucket is a twin, so it bumps |
//! | admission | asks whether there is any token of the class; the token that it places has the value |
//! | scan | copies tokens, and corrects a class of the copy token by token |
//!
//! A replacement is a remove and an insert in one moment. [A miss](#a-miss) needs a remove to bump if it has seen a
//! token of the class in the other bucket; a replacement does so as well. A lookup of the class alone does not need
//! this: the class has the same number of tokens before and after.
//!
//! ## What is linearizable
//!
//! The argument for a miss places removes earlier than their exchanges: just before the insert of a token into the
//! other bucket, which the remove did not see. "No thread can tell", because the class is not empty from that insert
//! on, and all its tokens are alike. With values a thread can tell:
//!
//! ```text
//! remove 1      reads A: empty, B: 1 . . . . . . . . . . . . . . . clears B
//! lookup                          reads A: empty . . . . . . . . . . . . . . reads B: empty, no bump: a miss
//! another                                         inserts 2 into A; finds 1 in B
//! ```
//!
//! The miss must come before the insert of 2, so the remove of 1 must too; but the other thread has found 1 after it
//! inserted 2. So the multiset of tokens with their values is not one linearizable object. These are linearizable:
//!
//! * **The class.** If values are ignored, the protocol is that of the other layouts. A call that returns a value is a
//!   `contains` that is true. A remove of a value that finds none, and a replacement that finds none, say nothing about
//!   the class.
//! * **The tokens of one value.** For each value by itself the argument holds, with "a token of the class that has this
//!   value" for "a token of the class". A remove or replacement bumps if it has seen *any* token of the class in the
//!   other bucket, so it bumps whenever it has seen one of the same value.
//! * **All together, if a class never has two tokens at a time.** Then each load of a token is a load of the whole
//!   state of the class. A miss that was validated has a moment at which the class was empty: tokens that take turns do
//!   not overlap, so the class was empty at a moment between the two loads. `insert_unique_value` keeps to one token:
//!   it commits only if the witness holds none while its target is frozen. A plain insert of the class does not.
//!
//! ## What is checked
//!
//! Models under loom cover the exact schedules of hops, replacements, removes, admissions and scans. The state checker
//! runs programs with values over all their schedules. Histories of real threads are explained by an order, or refuted:
//! all calls together where tokens come from unique inserts, class and values each by themselves otherwise. The mutants
//! are: a twin that must have the same value, a lookup of a value that is not validated, an arrival without its value,
//! a token that is found by its fingerprint alone, a scan that copies fingerprints.
