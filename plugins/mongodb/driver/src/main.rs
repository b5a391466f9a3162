//! The driver for systems that speak MongoDB's wire protocol.

use std::process::ExitCode;

use weighhouse_driver_mongodb::MongoDb;

fn main() -> ExitCode {
    weighhouse_engine::run_client::<MongoDb>()
}
