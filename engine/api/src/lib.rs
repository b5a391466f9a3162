//! What a driver of one database implements, and nothing else.
//!
//! A system with a wire protocol implements [`Codec`]: append a request to a buffer, find the reply
//! in a buffer. It owns no socket, no clock and no histogram, so that the engine alone decides when
//! something is sent, and measures every system in the same way. A system inside the process
//! implements [`Embedded`]; one that is reached through its makers' own client library implements
//! [`ClientDriver`].
//!
//! The floors: this crate knows nobody; the engine and the drivers know this crate and are blind to
//! each other; a driver's `main.rs` is where the two meet.

mod client;
mod counts;
mod expiry;
mod keys;
mod options;
mod outcome;
mod record;
pub mod said;
mod secret;
mod spread;
mod value;
mod way;

pub use client::{ClientDriver, ClientFailed};
pub use counts::Counts;
pub use expiry::Expiry;
pub use keys::Keys;
pub use options::Checked;
pub use outcome::{ErrorKind, Operation, Outcome};
pub use record::{Fields, Lengths, RecordShape};
pub use secret::Secret;
pub use spread::{Elsewhere, Spread, Stretch};
pub use value::{Payload, ValueSource, Verifier};
pub use way::{Secure, Server, Way};

/// Options of the target as they stand in the order: `target.options`.
pub type Options = serde_json::Map<String, serde_json::Value>;

/// An option that a driver does not take.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("target.options.{name}: {message}")]
pub struct OptionRefused {
    /// Name of the option.
    pub name: String,
    /// What is wrong with it, and what would be right.
    pub message: String,
}

impl OptionRefused {
    /// An option refused for a reason.
    pub fn new(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), message: message.into() }
    }
}

/// One operation to be done.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What to do.
    pub operation: Operation,
    /// The key as it travels, for example `user6284781860667377211`; where a scan begins.
    pub key: &'a [u8],
    /// Further keys of a read of several records ([`RecordShape::keys_per_read`]).
    pub more_keys: &'a Keys,
    /// Records that a scan asks for.
    pub scan_length: u16,
    /// Which fields to read or to write.
    pub fields: Fields,
    /// Writes the values of an update or an insert.
    pub payload: Payload<'a>,
}

impl Request<'_> {
    /// Seconds after which what this writes expires; none: never. Of an insert the same whenever the
    /// record is inserted; of an update drawn for each.
    #[must_use]
    #[inline]
    pub fn ttl_seconds(&self) -> Option<u32> {
        self.payload.ttl_seconds(self.operation == Operation::Insert)
    }
}

/// What a reply answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// What was asked.
    pub operation: Operation,
    /// Which fields were asked for.
    pub fields: Fields,
    /// What [`Codec::follow`] returned; 0 for the first part of an operation.
    pub part: u16,
}

impl Expected {
    /// The first part of an operation.
    #[must_use]
    pub const fn first(operation: Operation, fields: Fields) -> Self {
        Self { operation, fields, part: 0 }
    }
}

/// What the bytes received so far amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parsed {
    /// The reply is not complete; parse again, from the same first byte, when more came.
    Incomplete,
    /// A reply.
    Complete {
        /// Its length in bytes, at least 1.
        consumed: usize,
        /// What it says.
        outcome: Outcome,
    },
    /// A reply that leads to a further request of the same operation: [`Codec::follow`] makes it.
    Continue {
        /// Its length in bytes, at least 1.
        consumed: usize,
    },
    /// A reply that names the server which has the key: [`Spread::read_elsewhere`] tells which, and
    /// the operation goes there. Only of a codec that has a [`Spread`].
    Elsewhere {
        /// Its length in bytes, at least 1.
        consumed: usize,
    },
}

/// Bytes that are not of the protocol; the connection cannot be used any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the reply is not of the protocol: {0}")]
pub struct Malformed(pub &'static str);

/// A part of a workload that not every system has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Records expire.
    Ttl,
    /// Each write has a time of its own, or none.
    VariedTtl,
    /// One read asks for several records.
    MultiGet,
}

impl Feature {
    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ttl => "ttl",
            Self::VariedTtl => "varied_ttl",
            Self::MultiGet => "multi_get",
        }
    }
}

/// What a driver says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// Short name, for example `resp`.
    pub name: &'static str,
    /// Version of the driver crate.
    pub version: &'static str,
    /// Schemes of endpoints it takes: `tcp`, `tls`, `unix`, `file`. The engine does TLS for codecs.
    pub endpoint_kinds: &'static [&'static str],
    /// What it can do.
    pub operations: &'static [Operation],
    /// Which further parts of a workload it can carry out.
    pub features: &'static [Feature],
    /// JSON Schema of its options: an object whose `properties` the engine adds its own to.
    pub options_schema: &'static str,
}

/// Bytes of what a server said that stand in a message.
const MOST_QUOTED: usize = 2048;

/// What to tell people of a server that refused the greeting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What the server said, without anything secret.
    pub said: String,
    /// What to try.
    pub hint: String,
}

impl Refusal {
    /// All that the server said, and the question whether it is the right one.
    #[must_use]
    pub fn of<C: Codec>(said: &[u8]) -> Self {
        let hint = format!("is it the system that the {} driver is for?", C::IDENTITY.name);
        Self { said: Self::quote(said), hint }
    }

    /// Bytes as they may stand in a message: the first of them, in quotation marks.
    #[must_use]
    pub fn quote(said: &[u8]) -> String {
        let shown = said.get(..MOST_QUOTED).unwrap_or(said);
        format!("{:?}", String::from_utf8_lossy(shown).trim_end())
    }
}

/// A wire protocol. A clone per shard; the methods are called from that shard's thread alone.
pub trait Codec: Clone + Send + 'static {
    /// Where parsing of an incomplete reply goes on, so that no byte is looked at twice.
    type Scan: Default + Send;

    /// Who this is.
    const IDENTITY: Identity;

    /// Whether clients of this system spread keys over several servers by themselves, servers that
    /// know nothing of each other. The engine then has the option `hashing`.
    const SPREAD_BY_CLIENTS: bool = false;

    /// A codec for records of a shape.
    ///
    /// # Errors
    /// When an option is unknown or has a value that is not allowed.
    fn new(shape: &RecordShape, options: &Options) -> Result<Self, OptionRefused>;

    /// How a record is stored, for example `hash` or `string`; a fact of every result.
    fn layout(&self) -> &'static str;

    /// Appends what every new connection sends before its first request.
    ///
    /// Returns how many replies that gives; each is parsed by [`Codec::parse_greeting`].
    fn greet(&self, out: &mut Vec<u8>) -> usize;

    /// Appends a request.
    fn encode(&self, request: &Request<'_>, out: &mut Vec<u8>);

    /// Looks for a reply to the greeting, as [`Codec::parse`] does for others.
    ///
    /// # Errors
    /// When the bytes are not of the protocol.
    fn parse_greeting(&self, input: &[u8], scan: &mut Self::Scan) -> Result<Parsed, Malformed>;

    /// What to tell of a server that answered the greeting with this and cannot be used. A codec
    /// whose greeting holds a secret leaves out what might repeat it.
    fn refused(&self, said: &[u8]) -> Refusal {
        Refusal::of::<Self>(said)
    }

    /// Of a whole reply that is an error: the server's own words, without marks of the protocol.
    fn words<'a>(&self, reply: &'a [u8]) -> &'a [u8] {
        reply
    }

    /// Looks for the reply that `input` begins with: all that the server answers to one request,
    /// be it several commands.
    ///
    /// `scan` is new for a new reply, and the same one when called again for an incomplete one,
    /// with an `input` that begins with the same bytes. Whatever is returned but
    /// [`Parsed::Incomplete`], the codec leaves it as new; so also [`Codec::parse_greeting`].
    ///
    /// # Errors
    /// When the bytes are not of the protocol. Never panics, whatever the bytes.
    fn parse(
        &self,
        expected: Expected,
        input: &[u8],
        scan: &mut Self::Scan,
    ) -> Result<Parsed, Malformed>;

    /// Appends the request that a reply leads to; a number that is not 0, which the codec is given
    /// again as [`Expected::part`] with its reply. Called after [`Parsed::Continue`].
    fn follow(&self, expected: Expected, reply: &[u8], out: &mut Vec<u8>) -> u16 {
        let _ = (expected, reply, out);
        unreachable!("a codec that continues an operation says how")
    }

    /// Where keys are, for a system that spreads them over several servers and wants each asked for
    /// its own; none otherwise. The engine then keeps a connection of each client to each server.
    fn spread(&self) -> Option<&dyn Spread> {
        None
    }

    /// Whether a complete, successful reply to a read holds the values that were written.
    fn verify(&self, expected: Expected, reply: &[u8], verifier: &Verifier<'_>) -> bool;
}

/// Why an embedded system could not be opened or closed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbeddedFailed {
    /// What happened.
    pub message: String,
    /// What to try.
    pub hint: String,
}

/// A database inside the process. One value is shared by all sessions.
pub trait Embedded: Sized + Send + Sync + 'static {
    /// What one thread works with.
    type Session: Session;

    /// Who this is.
    const IDENTITY: Identity;

    /// Checks options without touching anything.
    ///
    /// # Errors
    /// When an option is unknown or has a value that is not allowed.
    fn check(options: &Options) -> Result<(), OptionRefused>;

    /// Opens the database in a directory.
    ///
    /// # Errors
    /// When the directory or the options do not allow it.
    fn open(
        directory: &std::path::Path,
        shape: &RecordShape,
        options: &Options,
    ) -> Result<Self, EmbeddedFailed>;

    /// How a record is stored.
    fn layout(&self) -> &'static str;

    /// A session for one thread.
    fn session(&self) -> Self::Session;

    /// What it counted of its own work since it was opened; asked between phases, when no session
    /// is at work. Default: it does not count.
    fn counts(&self) -> Option<Counts> {
        None
    }

    /// Makes durable what was written, after the last phase.
    ///
    /// # Errors
    /// When the database cannot.
    fn close(&self) -> Result<(), EmbeddedFailed>;
}

/// One thread's way into an embedded database.
pub trait Session: Send {
    /// Does one operation and returns when it is done. What is timed lies between the two calls to
    /// the watch: not making the value, and not checking, with a verifier, what a read found.
    fn execute(
        &mut self,
        request: &Request<'_>,
        verifier: Option<&Verifier<'_>>,
        watch: &mut dyn Stopwatch,
    ) -> Outcome;
}

/// Times an operation of a [`Session`].
pub trait Stopwatch {
    /// The database is called now.
    fn begin(&mut self);
    /// The database has answered.
    fn end(&mut self);
}
