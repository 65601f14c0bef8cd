//! The numbers that the authors published. Figures that exist only as plots are not quoted.

/// A column of their Table 3.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) million_items: f64,
    pub(crate) bits_per_item: f64,
    pub(crate) false_positive_rate: f64,
    /// The rate of construction.
    pub(crate) million_keys_per_second: f64,
}

const fn column(name: &'static str, [items, bits, rate, speed]: [f64; 4]) -> Column {
    Column {
        name,
        million_items: items,
        bits_per_item: bits,
        false_positive_rate: rate,
        million_keys_per_second: speed,
    }
}

/// Table 3: 192 MB each, two Xeon L5640 at 2.27 GHz, one thread. Without the column of the d-left
/// counting Bloom filter, which is not checked against the paper.
pub(crate) const TABLE_3: [Column; 5] = [
    column("CF, 12 bits", [127.78, 12.60, 0.0019, 5.00]),
    column("ss-CF, 13 bits", [128.04, 12.58, 0.0009, 3.13]),
    column("Bloom", [123.89, 13.00, 0.0019, 3.91]),
    column("blocked Bloom", [123.89, 13.00, 0.0043, 7.64]),
    column("quotient", [126.82, 12.70, 0.0018, 1.54]),
];

/// Table 3 again, from the repository of their code, benchmarks/conext-table3.cc: a Core i7-4790 at
/// 3.60 GHz.
pub(crate) const TABLE_3_AGAIN: [Column; 2] = [
    column("CF, 12 bits", [127.82, 12.60, 0.0018, 5.86]),
    column("ss-CF, 13 bits", [127.90, 12.59, 0.0009, 4.10]),
];

/// Figure 5 from the same repository and processor, benchmarks/conext-figure5.cc. Million lookups
/// per second by the share of positive queries, with 12 bits, and with 13 bits semi-sorted.
pub(crate) const FIGURE_5_AGAIN: [(f64, f64, f64); 5] = [
    (0.00, 26.10, 10.07),
    (0.25, 25.92, 10.65),
    (0.50, 26.00, 10.65),
    (0.75, 25.95, 10.79),
    (1.00, 25.89, 10.64),
];

/// The bytes of the filters of Table 3.
pub(crate) const BYTES_IN_TABLE_3: usize = 192 << 20;

/// The slots of the cuckoo filter of Table 3: 192 MB of 12 bits each.
pub(crate) const SLOTS_IN_TABLE_3: f64 = (1u64 << 27) as f64;

/// The load factor that Table 2 calculates with.
pub(crate) const LOAD_IN_TABLE_2: f64 = 0.955;

/// The loads of buckets with one, two, four and eight slots that section 5.1 names.
pub(crate) const LOADS: [f64; 4] = [0.50, 0.84, 0.95, 0.98];

/// Returns the load of the cuckoo filter of Table 3.
pub(crate) fn load_in_table_3() -> f64 {
    TABLE_3[0].million_items * 1e6 / SLOTS_IN_TABLE_3
}

/// A formula for the bits per item at a false-positive rate.
pub(crate) struct Formula {
    pub(crate) name: &'static str,
    pub(crate) bits: fn(f64) -> f64,
}

/// The first is the least that any filter needs. The next three are those of Table 2, the cuckoo
/// filters with b = 4. The last two are what the paper says of these: 1.5 times and 4 times a Bloom
/// filter.
pub(crate) const FORMULAS: [Formula; 6] = [
    formula("least", |rate| -rate.log2()),
    formula("Bloom", bloom),
    formula("CF", |rate| (3.0 - rate.log2()) / LOAD_IN_TABLE_2),
    formula("ss-CF", |rate| (2.0 - rate.log2()) / LOAD_IN_TABLE_2),
    formula("d-left", |rate| 1.5 * bloom(rate)),
    formula("counting", |rate| 4.0 * bloom(rate)),
];

fn bloom(rate: f64) -> f64 {
    1.44 * -rate.log2()
}

const fn formula(name: &'static str, bits: fn(f64) -> f64) -> Formula {
    Formula { name, bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_bits_make_the_published_size() {
        let bits = (192u64 << 23) as f64;
        for column in TABLE_3.iter().chain(&TABLE_3_AGAIN) {
            let published = column.million_items * 1e6 * column.bits_per_item;
            assert!((published / bits - 1.0).abs() < 0.001, "{}", column.name);
        }
    }
}
