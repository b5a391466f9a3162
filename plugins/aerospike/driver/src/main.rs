//! The driver for Aerospike.

use std::process::ExitCode;

use weighhouse_driver_aerospike::Aerospike;

fn main() -> ExitCode {
    weighhouse_engine::run_client::<Aerospike>()
}
