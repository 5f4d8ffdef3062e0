//! The examples do what they say: each ends with an assertion.

#[path = "../examples/first.rs"]
mod first;
#[path = "../examples/two_streams.rs"]
mod two_streams;

#[test]
fn the_first_program_runs() {
    first::main().unwrap();
}

#[test]
fn two_streams_with_an_event_between_them_run() {
    two_streams::main().unwrap();
}
