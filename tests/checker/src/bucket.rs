//! Words: buckets of four slots, packed from the top, and the references that fit between their values.
//!
//! Written a second time from the description of the format; [`conformance`](crate::conformance) compares the
//! words that come out with those of the crate.

/// What is stored of an item; never 0.
pub type Fingerprint = u16;

/// Slots of a bucket.
pub const SLOTS: usize = 4;

const LANE: u32 = 16;
const REFERENCE_BITS: u32 = 48;
const SEQUENCE_BITS: u32 = 38;

/// The lanes from the top lane down, vacant ones too.
fn lanes(bucket: u64) -> [Fingerprint; SLOTS] {
    [3, 2, 1, 0].map(|lane| (bucket >> (lane * LANE)) as Fingerprint)
}

fn pack(lanes: [Fingerprint; SLOTS]) -> u64 {
    lanes
        .iter()
        .fold(0, |word, &lane| word << LANE | u64::from(lane))
}

/// The fingerprints of a bucket, from the top lane down.
pub fn tokens(bucket: u64) -> impl Iterator<Item = Fingerprint> {
    lanes(bucket).into_iter().take_while(|&lane| lane != 0)
}

/// The fingerprint in a slot, counted from the top lane down.
pub fn occupant(bucket: u64, slot: usize) -> Option<Fingerprint> {
    Some(lanes(bucket)[slot]).filter(|&f| f != 0)
}

/// How many copies of `f` a bucket holds.
pub fn count(bucket: u64, f: Fingerprint) -> usize {
    tokens(bucket).filter(|&other| other == f).count()
}

/// Whether a bucket holds `f`.
pub fn contains(bucket: u64, f: Fingerprint) -> bool {
    lanes(bucket).contains(&f)
}

/// Vacant slots of a bucket.
pub fn vacancies(bucket: u64) -> usize {
    SLOTS - tokens(bucket).count()
}

/// Whether a bucket has a vacant slot.
pub fn has_room(bucket: u64) -> bool {
    bucket & ((1 << LANE) - 1) == 0
}

/// A bucket with `f` added, if there is room.
pub fn with(bucket: u64, f: Fingerprint) -> Option<u64> {
    let mut lanes = lanes(bucket);
    *lanes.iter_mut().find(|lane| **lane == 0)? = f;
    Some(pack(lanes))
}

/// A bucket without its lowest copy of `f`, if it has one.
pub fn without(bucket: u64, f: Fingerprint) -> Option<u64> {
    let mut lanes = lanes(bucket);
    let slot = lanes.iter().rposition(|&lane| lane == f)?;
    lanes.copy_within(slot + 1.., slot);
    lanes[SLOTS - 1] = 0;
    Some(pack(lanes))
}

/// A bucket with its lowest copy of `old` replaced, if it has one.
pub fn replacing(bucket: u64, old: Fingerprint, new: Fingerprint) -> Option<u64> {
    let mut lanes = lanes(bucket);
    let slot = lanes.iter().rposition(|&lane| lane == old)?;
    lanes[slot] = new;
    Some(pack(lanes))
}

/// Whether a word is a packed bucket: no vacant lane above one that is taken.
pub fn is_packed(word: u64) -> bool {
    lanes(word).is_sorted_by_key(|&lane| lane == 0)
}

/// Whether a word names a descriptor.
pub fn is_reference(word: u64) -> bool {
    word != 0 && word >> REFERENCE_BITS == 0
}

/// The quick test of the fast paths: whether both words are surely buckets. One bucket is taken for a
/// reference, that with a 1 in its top lane and nothing else.
pub fn are_plain(a: u64, b: u64) -> bool {
    a.wrapping_sub(1).min(b.wrapping_sub(1)) >> REFERENCE_BITS != 0
}

/// Names a use of a descriptor.
pub fn reference(descriptor: usize, uses: u64) -> u64 {
    (descriptor as u64 + 1) << SEQUENCE_BITS | uses
}

/// The descriptor and the use that a reference names.
pub fn named(reference: u64) -> (usize, u64) {
    let uses = reference & ((1 << SEQUENCE_BITS) - 1);
    ((reference >> SEQUENCE_BITS) as usize - 1, uses)
}

/// Two bits for each slot that holds `f`: bits 0 to 7 for the first bucket, from the lowest lane up, 8 to 15
/// for the second.
pub fn matches(f: Fingerprint, first: u64, second: u64) -> u64 {
    [second, first]
        .iter()
        .flat_map(|&bucket| lanes(bucket))
        .fold(0, |mask, lane| mask << 2 | if lane == f { 0b11 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_a_list_from_the_top() {
        let bucket = [7, 8, 7].iter().fold(0, |b, &f| with(b, f).expect("room"));
        assert_eq!(bucket, 0x0007_0008_0007_0000);
        assert_eq!(without(bucket, 7), Some(0x0007_0008_0000_0000));
        assert_eq!(without(bucket, 8), Some(0x0007_0007_0000_0000));
        assert_eq!(replacing(bucket, 7, 9), Some(0x0007_0008_0009_0000));
        assert_eq!((count(bucket, 7), vacancies(bucket)), (2, 1));
        assert!(is_packed(bucket) && !is_packed(0x0007_0000_0007_0000));
        assert_eq!(matches(7, 0, bucket), 0b1100_1100 << 8);
    }

    #[test]
    fn references_and_buckets_are_told_apart() {
        for word in [reference(0, 0), reference(3, 9)] {
            assert!(is_reference(word) && !are_plain(word, 0) && !are_plain(0, word));
        }
        assert_eq!(named(reference(3, 9)), (3, 9));
        assert!(!is_reference(0) && !is_reference(1 << 48));
        // The one that the fast paths leave to the others.
        assert!(!are_plain(1 << 48, 0) && are_plain(2 << 48, 0));
    }
}
