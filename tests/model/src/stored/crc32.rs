//! The checksum.

/// CRC-32 as in zlib.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(u32::MAX, |crc, &byte| {
        crc >> 8 ^ OF_BYTE[usize::from(crc as u8 ^ byte)]
    });
    !crc
}

/// What each byte does to a checksum, bit by bit.
const OF_BYTE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < u8::BITS {
            crc = crc >> 1 ^ 0xedb8_8320 & (crc & 1).wrapping_neg();
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_is_the_published_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
