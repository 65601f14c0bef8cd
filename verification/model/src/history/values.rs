//! The calls on filters with values, on one class.

use std::collections::BTreeMap;

use super::{Call, Event, Outcome, linearizable};

/// The values of the copies, with the number of copies for each.
pub type Multiset = BTreeMap<u16, usize>;

/// One call on the class, with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueCall {
    /// `insert_value` of this value; whether it returned Ok.
    Insert(u16, bool),
    /// `insert_unique_value` of this value. `None` is an error.
    InsertUnique(u16, Option<Option<u16>>),
    /// `value`
    Value(Option<u16>),
    /// `replace_value` of the first by the second; whether it found one.
    Replace(u16, u16, bool),
    /// `remove_value` of this value; whether it found one.
    Remove(u16, bool),
}

/// The state is the multiset of values.
impl Outcome for ValueCall {
    type State = Multiset;

    fn possible(self, values: &Multiset) -> bool {
        match self {
            Self::Insert(..) | Self::InsertUnique(_, None) => true,
            Self::InsertUnique(_, Some(found)) | Self::Value(found) => match found {
                Some(value) => values.contains_key(&value),
                None => values.is_empty(),
            },
            Self::Replace(value, _, answer) | Self::Remove(value, answer) => {
                answer == values.contains_key(&value)
            }
        }
    }

    fn after(self, mut values: Multiset) -> Multiset {
        match self {
            Self::Insert(value, true) | Self::InsertUnique(value, Some(None)) => {
                add(&mut values, value);
            }
            Self::Replace(old, new, true) => {
                take(&mut values, old);
                add(&mut values, new);
            }
            Self::Remove(value, true) => take(&mut values, value),
            _ => {}
        }
        values
    }
}

impl ValueCall {
    /// Returns the call on the class without regard to values.
    #[must_use]
    pub fn of_the_class(self) -> Option<Call> {
        match self {
            Self::Insert(_, inserted) => Some(Call::Insert(inserted)),
            Self::InsertUnique(_, told) => {
                Some(Call::InsertUnique(told.map(|told| told.is_none())))
            }
            Self::Value(found) => Some(Call::Contains(found.is_some())),
            Self::Replace(_, _, true) => Some(Call::Contains(true)),
            Self::Remove(_, true) => Some(Call::Remove(true)),
            Self::Replace(_, _, false) | Self::Remove(_, false) => None,
        }
    }

    /// Returns the call on the tokens with one value.
    #[must_use]
    pub fn of_the_value(self, value: u16) -> Option<Call> {
        match self {
            Self::Insert(own, inserted) => (own == value).then_some(Call::Insert(inserted)),
            Self::InsertUnique(own, Some(None)) if own == value => Some(Call::Insert(true)),
            Self::InsertUnique(_, Some(found)) | Self::Value(found) => match found {
                None => Some(Call::Contains(false)),
                Some(found) => (found == value).then_some(Call::Contains(true)),
            },
            Self::InsertUnique(_, None) => None,
            Self::Replace(old, new, true) if old == new => {
                (old == value).then_some(Call::Contains(true))
            }
            Self::Replace(old, _, true) if old == value => Some(Call::Remove(true)),
            Self::Replace(_, new, true) => (new == value).then_some(Call::Insert(true)),
            Self::Replace(old, _, false) => (old == value).then_some(Call::Contains(false)),
            Self::Remove(own, removed) => (own == value).then_some(Call::Remove(removed)),
        }
    }
}

/// Whether an order explains the results of several threads for some of the tokens, beginning with
/// this number of them.
#[must_use]
pub fn explained(
    threads: &[&[Event<ValueCall>]],
    told: impl Fn(ValueCall) -> Option<Call>,
    copies: i64,
) -> bool {
    let said = |events: &&[Event<ValueCall>]| -> Vec<Event> {
        let said = |event: &Event<ValueCall>| {
            let (began, ended) = (event.began, event.ended);
            told(event.call).map(|call| Event { call, began, ended })
        };
        events.iter().filter_map(said).collect()
    };
    let said: Vec<Vec<Event>> = threads.iter().map(said).collect();
    let said: Vec<&[Event]> = said.iter().map(Vec::as_slice).collect();
    linearizable(&said, copies)
}

fn add(values: &mut Multiset, value: u16) {
    *values.entry(value).or_default() += 1;
}

/// Removes a value, which must be there: otherwise the call was not possible.
fn take(values: &mut Multiset, value: u16) {
    if let Some(copies) = values.get_mut(&value) {
        *copies -= 1;
        if *copies == 0 {
            values.remove(&value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(call: ValueCall, began: u64, ended: u64) -> Event<ValueCall> {
        Event { call, began, ended }
    }

    #[test]
    fn one_value_is_replaced_once() {
        let once = Multiset::from([(9, 1)]);
        let replacements = [4, 5].map(|new| [event(ValueCall::Replace(9, new, true), 0, 9)]);
        let both = replacements.each_ref().map(|calls| &calls[..]);
        assert!(!linearizable(&both, once.clone()));
        assert!(linearizable(&both[..1], once));
        assert!(linearizable(&both, Multiset::from([(9, 2)])));
    }

    /// A lookup sees the old value or the new one.
    #[test]
    fn old_value_or_new() {
        let replacement = [event(ValueCall::Replace(9, 4, true), 0, 2)];
        let explained = |began, ended, found| {
            let lookup = [event(ValueCall::Value(found), began, ended)];
            linearizable(&[&replacement, &lookup], Multiset::from([(9, 1)]))
        };
        assert!(explained(1, 3, Some(9)) && explained(1, 3, Some(4)));
        assert!(!explained(1, 3, None) && !explained(3, 4, Some(9)));
    }

    /// A schedule for which the class and the values have no common order.
    #[test]
    fn class_and_values_have_an_order_each() {
        let remover = [event(ValueCall::Remove(1, true), 0, 7)];
        let reader = [event(ValueCall::Value(None), 1, 8)];
        let other = [
            event(ValueCall::Insert(2, true), 2, 3),
            event(ValueCall::Value(Some(1)), 4, 5),
        ];
        let all = [&remover[..], &reader, &other];
        assert!(!linearizable(&all, Multiset::from([(1, 1)])));
        assert!(explained(&all, ValueCall::of_the_class, 1));
        assert!(explained(&all, |call| call.of_the_value(1), 1));
        assert!(explained(&all, |call| call.of_the_value(2), 0));
    }

    #[test]
    fn a_unique_insert_returns_a_stored_value() {
        let first = [event(ValueCall::InsertUnique(9, Some(None)), 0, 1)];
        let told = |value| [event(ValueCall::InsertUnique(4, Some(Some(value))), 2, 3)];
        assert!(linearizable(&[&first, &told(9)], Multiset::new()));
        assert!(!linearizable(&[&first, &told(4)], Multiset::new()));
    }
}
