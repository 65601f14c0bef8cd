//! What a command replies, for the caller to put into the words of its protocol.

/// A reply to a command that was not refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// `OK`.
    Done,
    /// Yes or no, for one item.
    Whether(bool),
    /// The same for each of many items, in their order.
    Each(Vec<Answer>),
    /// The same as numbers in every protocol: what `CF.INSERTNX` replies.
    Numbers(Vec<Answer>),
    /// The copies of an item.
    Count(usize),
    /// What there is to say of a filter: names and values, in an order that clients may count on.
    Info(Vec<(&'static str, u64)>),
    /// What `CF.DEBUG` says of a filter.
    Text(String),
    /// The next chunk of a dump, and the iterator to go on with; nothing behind the last.
    Chunk(Option<(i64, Vec<u8>)>),
}

/// The answer for one of many items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was added, or is in. RedisBloom replies 1.
    Yes,
    /// It was in before, or is not in: 0.
    No,
    /// There was no room for it: -1.
    Refused,
}

impl From<bool> for Answer {
    fn from(is_so: bool) -> Self {
        if is_so { Self::Yes } else { Self::No }
    }
}
