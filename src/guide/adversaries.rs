//! When somebody chooses the items in order to harm.
//!
//! # With the seed
//!
//! Whoever knows the seed of a filter, or the hashes, can make items of one class at home: items that the
//! filter takes for one another. Then a lookup is wrong whenever they like, and a removal hits whom they like:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let service = CuckooFilter::builder().capacity(100).seed(7).build()?;
//! service.insert("victim")?;
//!
//! // At home, with the same size and seed.
//! let copy = CuckooFilter::builder().capacity(100).seed(7).build()?;
//! copy.insert("victim")?;
//! let twin = (0u64..)
//!     .find(|item| copy.contains(item))
//!     .expect("some item has the same token");
//!
//! assert!(service.contains(&twin)); // never inserted
//! assert!(service.remove(&twin)); // and not removed: that was the victim
//! assert!(!service.contains("victim"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In a filter of this size the search takes two million hashes on average. In one of a million items it takes
//! four thousand times as many: minutes of one processor.
//!
//! So do not fix the seed of a filter that strangers' items go into, and keep it secret: it is in
//! [`RandomState::seed`](crate::RandomState::seed) and in stored filters, and `Debug` leaves it out.
//!
//! # Without the seed
//!
//! The default hasher is keyed by its seed, but it is not a cryptographic function: nobody has shown that the
//! seed cannot be learnt from what the filter answers. If strangers choose the items, see the answers, and gain
//! by a wrong one, use a keyed function that was designed against that. The standard library's is, at present,
//! SipHash 1-3 with random keys. It takes longer to compute.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let seen = CuckooFilter::with_capacity_and_hasher(10_000, std::hash::RandomState::new());
//! seen.insert("flow")?;
//! assert!(seen.contains("flow"));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! Its keys cannot be read or set, so hashes made with it, and filters, do not outlive the process. If they
//! must, take SipHash from a crate that lets you set the keys, and keep them as you keep other secrets.
//!
//! # With any hasher
//!
//! Wrong answers can be found by trial. Somebody who may ask a full filter about items of their choice finds
//! one that is wrongly told "yes" after 8,600 questions or so, and keeps it. So
//!
//! * do not let strangers cause removals of items that you have not recorded as inserted
//!   ([`removing`](super::removing));
//! * where a "yes" grants something, ask the source of truth before you grant it. Where it only refuses or
//!   postpones something, the harm is theirs.
