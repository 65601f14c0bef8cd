//! The layouts of records: where each says how long it is.

/// Where a record says how long it is.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) big_endian: bool,
    /// Bytes before the data of a pcap record; 0 for a pcapng block, whose
    /// length counts its header.
    header: u64,
}

impl Layout {
    pub(crate) const PCAPNG: Self = Self::new(false, 0);
    pub(crate) const PCAP: Self = Self::new(false, 16);
    pub(crate) const PCAP_BIG_ENDIAN: Self = Self::new(true, 16);
    /// The variant that some old Linux systems wrote.
    pub(crate) const PCAP_MODIFIED: Self = Self::new(false, 24);

    const fn new(big_endian: bool, header: u64) -> Self {
        Self { big_endian, header }
    }

    pub(crate) fn is_pcapng(self) -> bool {
        self.header == 0
    }

    /// The length of the record that starts here, once enough of it is there.
    pub(crate) fn claimed(self, data: &[u8]) -> Option<u64> {
        const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
        let (at, big_endian) = if !self.is_pcapng() {
            (8, self.big_endian)
        } else if data.starts_with(&SECTION) {
            // A section sets the byte order, its own length included.
            (4, *data.get(8)? == 0x1a)
        } else {
            (4, self.big_endian)
        };
        let field = *data.get(at..)?.first_chunk::<4>()?;
        let length = if big_endian {
            u32::from_be_bytes(field)
        } else {
            u32::from_le_bytes(field)
        };
        Some(self.header + u64::from(length))
    }
}
