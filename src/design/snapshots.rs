//! Snapshots: why a copy made word by word misses nothing.
//!
//! A scan sets a bit in each stripe. It then settles and copies each word, and clears the bits. At the end it recounts
//! the classes for which it has hints.
//!
//! # What the copy holds
//!
//! **Of each class, the copy has at least the smallest number of tokens that the class had during the call.** If there
//! is a hint, this follows from the validated count. If not, suppose that a token was stored throughout and the scan
//! read neither of its buckets with it. Then it came to the bucket that was read first after that read, and was gone
//! from the other when that was read. As for a [miss](super::protocol#a-miss), it hopped, or equal tokens took turns:
//!
//! 1. *It hopped.* If the relocation bumped after the bit was set, it learnt of the scan and left a hint before its
//!    commit. The scan acquired that commit with the word that it saw without the token, so it finds the hint. (The
//!    bump cannot come after the bit was cleared: the scan acquired the commit, and so the bump, before it cleared the
//!    bit.) If it bumped before, the scan acquired both installs with the stripe. So its read of the first word saw the
//!    reference, or a later value. It aborted a pending relocation; a committed one had brought the token.
//! 2. *Equal tokens took turns.* There are three cases for the remove that cleared one of them. It saw the other token,
//!    bumped, and left a hint before its exchange. Or the scan acquired with the stripe what the remove had seen. Or
//!    the remove had begun before the other token came, and is placed before that.
//!
//! If the copy has one token too many, a remove of that token was in progress during the call.
//!
//! # Hints
//!
//! Hints are never wrong, only superfluous: those of relocations that were aborted, and those of an earlier scan whose
//! writers were slow. A writer takes a vacant slot of the log by an exchange, so a late writer replaces no other hint.
//! If the log is full, the scan starts over, for a part of the stripes at a time. It also does so if the copy is full,
//! because more tokens came and went than it has room for. After eight attempts the snapshot fails.
//!
//! # Tables that double
//!
//! A scan of such a table reads the *regions* of the level of the root: each is a bucket, or its two children if it is
//! gone. The copy is a table of that level, and regions that were found split are split in it. So a growth may begin,
//! continue and end meanwhile. If a child is gone too, which takes a second growth, the scan begins again.
//!
//! **The above holds of regions as it does of words.** A token is in the live word of one of its two sides. On each
//! side one word is live at a time. A split makes the children live, at the moment when the parent is gone, and leaves
//! the token on its side. A scan reads the parent first, which is live if it is there, and a child only when the parent
//! is gone. So it reads a live word of either side. If both are without a token that is stored throughout, the token
//! has changed sides between the two reads, or tokens took turns:
//!
//! 1. *It hopped*, between two words of one level. If the relocation bumped after the bit was set, it left a hint
//!    before its commit. The scan acquired that commit with the live word of the side that the token left: the word it
//!    left, or a part of that word, made from a content without the token. If it bumped before, the scan acquired both
//!    installs with the stripe, and with them that all words above these two were gone. So on the side to which the
//!    token came, it saw the reference or a later value; or a part of that word, which is live only after the reference
//!    was settled.
//! 2. *Tokens took turns.* All tokens that cover one item, and all prefixes that are nested with one, have one head,
//!    and agree in the number of the bucket. So they are in the same two regions, and a hint names these two, whichever
//!    level it has. A hint of a level above the copy's does not say in which regions its writer continues: the scan
//!    begins again.
//!
//! For each hint, the regions that it names are set to the tokens of its head in the live regions, in a copy that is
//! split at least where they are. A split is a pure function of the content, so the tokens of other heads stay as they
//! were copied.
//!
//! *The cursor of the copy* was read before the first word. All words before it were gone by then, so they are split in
//! the copy. If no other thread interferes, the copy is exact: the same level, the same cursor, the same words.
//!
//! # Chunks
//!
//! [`chunks`](crate::Filter::chunks) makes no copy. It adds up the versions of all stripes, and settles and counts each
//! word once. Then it reads the words of each chunk when that chunk is requested, and before the last checksum it adds
//! up the versions again. It fails if there was a bump, if a table was added or forgotten, or if a table does not hold
//! the number of tokens that was counted. For a table that doubles, the list has the cursor from before the first word,
//! and the two words of a region are read at once. So splits between two chunks do no harm, nor does the end of a
//! growth. The beginning of a growth is an error, because it changes the form of the words.
//!
//! **A sequence of chunks that completes holds what a scan holds.** Suppose that a token was stored throughout, and
//! that neither of its buckets was read with it. As above, it hopped, or equal tokens took turns, with a bump before
//! the exchange or the commit that the reader acquired. If the bump came after the first sum, it is in the second. If
//! it came before, the first sum acquired both installs, and the count met the references, or later values: a pending
//! hop is aborted, and a committed one is over before the first word is read. A remove that had bumped before is as
//! above.
//!
//! The tables are read in the order of a lookup, and they are the same at the end. So the arguments for [filters that
//! grow](super::doubling#several-tables) and [rotate](super::rotation) apply here.
//!
//! # No thread waits
//!
//! A scan is one more writer that settles words; it blocks no operation. A scan whose thread dies leaves the bits set.
//! So writers continue to leave hints until the log is full, and later snapshots are refused as busy, until `clear`
//! reclaims the right to scan.
