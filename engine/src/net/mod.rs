//! Load over connections: one thread a shard, many connections each, edge-triggered.

mod announced;
mod closed;
mod connect;
mod desk;
mod endpoint;
mod hashing;
mod link;
mod open;
mod renewal;
mod ringed;
mod routes;
mod schedule;
mod secured;
mod shard;
mod spread;
mod state;
mod tls;
mod turn;
mod way;

pub use announced::Announced;
pub use endpoint::{Endpoint, Hosts};
pub use hashing::{Hashing, SCHEMA as HASHING_SCHEMA, Spreading};
pub use schedule::Schedule;
pub use shard::{NetShard, ShardSetup};
pub use tls::{SCHEMA as TLS_SCHEMA, SERVER_NAME as TLS_SERVER_NAME, Tls, TlsOptions};
pub use way::{Chosen, SCHEMA as WAY_SCHEMA, Way, Wish};
