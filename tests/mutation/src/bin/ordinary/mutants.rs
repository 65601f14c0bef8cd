//! The mutants: the crate with one piece taken out, and the test that must notice.

use mutation::{Mutant, piece};

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        piece: piece("thread numbers are taken without looking who has them"),
        killer: "lib::sync::real::hosted::index::tests::no_two_leases_are_for_one_number",
        message: "two threads have one number",
    },
    Mutant {
        piece: piece("a thread that ends keeps the number that it gives back"),
        killer: "lib::sync::real::hosted::index::tests::a_thread_that_ends_has_a_shared_number",
        message: "it keeps number",
    },
    Mutant {
        piece: piece("a scanner that gets no memory keeps the right to scan"),
        killer: "snapshot_memory::without_memory_the_right_to_scan_is_given_back",
        message: "after allocation 0",
    },
];
