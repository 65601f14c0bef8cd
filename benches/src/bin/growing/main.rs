//! What does it cost that a filter grows?
//!
//! Lookups in a filter that has grown and in one that is growing, inserts far beyond its first size, single inserts,
//! memory and false positives on the way: each beside the fixed filter that was told the number of items, and with rivals that grow. In one
//! process, slices of a contender's work and of the fixed filter's take turns, so a disturbance of the machine
//! meets both, and the paired ratios hold where the rates do not. Only the times of single inserts come from
//! children, whose memory is fresh. Rates are operations per second with a
//! processor. The last table compares with the goals.
//!
//! `--quick` takes less than a minute instead of some ten.

mod charts;
mod duel;
mod filling;
mod fresh;
mod goals;
mod lookups;
mod options;
mod tables;
mod way;

use std::error::Error;
use std::sync::Arc;

use clap::Parser;
use lockfree_cuckoo_benches::cores::Watch;
use lockfree_cuckoo_benches::growing;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::machine::machine;

use self::filling::Fillings;
use self::lookups::Lookups;
use self::options::Options;
use self::way::Ways;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    if let Some(name) = &options.child {
        return fresh::child(name, options.items(), options.start);
    }
    println!("{}", machine());
    let mut watch = Watch::default();
    let mut judged = Vec::new();
    for &items in options.sizes() {
        let keys = Arc::new(Keys::generate(items));
        let mut lookups = Lookups::new(&keys, options.time());
        growing::visit_all(&mut lookups);
        tables::lookups(items, &lookups.found);
        judged.extend(goals::of_lookups(items, &lookups.found));
        watch.look();
    }
    let items = options.items();
    let mut fillings = Fillings::new(items, options.start, options.fillings());
    growing::visit_all(&mut fillings);
    tables::filling(items, options.start, &fillings.found);
    judged.extend(goals::of_inserts(items, &fillings.found));
    let mut ways = Ways::new(&Arc::new(Keys::generate(items)), options.start);
    growing::visit_all(&mut ways);
    tables::ways(items, options.start, &ways.found);
    judged.extend(goals::of_way(&ways.found));
    goals::print(&judged);
    tables::cores(watch.report());
    charts::write(&ways.found, options.start, &options.out)?;
    Ok(())
}
