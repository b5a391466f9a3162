//! All tests that run the driver, in one program: it is linked once.

mod access;
mod behaviour;
mod cache;
mod closed_loop;
mod cluster;
mod faults;
mod held;
mod losses;
mod open_loop;
mod protocol;
mod reconnects;
mod several;
mod shares;
mod tls;
mod true_percentiles;
mod ways;
mod words;
