//! A correct program is silent, and one with very many mistakes is not told without end.

mod common;

use common::{HOST, Script};
use millpond_trace::Operation;

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

#[test]
fn findings_from_ever_more_places_do_not_make_the_state_grow_forever() {
    const MOST: usize = 1 << 16;
    let mut script = Script::about(&["memory.unknown-free"]);
    for _ in 0..MOST + 10 {
        script.call("aclrtFree").say(Operation::FreeRefused {
            address: 0x1000,
            reason: "no live block is there".to_owned(),
        });
    }
    assert_eq!(script.findings.len(), MOST);
    assert_eq!(script.checker().times().len(), MOST);
    assert_eq!(script.checker().statistics().dropped_facts, 10);
}
