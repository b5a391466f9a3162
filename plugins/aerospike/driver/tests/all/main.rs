//! All tests that run the driver, in one program: it is linked once.

mod aerospike;
mod recorded;
mod wire;
