//! Systems that spread their keys over several servers, each of which answers for its own.

/// A stretch of places, and the server that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The first place.
    pub first: u16,
    /// The last place, which belongs to it.
    pub last: u16,
    /// The server as `HOST:PORT`; no host where that is the one that was asked, and nothing where it
    /// is that very server.
    pub server: String,
    /// Servers with a copy, which reads may go to, written alike.
    pub replicas: Vec<String>,
}

/// Where an operation is to go instead of the server that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The server as `HOST:PORT`; no host where that is the one that was asked.
    pub server: String,
    /// Only this operation: its place is on the move, and [`Spread::encode_once`] goes before it.
    pub once: bool,
}

/// What a [`crate::Codec`] knows of where keys are.
pub trait Spread {
    /// How many places there are.
    fn places(&self) -> u16;

    /// Whether reads go to servers with a copy, and to no other.
    fn reads_copies(&self) -> bool {
        false
    }

    /// The place of a key, below [`Spread::places`].
    fn place(&self, key: &[u8]) -> u16;

    /// Appends the question which server has which places. It gives one reply, which
    /// [`crate::Codec::parse_greeting`] finds the end of.
    fn encode_question(&self, out: &mut Vec<u8>);

    /// Reads a complete reply to that question.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read_map(&self, reply: &[u8]) -> Result<Vec<Stretch>, String>;

    /// Reads a reply that [`crate::Parsed::Elsewhere`] was returned for; none when it names no
    /// server.
    fn read_elsewhere(&self, reply: &[u8]) -> Option<Elsewhere>;

    /// Appends what goes before a request that is sent elsewhere once. It gives one reply, which
    /// [`crate::Codec::parse_greeting`] finds the end of.
    fn encode_once(&self, out: &mut Vec<u8>);
}
