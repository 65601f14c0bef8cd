//! Replies in the types of the protocol.

use crate::reply::{Answer, Reply};

/// A reply in the types of RESP3. RESP2 has no booleans and no maps: there they are 1 and 0, and an array of names and
/// values by turns.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The simple string `OK`.
    Done,
    /// A number.
    Integer(i64),
    /// A yes or a no.
    Boolean(bool),
    /// A bulk string.
    Bulk(Vec<u8>),
    /// Nothing.
    Nil,
    /// Several.
    Array(Vec<Value>),
    /// A map of simple strings to numbers.
    Map(Vec<(&'static str, i64)>),
}

impl From<Reply> for Value {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Done => Self::Done,
            Reply::Whether(is_so) => Self::Boolean(is_so),
            Reply::Each(answers) => Self::Array(answers.into_iter().map(each).collect()),
            Reply::Numbers(answers) => Self::Array(answers.into_iter().map(number).collect()),
            Reply::Count(copies) => Self::Integer(integer(copies as u64)),
            Reply::Info(info) => {
                let pairs = info.into_iter();
                Self::Map(pairs.map(|(name, value)| (name, integer(value))).collect())
            }
            Reply::Text(text) => Self::Bulk(text.into_bytes()),
            Reply::Chunk(Some((iterator, bytes))) => {
                Self::Array(vec![Self::Integer(iterator), Self::Bulk(bytes)])
            }
            Reply::Chunk(None) => Self::Array(vec![Self::Integer(0), Self::Nil]),
        }
    }
}

/// A boolean, unless the item was refused: a false would say that it is in.
fn each(answer: Answer) -> Value {
    match answer {
        Answer::Yes => Value::Boolean(true),
        Answer::No => Value::Boolean(false),
        Answer::Refused => Value::Integer(-1),
    }
}

fn number(answer: Answer) -> Value {
    Value::Integer(match answer {
        Answer::Yes => 1,
        Answer::No => 0,
        Answer::Refused => -1,
    })
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reply_has_its_types() {
        let answers = || vec![Answer::Yes, Answer::No, Answer::Refused];
        let array = |values: [Value; 3]| Value::Array(values.into());
        for (reply, expected) in [
            (Reply::Done, Value::Done),
            (Reply::Whether(true), Value::Boolean(true)),
            (Reply::Count(7), Value::Integer(7)),
            (
                Reply::Each(answers()),
                array([
                    Value::Boolean(true),
                    Value::Boolean(false),
                    Value::Integer(-1),
                ]),
            ),
            (
                Reply::Numbers(answers()),
                array([1, 0, -1].map(Value::Integer)),
            ),
            (
                Reply::Info(vec![("Size", u64::MAX)]),
                Value::Map(vec![("Size", i64::MAX)]),
            ),
            (Reply::Text("a".to_owned()), Value::Bulk(b"a".to_vec())),
            (
                Reply::Chunk(Some((5, b"bytes".to_vec()))),
                Value::Array(vec![Value::Integer(5), Value::Bulk(b"bytes".to_vec())]),
            ),
            (
                Reply::Chunk(None),
                Value::Array(vec![Value::Integer(0), Value::Nil]),
            ),
        ] {
            assert_eq!(Value::from(reply), expected);
        }
    }
}
