//! The races, written by hand.

use super::steps::Call::{self, AddTable, Contains, Insert, Remove, Shrink};

pub(super) struct Program {
    /// Tables at the begin.
    pub(super) tables: u8,
    pub(super) threads: [&'static [Call]; 3],
}

const fn program(tables: u8, threads: [&'static [Call]; 3]) -> Program {
    Program { tables, threads }
}

pub(super) const PROGRAMS: &[(&str, Program)] = &[
    (
        "an insert again and again",
        program(
            1,
            [
                &[Shrink, Shrink],
                &[
                    Insert(0),
                    Contains(0),
                    Remove(0),
                    Contains(0),
                    Insert(0),
                    Contains(0),
                ],
                &[],
            ],
        ),
    ),
    (
        "two inserts and two attempts",
        program(
            1,
            [
                &[Shrink, Shrink],
                &[Insert(0), Contains(0)],
                &[Insert(1), Contains(1), Remove(1)],
            ],
        ),
    ),
    (
        "two that shrink, and an insert",
        program(
            1,
            [
                &[Shrink, Shrink],
                &[Shrink, Shrink],
                &[Insert(0), Contains(0), Remove(0), Contains(0)],
            ],
        ),
    ),
    (
        "a table that is added",
        program(
            1,
            [
                &[AddTable, Insert(0), Contains(0), Remove(0)],
                &[Shrink, Shrink],
                &[Insert(1), Contains(1), Remove(1)],
            ],
        ),
    ),
    (
        "two tables",
        program(
            2,
            [
                &[Shrink, Shrink],
                &[Insert(0), Contains(0), Remove(0)],
                &[Insert(1), Contains(1), Remove(1), Contains(1)],
            ],
        ),
    ),
    (
        "two tables, two that shrink",
        program(
            2,
            [
                &[Shrink, Shrink],
                &[Shrink],
                &[Insert(0), Contains(0), Remove(0), Insert(0), Contains(0)],
            ],
        ),
    ),
];
