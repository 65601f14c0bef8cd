//! Damage: a stored filter that is cut anywhere, has any bit flipped, or has something behind it, is an error.

use lockfree_cuckoo::ReadError;

use crate::door::Kind;

pub(crate) fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// The first byte that a checksum has to find, because nothing else can.
const LENGTH: usize = 10;

pub(crate) fn nothing_passes(kind: Kind, bytes: &[u8]) {
    assert!(kind.read(bytes).is_ok(), "as it was");
    for length in 0..bytes.len() {
        let error = kind.read(&bytes[..length]).expect_err("cut");
        let is_told = matches!(error, ReadError::Truncated { found, .. } if found == length as u64);
        assert!(is_told, "{length} bytes: {error}");
    }
    for bit in 0..8 * bytes.len() {
        let error = kind.read(&flipped(bytes, bit)).expect_err("damaged");
        let is_told = bit < 8 * LENGTH || matches!(error, ReadError::Checksum);
        assert!(is_told, "bit {bit}: {error}");
    }
    for more in [1, 8, 24, 1_000] {
        let longer = [bytes, &vec![0; more]].concat();
        let error = kind.read(&longer).expect_err("longer");
        let lengths = [bytes.len() as u64, longer.len() as u64];
        let is_told = matches!(error, ReadError::TrailingBytes { expected, found, .. } if [expected, found] == lengths);
        assert!(is_told, "{more} bytes more: {error}");
    }
}
