//! The driver for systems that speak memcached's text protocol.

use std::process::ExitCode;

use weighhouse_driver_memcached::Memcached;

fn main() -> ExitCode {
    weighhouse_engine::run_codec::<Memcached>()
}
