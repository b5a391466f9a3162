//! The workload: which operation comes next, on which key. Pure: no clock, no socket.

mod chooser;
mod inserts;
mod keys;
mod random;
mod series;
mod stream;
mod zipfian;

pub use chooser::KeyChooser;
pub use inserts::{Acknowledged, InsertNumbers};
pub use keys::{KeyMaker, fnv_hash};
pub use random::Random;
pub use stream::{LoadStream, OperationStream, Step, stream_hash};
pub use zipfian::{Skew, Zipf, Zipfian};
