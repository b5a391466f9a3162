//! All tests that run the engine from outside, in one program: it is linked once.

mod book;
mod fixtures;
mod recorded;
