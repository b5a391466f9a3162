//! For the drivers' tests: real servers on free ports, and drivers run as processes, whose events
//! are read as they come.
//!
//! Everything here panics when it cannot do what it is asked: a test that cannot start its server
//! has failed.
#![allow(clippy::missing_panics_doc, clippy::expect_used, clippy::unwrap_used)]

mod aerospike;
mod authority;
mod behaviour;
mod cassandra;
mod cluster;
mod echo;
mod interjection;
mod lru;
mod mongo;
mod process;
mod proxy;
mod run;
mod server;
mod state;

pub use aerospike::Aerospike;
pub use authority::{Authority, Certified};
pub use behaviour::Suite;
pub use cassandra::Cassandra;
pub use cluster::RedisCluster;
pub use echo::{EchoServer, Held};
pub use interjection::Interjection;
pub use lru::Lru;
pub use mongo::MongoStandIn;
pub use process::{Stall, Stopped};
pub use proxy::Proxy;
pub use run::{DriverRun, Phase, Run, done, failed, unix_us};
pub use server::Server;
pub use state::{PATIENCE, until};
