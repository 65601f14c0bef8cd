//! The layouts of the words of the machine. What a word says is the matter of the [`model`];
//! [`conformance`](crate::fixed::conformance) compares the words that come out with those of the crate.

use model::Layout;

/// Those that programs made by chance have: half the slots are more of the protocol for the same states, and a
/// semi-sorted bucket has its tokens in another order.
pub const EXPLORED: [Layout; 3] = [Layout::DEFAULT, Layout::of(2, 31), Layout::of(4, 17)];

/// Those that such programs have if tokens carry values.
pub const VALUED: [Layout; 2] = [Layout::VALUED[0], Layout::VALUED[2]];
