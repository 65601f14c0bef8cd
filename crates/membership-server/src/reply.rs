//! Replies, in either version of the protocol.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use redis_protocol::error::RedisProtocolError;
use redis_protocol::{resp2, resp3};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Protocol {
    #[default]
    Resp2,
    Resp3,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// One line.
    Simple(&'static str),
    /// One line that begins with a word in capitals: the kind of the error.
    Error(Cow<'static, str>),
    Integer(i64),
    /// In RESP2, 1 or 0.
    Boolean(bool),
    Bulk(Bytes),
    Nil,
    /// In place of an array: what EXEC replies if it runs nothing.
    NoArray,
    Array(Vec<Reply>),
    /// In RESP2, an array of keys and values by turns.
    Map(Vec<(Reply, Reply)>),
}

impl Reply {
    pub(crate) const OK: Self = Self::Simple("OK");

    pub(crate) fn error(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Error(text.into())
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Bulk(text.into().into())
    }

    pub(crate) fn number(number: usize) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }

    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Appends it to what is to be sent.
    pub(crate) fn encode(
        self,
        protocol: Protocol,
        out: &mut BytesMut,
    ) -> Result<(), RedisProtocolError> {
        match protocol {
            // The encoder knows only the other nothing, in place of a bulk string.
            Protocol::Resp2 if self == Self::NoArray => {
                out.extend_from_slice(b"*-1\r\n");
                0
            }
            Protocol::Resp2 => resp2::encode::extend_encode(out, &self.resp2(), false)?,
            Protocol::Resp3 => resp3::encode::complete::extend_encode(out, &self.resp3(), false)?,
        };
        Ok(())
    }

    fn resp2(self) -> resp2::types::BytesFrame {
        use resp2::types::BytesFrame as Frame;
        match self {
            Self::Simple(text) => Frame::SimpleString(Bytes::from_static(text.as_bytes())),
            Self::Error(text) => Frame::Error(one_line(text).into()),
            Self::Integer(number) => Frame::Integer(number),
            Self::Boolean(is_true) => Frame::Integer(is_true.into()),
            Self::Bulk(bytes) => Frame::BulkString(bytes),
            Self::Nil | Self::NoArray => Frame::Null,
            Self::Array(parts) => Frame::Array(parts.into_iter().map(Self::resp2).collect()),
            Self::Map(pairs) => Frame::Array(
                pairs
                    .into_iter()
                    .flat_map(|(key, value)| [key.resp2(), value.resp2()])
                    .collect(),
            ),
        }
    }

    fn resp3(self) -> resp3::types::BytesFrame {
        use resp3::types::BytesFrame as Frame;
        let attributes = None;
        match self {
            Self::Simple(text) => Frame::SimpleString {
                data: Bytes::from_static(text.as_bytes()),
                attributes,
            },
            Self::Error(text) => Frame::SimpleError {
                data: one_line(text).into(),
                attributes,
            },
            Self::Integer(data) => Frame::Number { data, attributes },
            Self::Boolean(data) => Frame::Boolean { data, attributes },
            Self::Bulk(data) => Frame::BlobString { data, attributes },
            Self::Nil | Self::NoArray => Frame::Null,
            Self::Array(parts) => Frame::Array {
                data: parts.into_iter().map(Self::resp3).collect(),
                attributes,
            },
            Self::Map(pairs) => Frame::Map {
                data: pairs
                    .into_iter()
                    .map(|(key, value)| (key.resp3(), value.resp3()))
                    .collect(),
                attributes,
            },
        }
    }
}

impl From<cf::Reply> for Reply {
    fn from(reply: cf::Reply) -> Self {
        cf::Value::from(reply).into()
    }
}

impl From<cf::Value> for Reply {
    fn from(value: cf::Value) -> Self {
        match value {
            cf::Value::Done => Self::OK,
            cf::Value::Integer(number) => Self::Integer(number),
            cf::Value::Boolean(is_so) => Self::Boolean(is_so),
            cf::Value::Bulk(bytes) => Self::Bulk(bytes.into()),
            cf::Value::Nil => Self::Nil,
            cf::Value::Array(values) => Self::Array(values.into_iter().map(Self::from).collect()),
            cf::Value::Map(pairs) => {
                let pairs = pairs.into_iter();
                let pairs = pairs.map(|(name, number)| (Self::Simple(name), Self::Integer(number)));
                Self::Map(pairs.collect())
            }
        }
    }
}

impl From<cf::Error> for Reply {
    fn from(error: cf::Error) -> Self {
        // Which option of this server sets the limit.
        let option = match error {
            cf::Error::TooLong { .. } => " (--max-item)",
            cf::Error::CannotGrow(_) => " (--max-growth)",
            cf::Error::NoMemoryToGrow(_) => " (--max-memory)",
            _ => "",
        };
        Self::error(error.line() + option)
    }
}

/// What a client sent may be part of the text, and must not end the line.
fn one_line(text: Cow<'static, str>) -> String {
    text.replace(|character: char| character.is_control(), " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(reply: Reply, protocol: Protocol) -> String {
        let mut out = BytesMut::new();
        reply.encode(protocol, &mut out).expect("encodes");
        String::from_utf8(out.to_vec()).expect("text")
    }

    #[test]
    fn a_map_is_an_array_in_the_older_version() {
        let map = || Reply::Map(vec![(Reply::text("a"), Reply::Integer(-1))]);
        assert_eq!(encoded(map(), Protocol::Resp2), "*2\r\n$1\r\na\r\n:-1\r\n");
        assert_eq!(encoded(map(), Protocol::Resp3), "%1\r\n$1\r\na\r\n:-1\r\n");
    }

    #[test]
    fn nothing_and_truth_have_forms_of_their_own_in_the_newer_version() {
        assert_eq!(encoded(Reply::Boolean(true), Protocol::Resp2), ":1\r\n");
        assert_eq!(encoded(Reply::Boolean(true), Protocol::Resp3), "#t\r\n");
        assert_eq!(encoded(Reply::Boolean(false), Protocol::Resp3), "#f\r\n");
        assert_eq!(encoded(Reply::Nil, Protocol::Resp2), "$-1\r\n");
        assert_eq!(encoded(Reply::Nil, Protocol::Resp3), "_\r\n");
    }

    #[test]
    fn an_error_stays_on_its_line() {
        let error = || Reply::error("ERR unknown command 'a\r\n+OK'");
        for protocol in [Protocol::Resp2, Protocol::Resp3] {
            assert_eq!(
                encoded(error(), protocol),
                "-ERR unknown command 'a  +OK'\r\n"
            );
        }
    }
}
