//! Reading and writing: the memory they take, whatever the input claims.

use std::io::{self, Read};
use std::iter::repeat_with;

use lockfree_cuckoo::ReadError::{Checksum, TooLarge, Truncated};
use lockfree_cuckoo::{DynFilter, Filter};
use model::stored::{self, CHECKSUM};

use crate::allocations::{LARGE, cost_of};
use crate::engines::Kind;

of_every_engine! {
    a_claim_costs_nothing
    bytes_cost_no_more_than_they_are
    a_reader_costs_no_more_than_it_gives
    an_endless_reader_is_not_believed_either
    storing_takes_the_bytes_alone
    chunks_take_no_memory
}

fn a_claim_costs_nothing<E: Kind>() {
    for bytes in E::claims() {
        let head = &bytes[..stored::head(&bytes)];
        let (read, cost) = cost_of(|| Filter::<E>::from_bytes(&bytes));
        let error = read.expect_err("there are few words");
        let told = matches!(error, Truncated { .. } | TooLarge { .. });
        // Otherwise a table has doubled too often.
        assert!(told || E::GROWS, "{head:?}: {error}");
        assert!(cost.peak <= E::LIST, "{head:?}: {}", cost.peak);
        let (read, cost) = cost_of(|| Filter::<E>::read_from(bytes.as_slice()));
        assert!(read.is_err());
        let most = 3 * bytes.len() + E::LIST;
        assert!(cost.peak <= most, "{head:?}: {}", cost.peak);
    }
}

fn bytes_cost_no_more_than_they_are<E: Kind>() {
    for (tables, mut bytes) in E::sound() {
        let all = bytes.len();
        let words = all - stored::head(&bytes) - CHECKSUM;
        let once = all / tables * (tables + E::SPARE);
        let from_bytes = cost_of(|| Filter::<E>::from_bytes(&bytes));
        let read_from = cost_of(|| Filter::<E>::read_from(bytes.as_slice()));
        let most = if E::GROWS { 3 * all } else { once };
        for ((read, cost), most) in [(from_bytes, most), (read_from, 3 * all)] {
            let read = read.expect("sound");
            let held = cost.kept + size_of_val(&read);
            assert!(E::GROWS || held == read.memory_usage(), "{held}: {read:?}");
            assert_eq!(DynFilter::from(read).tables(), tables);
            // Each generation has the number of its items, too.
            let largest = words / tables - 8..=words.max(LARGE);
            assert!(E::GROWS || largest.contains(&cost.largest), "{all}");
            assert!(cost.peak <= most + E::BESIDES, "{all}: {}", cost.peak);
        }
        // If an error shows only at the end, the tables are all that was allocated.
        *bytes.last_mut().expect("not empty") ^= 1;
        let (read, cost) = cost_of(|| Filter::<E>::from_bytes(&bytes));
        assert!(matches!(read, Err(Checksum)));
        let tables = words..=words + E::LIST;
        assert!(tables.contains(&cost.peak), "{tables:?}: {}", cost.peak);
        assert_eq!(cost.kept, 0);
    }
}

fn a_reader_costs_no_more_than_it_gives<E: Kind>() {
    for bytes in E::large() {
        let ends = (0..=bytes.len().ilog2()).map(|log| 1 << log);
        for end in ends.chain([bytes.len() - 1]) {
            let (read, cost) = cost_of(|| Filter::<E>::read_from(&bytes[..end]));
            assert!(matches!(read, Err(Truncated { .. })), "{end}");
            let (largest, peak) = (cost.largest, cost.peak);
            assert!(largest <= E::LIST.max(2 * end), "{end}: {largest}");
            // While the table moves to a larger allocation, it exists twice.
            assert!(peak <= 3 * end + E::LIST, "{end}: {peak}");
            assert_eq!(cost.kept, 0);
        }
    }
}

fn an_endless_reader_is_not_believed_either<E: Kind>() {
    // Zeros are valid empty buckets. The input ends after 8 MiB.
    let given = 8 << 20;
    let [claiming, _] = E::large();
    let endless = claiming[..stored::head(&claiming)]
        .chain(io::repeat(0))
        .take(given);
    let (read, cost) = cost_of(|| Filter::<E>::read_from(endless));
    assert!(matches!(read, Err(Truncated { found, .. }) if found == given));
    assert!(cost.peak <= 3 * given as usize, "{}", cost.peak);
}

fn storing_takes_the_bytes_alone<E: Kind>() {
    for items in [8, 200_000] {
        let filter = E::filled(items);
        let (bytes, cost) = cost_of(|| filter.to_bytes());
        let all = bytes.expect("no thread writes").len();
        assert_eq!(cost.peak, all);
        let (result, cost) = cost_of(|| filter.write_to(io::sink()));
        result.expect("a sink takes all");
        assert_eq!((cost.peak, cost.kept), (all, 0));
    }
}

fn chunks_take_no_memory<E: Kind>() {
    for items in [8, 200_000] {
        let filter = E::filled(items);
        let bytes = filter.to_bytes().expect("no thread writes").len();
        let (mut chunks, cost) = cost_of(|| filter.chunks());
        assert_eq!(cost.peak, 0);
        assert_eq!(chunks.total(), bytes as u64);
        let mut chunk = [0; 1 << 10];
        let next = || chunks.next_chunk(&mut chunk).expect("no thread writes");
        let sizes = repeat_with(next).take_while(|&size| size > 0);
        let (stored, cost) = cost_of(|| sizes.sum::<usize>());
        assert_eq!((stored, cost.peak), (bytes, 0));
    }
}
