//! A word of the number line: 0, then tokens or references, then GONE.

use std::fmt;

use super::geometry::{Class, Lane, Levels};
use crate::replay::Entry;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word(u16);

/// Slots that a word has at most.
pub(super) const SLOTS: usize = 3;

const LANE_BITS: u32 = 5;
const TOKENS: u16 = 1 << 15;
const REFERENCE: u16 = 1 << 14;

impl Word {
    /// No bucket yet, or no more.
    pub const UNBORN: Self = Self(0);
    /// Split: its tokens are in its children.
    pub const GONE: Self = Self(1);
    /// A bucket without tokens.
    pub const EMPTY: Self = Self(TOKENS);

    /// The reference to a use of a descriptor.
    pub const fn reference(index: usize, uses: u8) -> Self {
        Self(REFERENCE | (index as u16) << 8 | uses as u16)
    }

    /// The descriptor and the number of the use.
    pub const fn named(self) -> (usize, u8) {
        ((self.0 >> 8 & 7) as usize, self.0 as u8)
    }

    pub const fn is_plain(self) -> bool {
        self.0 & TOKENS != 0
    }

    pub const fn is_reference(self) -> bool {
        self.0 & REFERENCE != 0 && !self.is_plain()
    }

    pub fn lanes(self) -> impl Iterator<Item = Lane> + Clone {
        let lane = move |slot| (self.0 >> (LANE_BITS * slot) & 0x1f) as Lane;
        let all = if self.is_plain() {
            0..SLOTS as u32
        } else {
            0..0
        };
        all.map(lane).filter(|&lane| lane != 0)
    }

    pub fn tokens(self) -> usize {
        self.lanes().count()
    }

    /// With a token added, if there is room.
    pub fn with(self, lane: Lane, slots: usize) -> Option<Self> {
        (self.tokens() < slots).then(|| self.put(lane))
    }

    fn put(self, lane: Lane) -> Self {
        let mut left = lane;
        let mut word = TOKENS;
        for slot in 0..SLOTS as u32 {
            let here = (self.0 >> (LANE_BITS * slot) & 0x1f) as Lane;
            let greater = here.max(left);
            left = here.min(left);
            word |= u16::from(greater) << (LANE_BITS * slot);
        }
        Self(word)
    }

    /// With one of its tokens taken out.
    pub fn without(self, lane: Lane) -> Option<Self> {
        let at = self.lanes().position(|other| other == lane)?;
        let others = self.lanes().enumerate().filter(|&(slot, _)| slot != at);
        Some(others.fold(Self::EMPTY, |word, (_, other)| word.put(other)))
    }

    /// The two children; `None` if a token has no tail.
    pub fn split(self, levels: &Levels, number: u8) -> Option<[Self; 2]> {
        let mut children = [Self::EMPTY; 2];
        for lane in self.lanes() {
            let (child, lane) = levels.split(lane, number)?;
            let child = &mut children[usize::from(child)];
            *child = child.put(lane);
        }
        Some(children)
    }

    pub fn classes(self, levels: Levels, number: u8) -> impl Iterator<Item = Class> + Clone {
        self.lanes().map(move |lane| levels.class_of(number, lane))
    }
}

impl Entry for Word {
    const LEN: usize = 2;

    fn put(self, to: &mut [u8]) {
        self.0.put(to);
    }

    fn get(from: &[u8]) -> Self {
        Self(u16::get(from))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UNBORN => write!(out, "0"),
            Self::GONE => write!(out, "GONE"),
            word if word.is_plain() => {
                let lanes: Vec<String> = word.lanes().map(|lane| format!("{lane:o}")).collect();
                write!(out, "[{}]", lanes.join(" "))
            }
            word => {
                let (index, uses) = word.named();
                write!(out, "<descriptor {index}, use {uses}>")
            }
        }
    }
}
