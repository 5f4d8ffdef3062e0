//! A correct program is silent.

mod common;

use common::{HOST, Script};

#[test]
fn two_streams_in_order_are_silent() {
    let mut script = Script::new();
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let block = script.alloc(256);
    script.fill(a, block.part(0, 256));
    let recording = script.record(a, event);
    script.wait(b, event, Some(recording));
    script.copy(b, HOST, block.part(0, 256));
    script.synchronize(b);
    script.free(block);
    script.expect(&[]);
}

#[test]
fn a_wait_for_a_recording_to_come_is_an_order_too() {
    let mut script = Script::new();
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let block = script.alloc(256);
    script.wait(b, event, None);
    script.copy(b, HOST, block.part(0, 256));
    script.fill(a, block.part(0, 256));
    script.record(a, event);
    script.synchronize(b);
    script.free(block);
    script.expect(&[]);
}
