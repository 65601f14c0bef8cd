//! Attackers who choose the items.
//!
//! # If the attacker knows the seed
//!
//! An attacker who knows the seed of a filter, or the hashes, can compute items of one class offline. The filter
//! cannot distinguish items of one class. Then the attacker can cause a wrong "yes" at will, and can remove a
//! chosen item:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let service = CuckooFilter::builder().capacity(100).seed(7).build()?;
//! service.insert("victim")?;
//!
//! // The attacker's own copy, with the same size and seed.
//! let copy = CuckooFilter::builder().capacity(100).seed(7).build()?;
//! copy.insert("victim")?;
//! let twin = (0u64..)
//!     .find(|item| copy.contains(item))
//!     .expect("some item has the same token");
//!
//! assert!(service.contains(&twin)); // never inserted
//! assert!(service.remove(&twin)); // and this removed the victim's token
//! assert!(!service.contains("victim"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In a filter of this size the search computes two million hashes on average. In a filter for a million items it
//! computes four thousand times as many, which takes one processor some minutes.
//!
//! So do not fix the seed of a filter that takes items from strangers, and keep the seed secret.
//! [`RandomState::seed`](crate::RandomState::seed) returns it, and stored filters contain it. `Debug` does not
//! print it.
//!
//! # If the attacker does not know the seed
//!
//! The default hasher is keyed by its seed, but it is not a cryptographic function. Nobody has shown that an
//! attacker cannot learn the seed from the filter's answers. If strangers choose the items, see the answers, and
//! gain from a wrong answer, use a keyed function that was designed for this. The standard library has one: at
//! present SipHash 1-3 with random keys. It is slower.
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
//! You cannot read or set its keys. So its hashes, and filters that use it, do not outlive the process. If they
//! must, take SipHash from a crate that lets you set the keys, and store the keys like other secrets.
//!
//! # With any hasher
//!
//! An attacker can find wrong answers by trial. With access to a full filter and free choice of items, about
//! 8,600 questions find one item with a wrong "yes". The attacker can then use that item again. So:
//!
//! * Do not let strangers remove items that you have not recorded as inserted ([`removing`](super::removing)).
//! * If a "yes" grants something, ask the source of truth before you grant it. If a "yes" only refuses or delays
//!   something, the attacker harms only themselves.
