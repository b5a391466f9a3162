//! The driver for systems that speak RESP.

use std::process::ExitCode;

use weighhouse_driver_resp::Resp;

fn main() -> ExitCode {
    weighhouse_engine::run_codec::<Resp>()
}
