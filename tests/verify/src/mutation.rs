//! Runs a suite of tests, then checks the tests themselves: each mutant is the crate with one piece taken out,
//! and the test that it names must fail.
//!
//! Most suites are packages whose tests need a build of their own.

mod build;
mod command_line;
mod copy;
mod crew;
mod run;

use crate::pieces::Piece;

pub use command_line::main;

/// The crate with one piece taken out, and the test that notices.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// What is missing.
    pub piece: &'static Piece,
    /// The test that must fail, as `file::test`; `lib::test` is one of the library itself.
    pub killer: &'static str,
    /// What the failing test says.
    pub message: &'static str,
}

/// A package of tests, and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// Begins the lines that sum up, and names the directory of the build.
    pub name: &'static str,
    /// What its tests are called, in the plural.
    pub checks: &'static str,
    /// What they print a number of, before a colon: their share of the work. Empty if they print none.
    pub unit: &'static str,
    /// How it is called.
    pub command: &'static str,
    /// More to say under `--help`.
    pub about: &'static str,
    /// The package of the tests.
    pub package: &'static str,
    /// Where that package lies in the project. In its root, the suite is the tests whose files are named after it, and
    /// those in the files of its killers.
    pub directory: &'static str,
    /// The `RUSTFLAGS` that choose the build. Without any, it is that of `cargo test`.
    pub flags: &'static str,
    /// The profile of the build.
    pub profile: &'static str,
    /// More arguments of `cargo test`.
    pub arguments: &'static [&'static str],
    /// What the tests must notice.
    pub mutants: &'static [Mutant],
}

/// The environment variable that is set while a mutant is checked: what it breaks may cut a test short, or take more
/// schedules to find. The suites have the name a second time, so that they need not be built with this package.
pub const CHECKING_A_MUTANT: &str = "CHECKING_A_MUTANT";
