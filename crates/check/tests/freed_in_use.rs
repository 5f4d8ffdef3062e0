//! Memory that goes while queued work uses it.

mod common;

use common::{Block, HOST, Script};
use millpond_trace::{Bytes, Operation, Outcome, Position, Space, Target};

const FREED: &[&str] = &["memory.freed-in-use"];
/// What is looked for here.
const ORDER: &[&str] = &["stream.*", "memory.freed-in-use"];
const HOST_BUFFER: &[&str] = &["stream.host-buffer"];
const MISSING: &[&str] = &["stream.missing-record-use"];

/// A block of a pool that a stream got, after some work.
fn pooled(script: &mut Script, stream: u64) -> Block {
    let at = script.last(stream);
    script.call("aclrtMemPoolMallocAsync");
    script.alloc_in(Space::Device(0), 4096, Some(1), Some(at))
}

fn free_in(script: &mut Script, block: Block, stream: u64) {
    let at = script.last(stream);
    script.call("aclrtMemPoolFreeAsync").say(Operation::Freed {
        block: block.number,
        range: block.range,
        retired: true,
        ordered: Some(at),
    });
}

fn record_use(script: &mut Script, block: Block, stream: u64) {
    let position = script.last(stream);
    script
        .call("millpondRecordUse")
        .say(Operation::UseRecorded {
            address: block.range.start + 8,
            position,
        });
}

#[test]
fn a_block_is_freed_after_its_work_was_waited_for() {
    for synchronises in [false, true] {
        let mut script = Script::about(ORDER);
        let stream = script.stream();
        let block = script.alloc(256);
        script.fill(stream, block.part(0, 256));
        if synchronises {
            script.synchronize(stream);
        }
        script.free(block);
        script.expect(if synchronises { &[] } else { FREED });
        if let Some(finding) = script.findings.first() {
            assert_eq!(finding.operations[0].site.call, "aclrtFree");
            assert_eq!(finding.operations[1].site.call, "aclrtMemsetAsync");
            assert_eq!(finding.operations[1].stream, Some(stream));
            let block = finding.block.as_ref().expect("has a block");
            assert!(block.freed.is_some());
        }
    }
}

#[test]
fn work_that_has_ended_without_anybody_waiting_counts_as_queued() {
    let mut script = Script::about(ORDER);
    let stream = script.stream();
    let block = script.alloc(256);
    script.fill(stream, block.part(0, 256));
    script.complete(stream);
    script.free(block);
    script.expect(FREED);
}

#[test]
fn all_streams_that_use_a_block_are_waited_for() {
    let mut script = Script::about(ORDER);
    let (a, b) = (script.stream(), script.stream());
    let block = script.alloc(512);
    script.fill(a, block.part(0, 256));
    script.fill(b, block.part(256, 256));
    script.synchronize(a);
    script.free(block);
    script.expect(FREED);
    assert_eq!(script.findings[0].operations[1].stream, Some(b));
    assert_eq!(script.findings[0].operations.len(), 2);
}

#[test]
fn the_latest_of_several_users_is_told_first_and_all_are_named() {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let block = script.alloc(512);
    script.fill(a, block.part(0, 512));
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    script.copy(b, HOST, block.part(0, 512));
    script.free(block);
    script.expect(FREED);
    let finding = &script.findings[0];
    assert_eq!(finding.operations[1].stream, Some(b));
    assert_eq!(finding.operations[2].stream, Some(a));
    let missing = finding.missing.as_deref();
    let text = format!("nothing waits for streams {b} and {a} before the call");
    assert_eq!(missing, Some(text.as_str()));
}

#[test]
fn a_free_that_waits_itself_needs_no_other_wait() {
    let mut script = Script::about(ORDER);
    let stream = script.stream();
    let block = script.alloc(256);
    script.fill(stream, block.part(0, 256));
    script.complete(stream);
    script
        .call("aclrtFreeWithDevSync")
        .say(Operation::Synchronized {
            target: Target::Device(0),
            outcome: Outcome::Done,
        })
        .say(Operation::Freed {
            block: block.number,
            range: block.range,
            retired: false,
            ordered: None,
        });
    script.expect(&[]);
}

#[test]
fn what_the_runtime_takes_and_gives_back_inside_a_call_is_its_own_affair() {
    let mut script = Script::about(ORDER);
    let stream = script.stream();
    script.call("aclrtMemcpyAsync");
    let staging = script.alloc_in(Space::Pinned, 256, None, None);
    let block = script.alloc(256);
    script.copy(stream, block.part(0, 256), staging.part(0, 256));
    script.call("aclrtMemcpyAsync").say(Operation::Freed {
        block: staging.number,
        range: staging.range,
        retired: true,
        ordered: None,
    });
    script.expect(&[]);
}

#[test]
fn pinned_memory_that_goes_under_a_copy_is_a_host_buffer() {
    let mut script = Script::about(ORDER);
    let stream = script.stream();
    let (block, pinned) = (script.alloc(256), script.alloc_host(256));
    script.copy(stream, block.part(0, 256), pinned.part(0, 256));
    script.call("aclrtFreeHost").say(Operation::Freed {
        block: pinned.number,
        range: pinned.range,
        retired: true,
        ordered: None,
    });
    script.expect(HOST_BUFFER);
    script.synchronize(stream);
    script.free(block);
    script.expect(HOST_BUFFER);
}

#[test]
fn tasks_behind_a_recording_to_come_use_their_blocks() {
    let mut script = Script::about(ORDER);
    let (a, event) = (script.stream(), script.event());
    let (block, other) = (script.alloc(256), script.alloc(256));
    script.wait(a, event, None);
    script.fill(a, block.part(0, 256));
    script.free(other);
    script.expect(&[]);
    script.free(block);
    script.expect(FREED);
}

#[test]
fn tasks_behind_a_function_of_the_program_use_their_blocks() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    let block = script.alloc(256);
    script.function(a);
    script.fill(a, block.part(0, 256));
    script.free(block);
    script.expect(FREED);
}

#[test]
fn tasks_that_were_thrown_away_use_nothing() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    let block = script.alloc(256);
    let position = script.fill(a, block.part(0, 256));
    script.call("").say(Operation::Completed {
        position,
        outcome: Outcome::Dropped,
    });
    script
        .call("aclrtDestroyStreamForce")
        .say(Operation::StreamDestroyed {
            stream: a,
            dropped: 1,
        });
    script.free(block);
    script.expect(&[]);
}

#[test]
fn after_a_stream_or_its_context_is_destroyed_nothing_of_it_runs() {
    for context in [false, true] {
        let mut script = Script::about(ORDER);
        let a = script.stream();
        let block = script.alloc(256);
        script.fill(a, block.part(0, 256));
        script.call("aclrtDestroyStream").say(if context {
            Operation::ContextDestroyed { context: 1 }
        } else {
            Operation::StreamDestroyed {
                stream: a,
                dropped: 0,
            }
        });
        script.free(block);
        script.expect(&[]);
    }
}

#[test]
fn a_device_synchronisation_knows_streams_that_were_closed() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    let block = script.alloc(256);
    script.fill(a, block.part(0, 256));
    // Let go of, not waited for.
    script.call("").say(Operation::StreamDestroyed {
        stream: a,
        dropped: 0,
    });
    script.complete(a);
    script
        .call("aclrtSynchronizeDevice")
        .say(Operation::Synchronized {
            target: Target::Device(0),
            outcome: Outcome::Done,
        });
    script.free(block);
    script.expect(&[]);
}

#[test]
fn very_many_streams_come_and_go() {
    let mut script = Script::about(ORDER);
    for _ in 0..1000 {
        let (a, b, event) = (script.stream(), script.stream(), script.event());
        let block = script.alloc(256);
        script.fill(a, block.part(0, 256));
        let at = script.record(a, event);
        script.wait(b, event, Some(at));
        script.copy(b, HOST, block.part(0, 256));
        script.complete(a);
        script.synchronize(b);
        for stream in [a, b] {
            script
                .call("aclrtDestroyStream")
                .say(Operation::StreamDestroyed { stream, dropped: 0 });
        }
        script
            .call("aclrtDestroyEvent")
            .say(Operation::EventDestroyed { event });
        script.free(block);
    }
    script.expect(&[]);
    let bytes = script.checker().statistics().state_bytes;
    assert!(bytes < 4 << 20, "{bytes} bytes");
}

#[test]
fn a_block_goes_back_in_the_order_of_its_stream() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    let block = pooled(&mut script, a);
    script.fill(a, block.part(0, 64));
    free_in(&mut script, block, a);
    script.expect(&[]);
}

#[test]
fn another_stream_s_use_is_ordered_before_or_recorded() {
    for fixed in 0..4 {
        let mut script = Script::about(ORDER);
        let (a, b, event) = (script.stream(), script.stream(), script.event());
        let block = pooled(&mut script, a);
        script.fill(a, block.part(0, 64));
        let at = script.record(a, event);
        script.wait(b, event, Some(at));
        script.copy(b, HOST, block.part(0, 64));
        match fixed {
            1 => record_use(&mut script, block, b),
            2 => {
                let at = script.record(b, event);
                script.wait(a, event, Some(at));
            }
            3 => {
                script.complete(a);
                script.synchronize(b);
            }
            _ => {}
        }
        free_in(&mut script, block, a);
        script.expect(if fixed > 0 { &[] } else { MISSING });
    }
}

#[test]
fn a_use_after_the_one_that_was_recorded_counts() {
    let mut script = Script::about(ORDER);
    let (a, b) = (script.stream(), script.stream());
    let block = pooled(&mut script, a);
    script.synchronize(a);
    script.copy(b, HOST, block.part(0, 64));
    record_use(&mut script, block, b);
    script.copy(b, HOST, block.part(0, 64));
    free_in(&mut script, block, a);
    script.expect(MISSING);
}

#[test]
fn a_stream_that_waits_for_a_recording_to_come_is_not_judged_yet() {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let block = pooled(&mut script, a);
    script.synchronize(a);
    script.copy(b, HOST, block.part(0, 64));
    script.wait(a, event, None);
    free_in(&mut script, block, a);
    script.record(b, event);
    script.expect(&[]);
}

#[test]
fn a_pool_s_block_that_the_host_frees_is_waited_for() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    let block = pooled(&mut script, a);
    script.fill(a, block.part(0, 64));
    script.free(block);
    script.expect(FREED);
}

#[test]
fn a_stop_at_a_failure_skips_what_comes_and_that_uses_nothing() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    let block = script.alloc(64);
    script.fill(a, block.part(0, 64));
    script.fill(a, block.part(0, 64));
    for (task, outcome) in [(1, Outcome::Failed("no".to_owned())), (2, Outcome::Skipped)] {
        script.call("").say(Operation::Completed {
            position: Position { stream: a, task },
            outcome,
        });
    }
    script.free(block);
    script.expect(&[]);
}

/// The same bytes by two mappings: that the other was used later makes the use of this one no less queued.
#[test]
fn a_mapping_that_goes_while_queued_work_uses_it_is_told_though_another_was_used_later() {
    for waits in [false, true] {
        let mut script = Script::about(ORDER);
        let stream = script.stream();
        let piece = script.piece(4096);
        let at = |start| Bytes { start, bytes: 4096 };
        let (one, two) = (at(0x40_0000_0000), at(0x50_0000_0000));
        script.map(piece, one);
        script.map(piece, two);
        script.fill(stream, one);
        script.fill(stream, two);
        if waits {
            script.synchronize(stream);
        }
        script.unmap(piece, one);
        script.expect(if waits { &[] } else { FREED });
    }
}
