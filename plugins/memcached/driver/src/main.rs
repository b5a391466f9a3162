//! The driver for systems that speak the protocol of memcached.

use std::process::ExitCode;

use weighhouse_driver_memcached::Memcached;

fn main() -> ExitCode {
    weighhouse_engine::run_codec::<Memcached>()
}
