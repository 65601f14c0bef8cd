//! Snapshots: why a copy made word by word misses nothing.
//!
//! A scan sets a bit in each stripe. It then settles and copies each word, and clears the bits. At the end it
//! counts once more the classes for which it has hints.
//!
//! # What the copy holds
//!
//! **A class has at least as many tokens as it had at every moment of the call.** If there is a hint, the
//! validated count says so. If there is none, suppose that a token was in all the while and the scan read neither
//! of its buckets with it. Then it came to the bucket that was read first after that read, and was gone from the
//! other when that was read. As for a [miss](super::linearization#a-miss), it hopped, or equal tokens took turns:
//!
//! 1. *It hopped.* If the relocation bumped after the bit was set, it learnt of the scan and left a hint
//!    before its commit. The scan acquired that commit with the word that it saw without the token, so it finds
//!    the hint. (The bump cannot come after the bit was cleared, for the same reason.) If it bumped before, the
//!    scan acquired both installs with the stripe. So its read of the first word saw the reference, or what came
//!    later; a pending relocation it aborted, and a committed one had brought the token.
//! 2. *Equal tokens took turns.* The remove that cleared the one saw the other, bumped, and left a hint before
//!    its exchange, or the scan acquired with the stripe what the remove had seen; or it had begun before the
//!    other came, and is placed before that.
//!
//! If the copy has one token too many, a remove of that token was under way during the call.
//!
//! # Hints
//!
//! Hints are never wrong, only superfluous: those of relocations that were aborted, and those of an earlier scan
//! whose writers were slow. A writer takes a vacant slot of the log by an exchange, so a late writer replaces no
//! other hint. If the log is full, the scan starts over, for a part of the stripes at a time. It does the same if
//! the copy is full, because more tokens came and went than it has room for. After eight attempts the snapshot
//! fails.
//!
//! # Chunks
//!
//! [`chunks`](crate::Filter::chunks) makes no copy. It adds up the versions of all stripes, and settles and counts each
//! word once. Then it reads the words, each when its chunk is asked for, and before the last checksum it adds up the
//! versions again. It fails if there was a bump, if a table was added or forgotten, or if a table does not hold as many
//! tokens as were counted.
//!
//! **What comes to its end holds what a scan holds.** Suppose that a token was in all the while, and that neither of its
//! buckets was read with it. As above, it hopped, or equal tokens took turns, with a bump before the exchange or the
//! commit that the reader acquired. If the bump came after the first sum, it is in the second. If it came before, the first
//! sum acquired both installs, and the count met the references, or what came later: a hop that was pending is aborted, and
//! one that was committed is over before the first word is read. A remove that had bumped before is as above.
//!
//! The tables are read in the order in which a lookup looks, and they are the same at the end, so what holds for
//! [filters that grow](super::doubling#several-tables) and [rotate](super::rotation) holds here.
//!
//! # No thread waits
//!
//! A scan is one more writer that settles words; it blocks no operation. A scan whose thread dies leaves the bits
//! set. So writers go on to leave hints until the log is full, and later snapshots are refused as busy, until
//! `clear` or a write-out takes the right to scan back.
