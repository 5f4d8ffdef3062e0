//! Memory that is freed while another process has it mapped.

mod common;

use common::Script;
use millpond_trace::Operation;

/// A block is lent and freed; the other process says that it closed it so long after the free, in nanoseconds, or nothing.
fn closed(after_free: Option<i64>) -> Script {
    let mut script = Script::about(&["memory.freed-while-shared"]);
    let block = script.alloc(4096);
    let range = block.part(0, 4096);
    script
        .call("aclrtIpcMemGetExportKey")
        .say(Operation::MemoryShared { range });
    script.say(Operation::MemoryLent {
        range,
        lease: 7,
        process: 42,
    });
    script.free(block);
    let freed = script.order() * 1000;
    let until = after_free.map_or(0, |after| freed.saturating_add_signed(after));
    script.say(Operation::MemoryReturned { lease: 7, until });
    script.end();
    script
}

#[test]
fn the_free_is_reported_if_the_use_ended_after_it() {
    let script = closed(Some(1));
    script.expect(&["memory.freed-while-shared"]);
    let finding = &script.findings[0];
    assert!(finding.message.contains("process 42"), "{finding:?}");
    assert_eq!(finding.operations[0].site.call, "aclrtFree");
    assert_eq!(finding.operations[1].site.call, "aclrtIpcMemGetExportKey");
}

#[test]
fn a_use_that_ended_before_and_was_heard_of_later_is_none() {
    closed(Some(0)).expect(&[]);
    closed(Some(-500)).expect(&[]);
    // The other process ended without a record of when it stopped using the memory.
    closed(None).expect(&[]);
}

#[test]
fn other_blocks_are_of_no_interest() {
    let mut script = Script::about(&["memory.freed-while-shared"]);
    let (lent, other) = (script.alloc(4096), script.alloc(4096));
    let range = lent.part(0, 4096);
    script.say(Operation::MemoryLent {
        range,
        lease: 1,
        process: 42,
    });
    script.free(other);
    let until = script.order() * 1000 + 500;
    script.say(Operation::MemoryReturned { lease: 1, until });
    script.free(lent);
    script.end().expect(&[]);
}
