//! The sizes and the numbers of threads that are measured.

use std::env;
use std::fmt;

/// A number of items, and the name that the reports have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The items that a table is filled with.
    pub items: usize,
    name: &'static str,
}

/// The table is 2 MiB: it fits the second-level cache of current server cores, or is close to it.
pub const IN_CACHE: Size = Size {
    items: 1_000_000,
    name: "1M",
};

/// The table is 20 MiB: ten times a second-level cache, and more pages than a TLB covers. That is memory
/// on most desktops, but on servers with a third-level cache of hundreds of MiB it is that cache. Filling it
/// takes about a second, which a benchmark can afford to do for each of its lines.
pub const BEYOND_CACHE: Size = Size {
    items: 10_000_000,
    name: "10M",
};

/// The table is 200 MiB: memory, but for the largest third-level caches. Filling takes ten seconds and more.
pub const LARGE: Size = Size {
    items: 100_000_000,
    name: "100M",
};

/// The numbers of threads.
pub const THREADS: [usize; 2] = [1, 2];

impl Size {
    /// The sizes of a benchmark. If it only runs to be tested, as under `cargo test`, they are small.
    #[must_use]
    pub fn of_benches() -> [Self; 2] {
        // The same rule as criterion's: measuring is what `cargo bench` asks for with this argument.
        let measuring =
            env::args().any(|arg| arg == "--bench") && env::args().all(|arg| arg != "--test");
        [IN_CACHE, BEYOND_CACHE].map(|size| Self {
            items: if measuring {
                size.items
            } else {
                size.items / 500
            },
            ..size
        })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name)
    }
}

/// The name of any number of items: "10M", "20k".
#[must_use]
pub fn items_name(items: usize) -> String {
    match items {
        _ if items > 0 && items.is_multiple_of(1_000_000) => format!("{}M", items / 1_000_000),
        _ if items > 0 && items.is_multiple_of(1_000) => format!("{}k", items / 1_000),
        _ => items.to_string(),
    }
}

/// The number of items that a name stands for.
///
/// # Errors
///
/// A sentence about what is wrong with it.
pub fn items_of(name: &str) -> Result<usize, String> {
    let (digits, factor) = match name.split_at_checked(name.len().saturating_sub(1)) {
        Some((digits, "M")) => (digits, 1_000_000),
        Some((digits, "k")) => (digits, 1_000),
        _ => (name, 1),
    };
    digits
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        // Fewer make no ring for the mixed work.
        .filter(|&items| items >= 1_000)
        .ok_or_else(|| format!("not a size of at least 1k: {name}"))
}

/// The number of threads in words, for the name of a benchmark.
#[must_use]
pub fn threads_name(threads: usize) -> String {
    match threads {
        1 => "1-thread".to_owned(),
        _ => format!("{threads}-threads"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (items, name) in [(1_000_000, "1M"), (20_000, "20k"), (1_234, "1234")] {
            assert_eq!(items_name(items), name);
            assert_eq!(items_of(name), Ok(items));
        }
        for name in ["", "M", "1m", "10", "-1M"] {
            assert!(items_of(name).is_err(), "{name}");
        }
    }
}
