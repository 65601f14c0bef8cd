//! Values: what holds where tokens of one class are not alike.
//!
//! In a layout with values a token is a fingerprint and a value. The fingerprint names the class, as ever: the
//! candidates, the stripe, and what lookups compare. The value goes where the token goes.
//!
//! # What changes
//!
//! | room | what it does with values |
//! |---|---|
//! | relocation | moves *this* token: a hop whose token has another value by now is impossible, as if the token were gone |
//! | replacement | one exchange of the word that holds the token; a frozen word is settled first |
//! | removal of a value | takes a token with that value; a token of any value in the other bucket is a twin, so it bumps |
//! | admission | asks whether there is any token of the class; the token that it places has the value |
//! | scan | copies tokens, and corrects a class of the copy token by token |
//!
//! A replacement is a remove and an insert in one moment. What [a miss](super::linearization#a-miss) needs of a remove,
//! that it bumps if it has seen a token of the class in the other bucket, a replacement does as well. A lookup of the
//! class alone could do without: the class has as many tokens before as after.
//!
//! # What is linearizable
//!
//! The argument for a miss places removes earlier than their exchanges: just before the insert of a token into the
//! other bucket, which the remove did not see. "No thread can tell", because the class is not empty from that insert on,
//! and one token is like the other. With values a thread can tell:
//!
//! ```text
//! remove 1      reads A: empty, B: 1 . . . . . . . . . . . . . . . clears B
//! lookup                          reads A: empty . . . . . . . . . . . . . . reads B: empty, no bump: a miss
//! another                                         inserts 2 into A; finds 1 in B
//! ```
//!
//! The miss must come before the insert of 2, so the remove of 1 too; but the other thread has found 1 after it
//! inserted 2. So the multiset of tokens with their values is not one linearizable object. What is:
//!
//! * **The class.** With values left aside the protocol is that of the other layouts. A call that is told a value is a
//!   `contains` that is true. A remove of a value that finds none, and a replacement that finds none, say nothing of
//!   the class.
//! * **The tokens of one value.** For each value by itself the argument holds, with "a token of the class that has this
//!   value" for "a token of the class". A remove or replacement bumps if it has seen *any* token of the class in the
//!   other bucket, so it bumps whenever it has seen one of the same value.
//! * **All together, if no two tokens of a class are in at a time.** Then each load of a token is a load of the whole
//!   state of the class. A miss that was validated has a moment at which the class was empty: tokens that take turns
//!   do not overlap, so between the remove of the one and the admission of the other, both of which the reader has
//!   behind or before it, there is none. `insert_unique_value` keeps to one token: it commits only if the witness holds
//!   none while its target is frozen. A plain insert of the class does not.
//!
//! # What is checked
//!
//! Models under loom hold the exact schedules of hops, replacements, removes, admissions and scans. The state checker
//! runs programs with values over all their schedules. Histories of real threads are explained by an order, or refuted:
//! all calls together where tokens come by unique inserts, class and values each by themselves where they do not.
//! Mutants: a twin that must have the same value, a lookup of a value that is not validated, an arrival without its value,
//! a token that is found by its fingerprint alone, a scan that copies fingerprints.
