//! The examples do what they say.

#[path = "../examples/first.rs"]
#[allow(dead_code, reason = "its main is called from the test below")]
mod first;
#[path = "../examples/two_streams.rs"]
#[allow(dead_code, reason = "its main is called from the test below")]
mod two_streams;
