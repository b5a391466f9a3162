//! The load engine of Weighhouse.
//!
//! A driver reads an [`order`] and writes [`event`]s. In between, each shard is one thread with its
//! own connections, random numbers and histograms; shards share nothing that is written on the hot
//! path but the numbers of inserted records. A closed loop is paced by its replies; an open loop by
//! a schedule that nothing shifts. What is recorded is merged by addition.
//!
//! Why it is as it is stands in `engine/README.md`.

pub mod book;
mod client;
pub mod clock;
mod composer;
mod coordinator;
mod embedded;
pub mod event;
mod input;
pub mod kind;
mod machine;
pub mod net;
pub mod order;
mod pacer;
pub mod plan;
mod program;
pub mod recorded;
pub mod recorder;
mod supply;
mod wakes;
pub mod workload;

pub use program::{run_client, run_codec, run_embedded};
