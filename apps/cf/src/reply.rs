//! Replies of commands, in the types of RESP3.

/// A reply to a command that was not refused, in the types of RESP3. RESP2 has no booleans and no
/// maps: there they are 1 and 0, and an array of alternating names and values.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The simple string `OK`.
    Done,
    /// A number.
    Integer(i64),
    /// A yes or a no.
    Boolean(bool),
    /// A bulk string.
    Bulk(Vec<u8>),
    /// A null.
    Nil,
    /// An array.
    Array(Vec<Reply>),
    /// A map of simple strings to numbers, in an order that clients may count on.
    Map(Vec<(&'static str, i64)>),
}

impl Reply {
    /// Replies with the next chunk of a dump, and the iterator to go on with; with 0 and a null
    /// behind the last.
    pub fn chunk(chunk: Option<(i64, Vec<u8>)>) -> Self {
        let (iterator, bytes) = match chunk {
            Some((iterator, bytes)) => (iterator, Self::Bulk(bytes)),
            None => (0, Self::Nil),
        };
        Self::Array(vec![Self::Integer(iterator), bytes])
    }
}

/// The answer for one of many items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There was no room for it.
    Refused = -1,
    /// It was stored before, or is absent.
    No = 0,
    /// It was added, or is stored.
    Yes = 1,
}

impl From<bool> for Answer {
    fn from(is_so: bool) -> Self {
        if is_so { Self::Yes } else { Self::No }
    }
}

/// Makes a boolean, or a number if the item was refused: false would say that it is stored.
impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Refused => Self::Integer(-1),
            answer => Self::Boolean(answer == Answer::Yes),
        }
    }
}
