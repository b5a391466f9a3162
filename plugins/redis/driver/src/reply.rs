//! Replies: RESP2, and RESP3 where a server uses it.
//!
//! A reply is a tree whose leaves lie one after another in the buffer, so that parsing needs no
//! stack: it counts how many elements are still to come. A scan remembers the place where it ran
//! out of bytes and goes on there.

use weighhouse_driver_api::{Malformed, Operation, Outcome};

use crate::error_outcome;

/// Longest line of a header, an error or a simple string.
const LONGEST_LINE: usize = 64 << 10;
/// Longest bulk string, and most elements of an aggregate, that a server may announce.
const LARGEST: usize = 512 << 20;

/// What an element is, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `+` `:` `,` `(` `#`: a line.
    Line,
    /// `-` `!`
    Error,
    /// `$` `=`
    Bulk,
    /// `*` `~` `%`
    Aggregate,
    /// `_`, `$-1`, `*-1`
    Null,
}

/// Where parsing of the replies to one request stands.
#[derive(Debug, Default)]
pub struct Scan {
    /// Where the reply that is looked at begins.
    pub(crate) base: usize,
    /// Replies that are complete.
    pub(crate) replies: u16,
    /// What they came to: the first error, or the first that is not all right.
    pub(crate) outcome: Option<Outcome>,
    /// Some reply was a redirection.
    pub(crate) redirected: bool,
    pub(crate) reply: ReplyScan,
}

impl Scan {
    /// Whether nothing was looked at yet.
    #[inline]
    pub(crate) fn is_fresh(&self) -> bool {
        (self.base | self.reply.position) == 0
    }

    /// A reply is complete.
    pub(crate) fn add(&mut self, reply: &Reply, outcome: Outcome) {
        self.base += reply.end;
        self.replies += 1;
        self.reply = ReplyScan::default();
        self.outcome = Some(match (self.outcome, outcome) {
            (None | Some(Outcome::Ok), outcome) => outcome,
            (Some(Outcome::NotFound), Outcome::Error(_)) => outcome,
            (Some(known), _) => known,
        });
    }
}

/// Where parsing of a reply stands.
#[derive(Debug, Default)]
pub(crate) struct ReplyScan {
    position: usize,
    /// Elements still to come; none before the first.
    outstanding: Option<usize>,
    /// Elements of a push message or of attributes, which come before the reply itself.
    aside: bool,
    top: Option<Top>,
    /// Some element below the top is not null.
    filled: bool,
}

#[derive(Debug, Clone, Copy)]
struct Top {
    kind: Kind,
    start: usize,
    line_end: usize,
}

/// A complete reply.
#[derive(Debug)]
pub(crate) struct Reply {
    top: Top,
    filled: bool,
    pub(crate) end: usize,
}

/// Whether an error sends the command to another server of a cluster.
pub(crate) fn redirects(message: &[u8]) -> bool {
    message.starts_with(b"MOVED ") || message.starts_with(b"ASK ")
}

/// The line that begins at a place: its end, without `\r\n`.
fn line(input: &[u8], start: usize) -> Result<Option<usize>, Malformed> {
    let rest = input.get(start..).unwrap_or_default();
    let Some(length) = memchr::memchr(b'\r', rest) else {
        if rest.len() > LONGEST_LINE {
            return Err(Malformed("a line without an end"));
        }
        return Ok(None);
    };
    match rest.get(length + 1) {
        None => Ok(None),
        Some(b'\n') => Ok(Some(start + length)),
        Some(_) => Err(Malformed("a carriage return inside a line")),
    }
}

/// The number of a header; none for -1.
fn number(digits: &[u8]) -> Result<Option<usize>, Malformed> {
    if digits == b"-1" {
        return Ok(None);
    }
    if digits.is_empty() || digits.len() > 9 {
        return Err(Malformed("a length that is none"));
    }
    let mut value = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return Err(Malformed("a length that is none"));
        }
        value = value * 10 + usize::from(digit - b'0');
    }
    if value > LARGEST { Err(Malformed("a length beyond all bounds")) } else { Ok(Some(value)) }
}

impl ReplyScan {
    /// Goes on; a reply when it is complete.
    pub(crate) fn advance(&mut self, input: &[u8]) -> Result<Option<Reply>, Malformed> {
        while self.outstanding != Some(0) {
            let start = self.position;
            let Some(&sign) = input.get(start) else { return Ok(None) };
            let Some(line_end) = line(input, start + 1)? else { return Ok(None) };
            let text = &input[start + 1..line_end];
            let mut next = line_end + 2;
            let mut children = 0;
            let kind = match sign {
                b'+' | b':' | b',' | b'(' | b'#' => Kind::Line,
                b'-' => Kind::Error,
                b'_' => Kind::Null,
                b'$' | b'=' | b'!' => match number(text)? {
                    None => Kind::Null,
                    Some(length) => {
                        next += length + 2;
                        if input.len() < next {
                            return Ok(None);
                        }
                        if input[next - 2..next] != *b"\r\n" {
                            return Err(Malformed("a string that is not as long as announced"));
                        }
                        if sign == b'!' { Kind::Error } else { Kind::Bulk }
                    }
                },
                b'*' | b'~' | b'%' | b'>' | b'|' => match number(text)? {
                    None => Kind::Null,
                    Some(count) => {
                        children = if matches!(sign, b'%' | b'|') { count * 2 } else { count };
                        Kind::Aggregate
                    }
                },
                _ => return Err(Malformed("an element of no known type")),
            };
            self.position = next;
            if let Some(outstanding) = self.outstanding {
                self.outstanding = Some(outstanding - 1 + children);
                self.filled |= kind != Kind::Null && !self.aside;
            } else {
                self.aside = matches!(sign, b'>' | b'|');
                self.outstanding = Some(children);
                if !self.aside {
                    self.top = Some(Top { kind, start, line_end });
                }
            }
            if self.aside && self.outstanding == Some(0) {
                self.outstanding = None;
                self.aside = false;
            }
        }
        let Some(top) = self.top else { return Err(Malformed("no reply")) };
        Ok(Some(Reply { top, filled: self.filled, end: self.position }))
    }
}

impl Reply {
    /// Whether it is an aggregate with something in it.
    pub(crate) fn is_filled(&self) -> bool {
        self.filled
    }

    /// Whether it sends the command to another server.
    pub(crate) fn redirects(&self, input: &[u8]) -> bool {
        let text = input.get(self.top.start + 1..self.top.line_end).unwrap_or_default();
        self.top.kind == Kind::Error && redirects(text)
    }

    /// What the reply says.
    pub(crate) fn outcome(&self, input: &[u8], operation: Operation) -> Result<Outcome, Malformed> {
        let reads = matches!(operation, Operation::Read | Operation::Scan);
        match self.top.kind {
            Kind::Error => {
                let text = if input.get(self.top.start) == Some(&b'!') {
                    input.get(self.top.line_end + 2..self.end)
                } else {
                    input.get(self.top.start + 1..self.top.line_end)
                };
                Ok(error_outcome(text.unwrap_or_default()))
            }
            Kind::Null if reads => Ok(Outcome::NotFound),
            Kind::Bulk if reads => Ok(Outcome::Ok),
            Kind::Aggregate if reads => {
                Ok(if self.filled { Outcome::Ok } else { Outcome::NotFound })
            }
            Kind::Line if operation == Operation::Delete => {
                let none = input.get(self.top.start..self.top.line_end) == Some(b":0");
                Ok(if none { Outcome::NotFound } else { Outcome::Ok })
            }
            Kind::Line if !reads => Ok(Outcome::Ok),
            _ => Err(Malformed("a reply to another command")),
        }
    }
}

/// Any complete reply, for what is read seldom.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Number(i64),
    /// A string of any kind, an error too.
    Text(&'a [u8]),
    List(Vec<Self>),
}

/// Aggregates within aggregates that are taken in.
const DEEPEST: usize = 8;

/// Reads a complete reply whole; none when it is of no known type, or too deep.
pub(crate) fn tree(reply: &[u8]) -> Option<Value<'_>> {
    element(reply, 0, DEEPEST).map(|(value, _)| value)
}

fn element(reply: &[u8], start: usize, depth: usize) -> Option<(Value<'_>, usize)> {
    let sign = *reply.get(start)?;
    let line_end = line(reply, start + 1).ok()??;
    let text = &reply[start + 1..line_end];
    let next = line_end + 2;
    Some(match sign {
        b':' => (Value::Number(std::str::from_utf8(text).ok()?.parse().ok()?), next),
        b'+' | b'-' | b',' | b'(' | b'#' => (Value::Text(text), next),
        b'_' => (Value::Null, next),
        b'$' | b'=' | b'!' => match number(text).ok()? {
            None => (Value::Null, next),
            Some(length) => (Value::Text(reply.get(next..next + length)?), next + length + 2),
        },
        b'*' | b'~' | b'%' => {
            let Some(count) = number(text).ok()? else { return Some((Value::Null, next)) };
            let count = if sign == b'%' { count * 2 } else { count };
            let depth = depth.checked_sub(1)?;
            let (mut values, mut at) = (Vec::new(), next);
            for _ in 0..count {
                let (value, end) = element(reply, at, depth)?;
                values.push(value);
                at = end;
            }
            (Value::List(values), at)
        }
        _ => return None,
    })
}

/// The elements of an array of strings, those that are null among them; what is no string ends it.
pub(crate) fn optional_bulks(reply: &[u8]) -> Vec<Option<&[u8]>> {
    let mut elements = Vec::new();
    let mut position = line(reply, 1).ok().flatten().map_or(reply.len(), |end| end + 2);
    while let Some(&sign) = reply.get(position) {
        let Ok(Some(line_end)) = line(reply, position + 1) else { break };
        let length = if sign == b'_' { Ok(None) } else { number(&reply[position + 1..line_end]) };
        position = line_end + 2;
        match (sign, length) {
            (b'$' | b'=', Ok(Some(length))) => {
                let Some(value) = reply.get(position..position + length) else { break };
                elements.push(Some(value));
                position += length + 2;
            }
            (b'$' | b'_', Ok(None)) => elements.push(None),
            _ => break,
        }
    }
    elements
}

/// The bulk strings of a complete reply: the top itself, or the elements of a flat aggregate.
pub(crate) fn bulks(reply: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let mut position = 0;
    if matches!(reply.first(), Some(b'*' | b'%' | b'~')) {
        position = line(reply, 1).ok()?? + 2;
    }
    Some(std::iter::from_fn(move || {
        if !matches!(reply.get(position), Some(b'$' | b'=')) {
            return None;
        }
        let line_end = line(reply, position + 1).ok()??;
        let length = number(&reply[position + 1..line_end]).ok()??;
        let value = reply.get(line_end + 2..line_end + 2 + length)?;
        position = line_end + 2 + length + 2;
        Some(value)
    }))
}
