//! All tests that run the driver, in one program: it is linked once.

mod behaviour;
mod cache;
mod memcached;
mod several;
mod tls;
