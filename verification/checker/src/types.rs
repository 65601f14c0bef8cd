//! The types of a machine, and the constants of an exploration.

use std::fmt::{Debug, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::notation::{Answer, Notation};

/// The types of what a thread remembers.
pub trait Entry: Copy + Serialize + DeserializeOwned {}

impl<T: Copy + Serialize + DeserializeOwned> Entry for T {}

/// The types of a machine besides those of its programs.
pub trait Types: Notation {
    /// A piece that can be taken out.
    type Mutant: Copy + Debug + Eq + Sync;
    /// The machine's knowledge of a program besides the shape.
    type Known: Clone + Debug;
    type Word: Entry + Eq;
    type Copied: Copy + Debug + Display + Eq;
}

/// The result of a call of a machine.
pub(crate) type AnswerOf<M> = Answer<<M as Types>::Copied>;

/// The constants of an exploration.
#[derive(Clone, Debug)]
pub struct World<M: Types> {
    pub shape: M::Shape,
    pub known: M::Known,
    pub mutant: Option<M::Mutant>,
}
