//! The workload: which operation comes next, on which key. Pure: no clock, no socket.

mod chooser;
mod digits;
mod gaussian;
mod inserts;
mod keys;
mod place;
mod random;
mod series;
mod stream;
mod stride;
mod zipfian;

pub use chooser::KeyChooser;
pub use inserts::{Acknowledged, InsertNumbers};
pub use keys::{KeyMaker, fnv_hash};
pub use place::Place;
pub use random::Random;
pub use stream::{LoadStream, OperationStream, Step, stream_hash};
pub use zipfian::{Skew, Zipf, Zipfian};
