//! A hash of 128 bits, for states that are remembered by their hashes alone.
//!
//! Two lanes of multiply-and-fold with different constants. With `n` states the chance that two of them are
//! taken for one is about `n^2 / 2^129`: for a thousand million states, one in 10^20.

use std::hash::{Hash, Hasher};

/// The hash of a value, one of a family.
pub fn hash(family: u64, value: &impl Hash) -> u128 {
    let mut hasher = Wide {
        lanes: [family ^ KEYS[0], family.rotate_left(32) ^ KEYS[1]],
        buffer: 0,
        filled: 0,
    };
    value.hash(&mut hasher);
    hasher.flush();
    hasher.flush();
    let [a, b] = hasher.lanes;
    u128::from(fold(a ^ KEYS[2], b ^ KEYS[3])) << 64 | u128::from(fold(b ^ KEYS[4], a ^ KEYS[5]))
}

/// Odd numbers of random bits: digits of pi.
const KEYS: [u64; 6] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6d,
];

struct Wide {
    lanes: [u64; 2],
    /// Small integers are put together before they are mixed in.
    buffer: u64,
    filled: u32,
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Wide {
    #[inline]
    fn mix(&mut self, word: u64) {
        // The rotation keeps what a product of 0 would forget.
        self.lanes = [
            fold(self.lanes[0] ^ word, KEYS[2]) ^ self.lanes[0].rotate_left(23),
            fold(self.lanes[1] ^ word, KEYS[5]) ^ self.lanes[1].rotate_left(41),
        ];
    }

    #[inline]
    fn flush(&mut self) {
        self.mix(self.buffer);
        (self.buffer, self.filled) = (0, 0);
    }

    #[inline]
    fn put(&mut self, value: u64, bits: u32) {
        if self.filled + bits > u64::BITS {
            self.flush();
        }
        self.buffer |= value << self.filled;
        self.filled += bits;
    }
}

impl Hasher for Wide {
    fn finish(&self) -> u64 {
        unreachable!("`hash` reads both lanes")
    }

    fn write(&mut self, bytes: &[u8]) {
        // What a slice of integers comes as.
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let bytes = chunk.try_into().expect("eight bytes");
            self.mix(u64::from_le_bytes(bytes));
        }
        chunks
            .remainder()
            .iter()
            .for_each(|&byte| self.write_u8(byte));
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.put(value.into(), 8);
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.put(value.into(), 16);
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.put(value.into(), 32);
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.put(value as u64, 32);
    }

    /// The discriminants of enumerations, all of them small.
    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.put(value as u64 & 0xff, 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn close_values_have_distinct_hashes_in_both_halves() {
        let values = (0..100_000u64).map(|n| (n as u8, n, n << 40));
        let hashes: Vec<u128> = values.map(|value| hash(0, &value)).collect();
        let high: HashSet<u64> = hashes.iter().map(|&h| (h >> 64) as u64).collect();
        let low: HashSet<u64> = hashes.iter().map(|&h| h as u64).collect();
        assert_eq!((high.len(), low.len()), (hashes.len(), hashes.len()));
    }

    #[test]
    fn families_differ() {
        assert_ne!(hash(0, &1u64), hash(1, &1u64));
    }
}
