//! Clocks: timestamps of captures, in nanoseconds.

const NANOS: u128 = 1_000_000_000;

/// The unit and the offset in which an interface counts time.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// The units in a second.
    resolution: u128,
    /// The seconds to add.
    offset: i64,
}

impl Clock {
    pub(super) const MICROSECONDS: Self = Self::of(1_000_000);
    pub(super) const NANOSECONDS: Self = Self::of(NANOS);

    const fn of(resolution: u128) -> Self {
        let offset = 0;
        Self { resolution, offset }
    }

    /// Makes the clock that two options of a pcapng interface describe: a power of ten, or of two
    /// if the highest bit is set, and seconds to add.
    pub(super) fn of_options(resolution: u8, offset: i64) -> Self {
        let base = if resolution & 0x80 == 0 { 10_u128 } else { 2 };
        let exponent = u32::from(resolution & 0x7f);
        // Finer than any clock: all times are 0 seconds.
        let resolution = base.checked_pow(exponent).unwrap_or(u128::MAX);
        Self { resolution, offset }
    }

    /// Returns the time of a pcap record.
    pub(super) fn split(self, seconds: u32, units: u32) -> u64 {
        self.time(u128::from(seconds), u128::from(units))
    }

    /// Returns the time of `units` since the clock began.
    pub(super) fn units(self, units: u64) -> u64 {
        self.time(0, u128::from(units))
    }

    fn time(self, seconds: u128, units: u128) -> u64 {
        // At most 2^64 units, so the product stays below 2^94.
        let nanos = seconds * NANOS + units * NANOS / self.resolution;
        let offset = u128::from(self.offset.unsigned_abs()) * NANOS;
        let nanos = if self.offset < 0 {
            nanos.saturating_sub(offset)
        } else {
            nanos + offset
        };
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn clocks_count_in_their_units() {
        assert_eq!(Clock::MICROSECONDS.split(3, 5), 3 * SECOND + 5_000);
        assert_eq!(Clock::NANOSECONDS.split(3, 5), 3 * SECOND + 5);
        let of_options =
            |resolution, offset, units| Clock::of_options(resolution, offset).units(units);
        assert_eq!(of_options(6, 0, 3_000_005), 3 * SECOND + 5_000);
        assert_eq!(of_options(9, 2, 5), 2 * SECOND + 5);
        assert_eq!(of_options(3, -2, 5_000), 3 * SECOND);
        // Powers of two, and units that no clock has.
        assert_eq!(of_options(0x80 | 10, 0, 1536), 3 * SECOND / 2);
        assert_eq!(of_options(0x80 | 127, 0, u64::MAX), 0);
        assert_eq!(of_options(127, 0, u64::MAX), 0);
        assert_eq!(of_options(0, i64::MAX, u64::MAX), u64::MAX);
        assert_eq!(of_options(0, i64::MIN, 5), 0);
    }
}
