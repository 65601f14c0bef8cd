//! Damage: what bytes are read as that nobody stored.

use lockfree_cuckoo::{Engine, Filter, ReadError};

/// Reads in both ways, which must agree.
pub(crate) fn read<E: Engine>(bytes: &[u8]) -> Result<Filter<E>, ReadError> {
    match (
        Filter::<E>::from_bytes(bytes),
        Filter::<E>::read_from(bytes),
    ) {
        (Ok(mut one), Ok(mut other)) => {
            assert!(one.to_bytes() == other.to_bytes(), "both are the same");
            Ok(one)
        }
        // A reader is not asked what follows.
        (Err(error @ ReadError::TrailingBytes { .. }), _) => Err(error),
        (Err(one), Err(other)) => {
            assert_eq!(one.to_string(), other.to_string(), "both fail alike");
            Err(one)
        }
        (one, other) => panic!("one reads and the other fails: {one:?} {other:?}"),
    }
}

pub(crate) fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// The first byte that a checksum has to find, because nothing else can.
const LENGTH: usize = 10;

/// A stored filter that is cut anywhere, has any bit flipped, or has something behind it, is an error.
pub(crate) fn nothing_passes<E: Engine>(bytes: &[u8]) {
    assert!(read::<E>(bytes).is_ok(), "as it was");
    for length in 0..bytes.len() {
        let error = read::<E>(&bytes[..length]).expect_err("cut");
        let is_told = matches!(error, ReadError::Truncated { found, .. } if found == length as u64);
        assert!(is_told, "{length} bytes: {error}");
    }
    for bit in 0..8 * bytes.len() {
        let error = read::<E>(&flipped(bytes, bit)).expect_err("damaged");
        let is_told = bit < 8 * LENGTH || matches!(error, ReadError::Checksum);
        assert!(is_told, "bit {bit}: {error}");
    }
    for more in [1, 8, 24, 1_000] {
        let longer = [bytes, &vec![0; more]].concat();
        let error = read::<E>(&longer).expect_err("longer");
        let lengths = [bytes.len() as u64, longer.len() as u64];
        let is_told = matches!(error, ReadError::TrailingBytes { expected, found, .. } if [expected, found] == lengths);
        assert!(is_told, "{more} bytes more: {error}");
    }
}
