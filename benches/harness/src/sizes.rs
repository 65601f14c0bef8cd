//! Sizes: numbers of items, and their names.

// The sizes fill a power of two of slots to 95 %, so that rivals which round up to one are as full
// as the filter.

/// A size whose table of 2 MiB fits the second-level cache of current server cores, or nearly.
pub const IN_CACHE: usize = 1_000_000;

/// A size whose table of 32 MiB is many times a second-level cache, and takes more pages than a TLB
/// covers. On servers with a third-level cache of hundreds of MiB it is in that cache; on most
/// desktops it is in memory.
pub const BEYOND_CACHE: usize = 15_900_000;

/// A size whose table of 256 MiB is in memory on most machines.
pub const IN_MEMORY: usize = 127_000_000;

/// Returns the name of a number of items: "15.9M", "20k".
#[must_use]
pub fn items_name(items: usize) -> String {
    match items {
        _ if items >= 1_000_000 && items.is_multiple_of(100_000) => in_units(items, 1_000_000, "M"),
        _ if items >= 1_000 && items.is_multiple_of(100) => in_units(items, 1_000, "k"),
        _ => items.to_string(),
    }
}

fn in_units(items: usize, unit: usize, name: &str) -> String {
    match items % unit * 10 / unit {
        0 => format!("{}{name}", items / unit),
        tenths => format!("{}.{tenths}{name}", items / unit),
    }
}

/// Returns the number of items that a name stands for.
///
/// # Errors
///
/// If it stands for none, or for fewer than a thousand. The error is a sentence about it.
pub fn items_of(name: &str) -> Result<usize, String> {
    let (digits, unit) = match name.split_at_checked(name.len().saturating_sub(1)) {
        Some((digits, "M")) => (digits, 1_000_000),
        Some((digits, "k")) => (digits, 1_000),
        _ => (name, 1),
    };
    let (whole, tenths) = digits.split_once('.').unwrap_or((digits, "0"));
    let tenths = tenths.parse::<usize>().ok().filter(|_| tenths.len() == 1);
    whole
        .parse::<usize>()
        .ok()
        .zip(tenths.filter(|&tenths| tenths == 0 || unit > 1))
        .and_then(|(whole, tenths)| whole.checked_mul(unit)?.checked_add(tenths * unit / 10))
        // Fewer items make no ring for the mixed work.
        .filter(|&items| items >= 1_000)
        .ok_or_else(|| format!("not a size of at least 1k: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        let sizes = [
            (1_000_000, "1M"),
            (15_900_000, "15.9M"),
            (20_000, "20k"),
            (1_200, "1.2k"),
            (1_234, "1234"),
        ];
        for (items, name) in sizes {
            assert_eq!(items_name(items), name);
            assert_eq!(items_of(name), Ok(items));
        }
        for name in [
            "", "M", "1m", "10", "-1M", ".9M", "1.M", "1.23M", "1.05M", "1000.5", "1.-5M",
        ] {
            assert!(items_of(name).is_err(), "{name}");
        }
    }
}
