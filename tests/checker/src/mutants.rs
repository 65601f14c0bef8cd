//! Mutants: a machine with one piece taken out, and the program that must notice.

/// A mutant, what it lacks, and the program that kills it.
#[derive(Clone, Copy, Debug)]
pub struct Killed<Mutant> {
    pub mutant: Mutant,
    pub name: &'static str,
    pub killer: &'static str,
    pub message: &'static str,
}

/// The mutants of a machine, each with what it lacks, the race that kills it and what the failure says; behind them
/// those that no race kills.
macro_rules! mutants {
    (
        $($mutant:ident: $name:literal by $killer:literal, $message:literal;)*
        $({ $besides:ident: $why:literal })?
    ) => {
        /// One piece taken out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Mutant {
            $(#[doc = $name] $mutant,)*
            $(#[doc = $why] $besides,)?
        }

        /// The mutants that races kill.
        pub(crate) const MUTANTS: &[$crate::mutants::Killed<Mutant>] = &[$($crate::mutants::Killed {
            mutant: Mutant::$mutant,
            name: $name,
            killer: $killer,
            message: $message,
        }),*];
    };
}

pub(crate) use mutants;
