//! The driver for systems that speak CQL.

use std::process::ExitCode;

use weighhouse_driver_cql::Cql;

fn main() -> ExitCode {
    weighhouse_engine::run_client::<Cql>()
}
