//! A filter whose rate of false positives is too high, and the layouts that would do.

use core::fmt;

use super::Rate;
use crate::layout::Shape;

/// A filter that has a rate of false positives at capacity of more than it may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooManyFalsePositives {
    /// The rate that was asked for.
    pub(crate) most: Rate,
    /// The rate of the layout.
    pub(crate) rate: Rate,
    /// The layout that the caller chose, or the one with the lowest rate.
    pub(crate) shape: Shape,
    pub(crate) content: Content,
    /// The layouts whose rate is low enough; `None` if the caller left the choice to the builder.
    pub(crate) others: Option<Shapes>,
}

/// What is in a filter when its rate is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// So many items in each table.
    Items { items: usize, tables: usize },
    /// The only table has no vacant slot: of a growing filter, which has no other layout.
    Full,
}

/// A set of layouts.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shapes(u16);

impl Shapes {
    /// The layouts in it, in the order of [`Shape::ALL`].
    pub(crate) fn iter(self) -> impl Iterator<Item = Shape> {
        const { assert!(Shape::ALL.len() <= u16::BITS as usize) };
        let all = Shape::ALL.into_iter().enumerate();
        all.filter_map(move |(index, shape)| (self.0 >> index & 1 == 1).then_some(shape))
    }
}

impl FromIterator<Shape> for Shapes {
    fn from_iter<T: IntoIterator<Item = Shape>>(shapes: T) -> Self {
        Self(shapes.into_iter().fold(0, |set, shape| {
            let index = Shape::ALL.iter().position(|&other| other == shape);
            index.map_or(set, |index| set | 1 << index)
        }))
    }
}

impl fmt::Debug for Shapes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Content {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items { items, tables: 1 } => write!(out, "with {items} items"),
            Self::Items { items, tables } => {
                write!(out, "with {tables} generations of {items} items each")
            }
            Self::Full => out.write_str("when the first table is full"),
        }
    }
}

impl fmt::Display for TooManyFalsePositives {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            most,
            rate,
            shape,
            content,
            others,
        } = self;
        let most = most.exact();
        let Some(others) = others else {
            return write!(
                out,
                "a false-positive rate of {most} is too low for every layout: the lowest, that of `{shape}`, is {rate} \
                 {content}; set a higher one",
            );
        };
        write!(
            out,
            "a false-positive rate of {most} is too low for the layout `{shape}`, which has {rate} {content}: ",
        )?;
        if *content == Content::Full {
            return out.write_str("a growing filter has no other layout, so set a higher one");
        }
        let count = others.iter().count();
        for (index, other) in others.iter().enumerate() {
            let before = match index {
                0 => "use ",
                _ if index + 1 == count => " or ",
                _ => ", ",
            };
            write!(out, "{before}`{other}`")?;
        }
        if count == 0 {
            out.write_str("no other layout has so low a rate, so set a higher one")?;
        }
        Ok(())
    }
}
