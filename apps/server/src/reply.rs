//! Replies: written in either version of the protocol.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use bytes::{BufMut, Bytes, BytesMut};

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
    /// A boolean: 1 or 0 in RESP2.
    Boolean(bool),
    Bulk(Bytes),
    Nil,
    /// A null in place of an array, for an EXEC that runs nothing.
    NoArray,
    Array(Vec<Reply>),
    /// A map: an array of alternating keys and values in RESP2.
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

    /// Makes a map of names to values.
    pub(crate) fn pairs(pairs: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let pairs = pairs.into_iter();
        Self::Map(
            pairs
                .map(|(name, value)| (Self::text(name), value))
                .collect(),
        )
    }

    pub(crate) fn number(number: usize) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }

    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Appends the reply to the bytes to send.
    pub(crate) fn encode(&self, protocol: Protocol, out: &mut BytesMut) {
        let is_old = protocol == Protocol::Resp2;
        match self {
            Self::Simple(text) => line(out, b'+', text),
            // The text may contain input of a client, which must not end the line.
            Self::Error(text) => line(out, b'-', text.replace(char::is_control, " ")),
            Self::Integer(number) => line(out, b':', number),
            Self::Boolean(is_so) if is_old => line(out, b':', u8::from(*is_so)),
            Self::Boolean(is_so) => line(out, b'#', if *is_so { 't' } else { 'f' }),
            Self::Bulk(bytes) => {
                line(out, b'$', bytes.len());
                out.put_slice(bytes);
                out.put_slice(b"\r\n");
            }
            Self::Nil if is_old => out.put_slice(b"$-1\r\n"),
            Self::NoArray if is_old => out.put_slice(b"*-1\r\n"),
            Self::Nil | Self::NoArray => out.put_slice(b"_\r\n"),
            Self::Array(parts) => {
                line(out, b'*', parts.len());
                parts.iter().for_each(|part| part.encode(protocol, out));
            }
            Self::Map(pairs) => {
                if is_old {
                    line(out, b'*', 2 * pairs.len());
                } else {
                    line(out, b'%', pairs.len());
                }
                for (key, value) in pairs {
                    key.encode(protocol, out);
                    value.encode(protocol, out);
                }
            }
        }
    }
}

fn line(out: &mut BytesMut, kind: u8, text: impl Display) {
    out.put_u8(kind);
    // Writing into a buffer that grows does not fail.
    let _ = write!(out, "{text}\r\n");
}

impl From<cf::Reply> for Reply {
    fn from(reply: cf::Reply) -> Self {
        match reply {
            cf::Reply::Done => Self::OK,
            cf::Reply::Integer(number) => Self::Integer(number),
            cf::Reply::Boolean(is_so) => Self::Boolean(is_so),
            cf::Reply::Bulk(bytes) => Self::Bulk(bytes.into()),
            cf::Reply::Nil => Self::Nil,
            cf::Reply::Array(values) => Self::Array(values.into_iter().map(Self::from).collect()),
            cf::Reply::Map(pairs) => {
                let pairs = pairs.into_iter();
                let pairs = pairs.map(|(name, number)| (Self::Simple(name), Self::Integer(number)));
                Self::Map(pairs.collect())
            }
        }
    }
}

impl From<cf::Error> for Reply {
    fn from(error: cf::Error) -> Self {
        // Name the option of this server that sets the limit.
        let option = match error {
            cf::Error::TooLong { .. } => " (--max-item)",
            cf::Error::CannotGrow(_) => " (--max-growth)",
            cf::Error::NoMemoryToGrow { .. } => " (--max-memory)",
            _ => "",
        };
        Self::error(error.line() + option)
    }
}
