//! Operations: sequences of calls on filters of a few buckets, compared with a multiset of classes
//! after each step.
//!
//! The tables of fixed filters are so small, and most searches so long, that an insert must succeed
//! exactly if all tokens including its own have a placement.

#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use lockfree_cuckoo::{RotatingCuckooFilter, layout::Shape};
use lockfree_cuckoo_tests::oracle::{Call, FULL_BUDGET, Pair, Step};
use lockfree_cuckoo_tests::{fixed, model_of};
use model::geometry::Geometry;
use model::hashers::AsGiven;
use model::mix;

/// Tables of one range and of several.
const BUCKETS: [usize; 8] = [2, 4, 6, 8, 12, 14, 16, 24];

/// Search budgets: the largest, with which a search of these tables is exhaustive, and shorter
/// ones.
const BUDGETS: [usize; 4] = [FULL_BUDGET, FULL_BUDGET, 256, 2];

/// The most items that the fuzzer chooses one by one.
const ITEMS: usize = 32;

/// Enough to fill the largest table; more would only take longer.
const STEPS: usize = 200;

#[derive(Debug)]
struct Input {
    shape: Shape,
    buckets: usize,
    budget: usize,
    /// The generations of a filter that rotates.
    generations: Option<usize>,
    items: Vec<u64>,
    steps: Vec<Step>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(from: &mut Unstructured<'a>) -> Result<Self> {
        let plain = |shape: &&Shape| shape.value_bits() == 0;
        let plain: Vec<Shape> = Shape::ALL.iter().filter(plain).copied().collect();
        let (shape, buckets) = (*from.choose(&plain)?, *from.choose(&BUCKETS)?);
        let generations: Option<u8> = from.arbitrary()?;
        let mut input = Self {
            shape,
            buckets,
            budget: *from.choose(&BUDGETS)?,
            generations: generations.map(|number| 2 + usize::from(number % 3)),
            items: Vec::new(),
            steps: Vec::new(),
        };
        let geometry = Geometry::with_buckets(model_of(shape), buckets);
        for _ in 0..from.int_in_range(1..=ITEMS)? {
            input.items.push(item(from, geometry)?);
        }
        // Enough others to bring the table to its limits.
        if from.arbitrary()? {
            let seed: u64 = from.arbitrary()?;
            let others = 0..5 * geometry.slots() as u64 / 4;
            input.items.extend(others.map(|number| mix(seed ^ number)));
        }
        while input.steps.len() < STEPS && !from.is_empty() {
            input.steps.push(step(from)?);
        }
        Ok(input)
    }
}

/// Returns a hash: with few buckets and neighbouring fingerprints, so that items collide and a wrong
/// bit would hit another class, or any.
fn item(from: &mut Unstructured<'_>, geometry: Geometry) -> Result<u64> {
    if from.ratio(1, 4)? {
        return from.arbitrary();
    }
    let largest = *geometry.layout.fingerprints().end();
    let middle = largest / 2;
    // 0 is stored as 1.
    let bits = [
        0,
        1,
        2,
        3,
        4,
        5,
        middle,
        middle + 1,
        middle + 2,
        largest - 1,
        largest,
    ];
    let bucket = from.int_in_range(0..=geometry.buckets - 1)?;
    Ok(geometry.hash(bucket, *from.choose(&bits)?, 0))
}

fn step(from: &mut Unstructured<'_>) -> Result<Step> {
    let item = usize::from(from.arbitrary::<u8>()?);
    let few = usize::from(from.int_in_range(0..=3u8)?);
    Ok(match from.int_in_range(0..=15u8)? {
        0 | 1 => Step::Calls(Call::Insert, item, few),
        2 => Step::Calls(Call::InsertUnique, item, few),
        3 | 4 => Step::Calls(Call::Remove, item, few),
        5 => Step::Calls(Call::InsertMany, item, few),
        6 => Step::Calls(Call::InsertUniqueMany, item, few),
        7 => Step::Calls(Call::RemoveMany, item, few),
        8 => Step::Fill(item, from.arbitrary()?),
        9 => Step::Drain(item / 8, from.arbitrary()?),
        10 => Step::Pile(item),
        11 => Step::Relocate(item),
        12 => Step::Snapshot,
        13 => Step::Store,
        14 => Step::RotateIf(few.saturating_sub(2) as u64),
        _ => Step::Clear,
    })
}

fuzz_target!(|input: Input| {
    let filter = match input.generations {
        None => fixed(input.shape, input.buckets, input.budget, None),
        Some(generations) => RotatingCuckooFilter::builder()
            .buckets(input.buckets)
            .generations(generations)
            .hasher(AsGiven)
            .build_shape(input.shape)
            .expect("possible"),
    };
    Pair::new(filter, input.budget, &input.items).run(&input.steps);
});
