//! Transfers: how one step changes two words, and what holds after it.
//!
//! # Descriptors
//!
//! A descriptor is a cache line from a pool: a control word (the number of the use, 62 bits, and its
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
//!
//! Who takes which edge of a relocation, and how:
//!
//! | edge | who | by |
//! |---|---|---|
//! | publish | the owner | a store of the next number with PENDING, then of the fields |
//! | install | the owner | an exchange of the word that was read for the reference; if the word differs, abort |
//! | bump | the owner | an addition to the stripe of the token that moves |
//! | commit | the owner | an exchange of the control, PENDING for COMMITTED |
//! | abort | any writer that meets the reference, or the owner | an exchange of the control, PENDING for ABORTED |
//! | write-back | any writer that meets the reference, or the owner | an exchange of the reference for what it holds |
//!
//! A relocation is six locked instructions: two installs, the bump, the commit, two write-backs. None of them can be a plain
//! store. A stripe has many writers. A store of COMMITTED could come after ABORTED, when another thread has already written
//! one word back as it was. A write-back by a store could come after that of another thread, and undo what others have done
//! to the word since. What a plain store can do is the claim before the six: a quarter of the descriptors belongs to one
//! thread each, by its [number](super#progress), and only that thread writes the owner flag. A thread without a number of
//! its own, and a call within a call, claims one of the others by an exchange.
//!
//! A table that doubles adds descriptors to its pool when it has grown, and takes none away. They are in an allocation of
//! their own, with numbers behind those before. The quarter of them that belongs to one thread each does so from the
//! beginning, and what belonged to a thread before still does. So a thread may claim one of any part, whichever parts
//! others know of. Who reads a reference to one that was added finds it: the owner had read the address of the part before
//! it installed the reference.
//!
//! An admission freezes one word, its target, and has no bump. A writer that meets it pending reads its witness,
//! and commits or aborts by what is there. An emptying freezes one word too; a writer that meets it pending aborts it,
//! unless it [empties](super::rotation#emptying) the same table. In every transfer only the owner installs references, so no thread
//! freezes a word for another.
//!
//! A reference carries the low 38 bits of the number of the use. A reader reads the fields, then the control, and
//! discards both if the numbers differ: then the word has changed, so it loads the word again.
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
