//! Requests: finds the end and the parts of a request in the bytes of a client.
//!
//! A request is an array of bulk strings, or a line of words (an inline command). [`Scanner`] goes
//! over the bytes once, however they are cut, and refuses a request that is too long before it has
//! arrived. Only complete requests within the limits are split into their parts.

/// The limits of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestLimits {
    /// The bytes of a request.
    pub(crate) bytes: usize,
    pub(crate) arguments: usize,
}

/// The reason why a connection has to end: the next request cannot be found behind a wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProtocolError {
    #[error("expected '$'")]
    ExpectedBulk,
    #[error("invalid multibulk length")]
    ArrayLength,
    #[error("invalid bulk length")]
    BulkLength,
    #[error("a bulk string does not end with CRLF")]
    BulkEnd,
    #[error("too big inline request")]
    InlineTooLong,
    #[error("too big request")]
    TooLong,
    #[error("quotes in an inline request: what has blanks in it goes into an array")]
    Quotes,
    #[error("malformed request")]
    Malformed,
}

/// The longest line: an inline command, or a length.
const LONGEST_LINE: usize = 64 << 10;

/// A search for the end of the first request in a growing buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scanner {
    /// The number of scanned bytes.
    at: usize,
    /// The arguments that are still to come; `None` before the first line is complete.
    missing: Option<usize>,
}

impl Scanner {
    /// Returns the length of the first request of `bytes`, once it is complete. Until then, the
    /// next call must be for the same bytes with more behind them.
    pub(crate) fn end(
        &mut self,
        bytes: &[u8],
        limits: RequestLimits,
    ) -> Result<Option<usize>, ProtocolError> {
        if bytes.first().is_some_and(|&first| first != b'*') {
            return self.end_of_line(bytes, limits);
        }
        loop {
            match self.missing {
                Some(0) => {
                    let end = self.at;
                    *self = Self::default();
                    return Ok(Some(end));
                }
                None => {
                    let Some((arguments, next)) = number(bytes, 1, ProtocolError::ArrayLength)?
                    else {
                        return Ok(None);
                    };
                    // An empty array and the null array are empty requests.
                    let arguments = usize::try_from(arguments.max(0))
                        .ok()
                        .filter(|&arguments| arguments <= limits.arguments)
                        .ok_or(ProtocolError::ArrayLength)?;
                    (self.at, self.missing) = (next, Some(arguments));
                }
                Some(missing) => {
                    let Some(next) = self.end_of_bulk(bytes, limits)? else {
                        return Ok(None);
                    };
                    (self.at, self.missing) = (next, Some(missing - 1));
                }
            }
        }
    }

    fn end_of_bulk(
        self,
        bytes: &[u8],
        limits: RequestLimits,
    ) -> Result<Option<usize>, ProtocolError> {
        match bytes.get(self.at) {
            None => return Ok(None),
            Some(b'$') => {}
            Some(_) => return Err(ProtocolError::ExpectedBulk),
        }
        let Some((length, content)) = number(bytes, self.at + 1, ProtocolError::BulkLength)? else {
            return Ok(None);
        };
        let length = usize::try_from(length).map_err(|_| ProtocolError::BulkLength)?;
        let end = content
            .checked_add(length)
            .and_then(|end| end.checked_add(2))
            .filter(|&end| end <= limits.bytes)
            .ok_or(ProtocolError::TooLong)?;
        match bytes.get(end - 2..end) {
            None => Ok(None),
            Some(b"\r\n") => Ok(Some(end)),
            Some(_) => Err(ProtocolError::BulkEnd),
        }
    }

    fn end_of_line(
        &mut self,
        bytes: &[u8],
        limits: RequestLimits,
    ) -> Result<Option<usize>, ProtocolError> {
        let longest = LONGEST_LINE.min(limits.bytes);
        let newline = bytes[self.at..].iter().position(|&byte| byte == b'\n');
        let end = newline.map_or(bytes.len(), |newline| self.at + newline + 1);
        if end > longest {
            return Err(ProtocolError::InlineTooLong);
        }
        self.at = if newline.is_some() { 0 } else { end };
        Ok(newline.map(|_| end))
    }
}

/// Parses the number in the line that begins at `start`. Returns it, and where the next line
/// begins.
fn number(
    bytes: &[u8],
    start: usize,
    wrong: ProtocolError,
) -> Result<Option<(i64, usize)>, ProtocolError> {
    // More digits than any number has.
    const LONGEST: usize = 32;
    let line = bytes.get(start..).unwrap_or_default();
    let Some(end) = line.iter().take(LONGEST).position(|&byte| byte == b'\r') else {
        return if line.len() < LONGEST {
            Ok(None)
        } else {
            Err(wrong)
        };
    };
    match line.get(end + 1) {
        None => return Ok(None),
        Some(b'\n') => {}
        Some(_) => return Err(wrong),
    }
    let text = std::str::from_utf8(&line[..end]).map_err(|_| wrong)?;
    let number = text.parse().map_err(|_| wrong)?;
    Ok(Some((number, start + end + 2)))
}

/// Returns the arguments of one complete request, the name of the command first. Empty for an empty
/// request.
pub(crate) fn arguments(request: &[u8]) -> Result<Vec<&[u8]>, ProtocolError> {
    if request.first() != Some(&b'*') {
        return inline(request);
    }
    if request.get(1) == Some(&b'-') {
        return Ok(Vec::new());
    }
    let whole = |part: Option<(i64, usize)>| part.ok_or(ProtocolError::Malformed);
    let (parts, mut at) = whole(number(request, 1, ProtocolError::Malformed)?)?;
    let argument = |_| {
        let (length, start) = whole(number(request, at + 1, ProtocolError::Malformed)?)?;
        let length = usize::try_from(length).map_err(|_| ProtocolError::Malformed)?;
        let bytes = request.get(start..).and_then(|rest| rest.get(..length));
        let bytes = bytes.ok_or(ProtocolError::Malformed)?;
        at = start + length + 2;
        Ok(bytes)
    };
    (0..parts).map(argument).collect()
}

/// Splits a line into words between blanks.
fn inline(line: &[u8]) -> Result<Vec<&[u8]>, ProtocolError> {
    if line.iter().any(|byte| matches!(byte, b'"' | b'\'')) {
        return Err(ProtocolError::Quotes);
    }
    let words = line.split(u8::is_ascii_whitespace);
    Ok(words.filter(|word| !word.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: RequestLimits = RequestLimits {
        bytes: 64,
        arguments: 3,
    };

    #[test]
    fn finds_the_end_in_bytes_cut_anywhere() {
        let request = b"*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n";
        let mut scanner = Scanner::default();
        for cut in 0..request.len() {
            assert_eq!(scanner.end(&request[..cut], LIMITS), Ok(None), "{cut}");
        }
        let mut more = request.to_vec();
        more.extend(b"*1");
        assert_eq!(scanner.end(&more, LIMITS), Ok(Some(request.len())));
        assert_eq!(
            arguments(request),
            Ok(vec![b"GET".as_slice(), b"a\r\nb".as_slice()])
        );
    }
}
