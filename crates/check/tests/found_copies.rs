//! Copies that read from memory what they copy: they are judged when that is known, in their place of the stream.

mod common;

use common::{Block, Script, accesses};
use millpond_trace::{Operation, Position, TaskKind};

const NAMES: [&str; 2] = ["aclrtMemcpyAsyncWithDesc", "aclrtMemcpyAsyncWithOffset"];

/// Queues a copy whose addresses are in a block.
fn queue(script: &mut Script, name: &'static str, stream: u64, places: Block) -> Position {
    let mut work = accesses(TaskKind::Compute, &[places.part(0, 64)], &[]);
    work.name = name.into();
    script.call(name);
    script.enqueue(stream, work, None, None)
}

fn find(script: &mut Script, position: Position, to: Block, from: Block) {
    let (to, from) = (to.part(0, 64), from.part(0, 64));
    script.call("").say(Operation::CopyFound {
        position,
        accesses: accesses(TaskKind::Copy, &[from], &[to]),
    });
}

/// A script, two streams, two blocks of data, and one with addresses.
fn begin() -> (Script, [u64; 2], [Block; 3]) {
    let mut script = Script::about(&["stream.*", "memory.freed-in-use"]);
    let streams = [(); 2].map(|()| script.stream());
    let blocks = [(); 3].map(|()| script.alloc(64));
    for block in blocks {
        script.fill_now(block.part(0, 64));
    }
    (script, streams, blocks)
}

#[test]
fn what_a_copy_finds_is_compared_with_other_streams() {
    for name in NAMES {
        let (mut script, [a, b], [to, from, places]) = begin();
        let position = queue(&mut script, name, a, places);
        script.fill(b, from.part(0, 64));
        script.expect(&[]);
        find(&mut script, position, to, from);
        script.complete_to(position);
        script.expect(&["stream.race"]);
        // It is shown where it was queued.
        let calls: Vec<&str> = script.findings[0]
            .operations
            .iter()
            .map(|operation| &*operation.site.call)
            .collect();
        assert!(calls.contains(&name), "{calls:?}");
    }
}

#[test]
fn an_event_behind_it_orders_it() {
    let (mut script, [a, b], [to, from, places]) = begin();
    let event = script.event();
    let position = queue(&mut script, NAMES[0], a, places);
    let recorded = script.record(a, event);
    script.wait(b, event, Some(recorded));
    script.fill(b, from.part(0, 64));
    script.fill(b, to.part(0, 64));
    find(&mut script, position, to, from);
    script.complete_to(recorded);
    script.complete(b);
    script.end();
    script.expect(&[]);
}

/// It is the task before the next one of its stream, whenever its addresses are known.
#[test]
fn it_comes_before_what_is_queued_behind_it() {
    let (mut script, [a, _], [to, from, places]) = begin();
    let position = queue(&mut script, NAMES[1], a, places);
    script.fill(a, to.part(0, 64));
    script.fill(a, from.part(0, 64));
    find(&mut script, position, to, from);
    script.complete(a);
    script.end();
    script.expect(&[]);
}

/// Its addresses are read when it runs, so they must not be rewritten meanwhile.
#[test]
fn addresses_that_another_stream_rewrites_are_a_race() {
    let (mut script, [a, b], [to, from, places]) = begin();
    let position = queue(&mut script, NAMES[0], a, places);
    find(&mut script, position, to, from);
    script.fill(b, places.part(0, 64));
    script.expect(&["stream.race"]);
}

/// It failed, or was dropped, before it found anything: what is behind it is judged all the same.
#[test]
fn a_copy_that_finds_nothing_holds_nothing_up() {
    let (mut script, [a, b], [to, _, places]) = begin();
    queue(&mut script, NAMES[0], a, places);
    script.fill(a, to.part(0, 64));
    script.complete(a);
    script.fill(b, to.part(0, 64));
    script.expect(&["stream.race"]);
}
