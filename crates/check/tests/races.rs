//! Races between streams, by bytes.

mod common;

use common::{Block, HOST, Script, accesses};
use millpond_trace::{Bytes, Operation, Outcome, Position, Space, Span, Target, TaskKind};

const RACE: &[&str] = &["stream.race"];
/// What is looked for here.
const ORDER: &[&str] = &["stream.*", "memory.freed-in-use"];
const HOST_BUFFER: &[&str] = &["stream.host-buffer"];

/// Two streams, an event and a block.
fn setting() -> (Script, u64, u64, u64, Block) {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let block = script.alloc(4096);
    (script, a, b, event, block)
}

#[test]
fn a_read_after_a_write_of_another_stream_is_a_race_without_an_edge() {
    let (mut script, a, b, _, block) = setting();
    script.fill(a, block.part(0, 256));
    script.copy(b, HOST, block.part(128, 256));
    script.expect(RACE);
    let finding = &script.findings[0];
    assert_eq!(finding.bytes, Some(block.part(128, 128)));
    assert_eq!(finding.operations.len(), 2);
    assert_eq!(finding.operations[0].stream, Some(b));
    assert_eq!(finding.operations[1].stream, Some(a));
    assert!(
        finding
            .missing
            .as_ref()
            .is_some_and(|text| text.contains("does not wait"))
    );
}

#[test]
fn an_event_between_them_is_an_edge() {
    let (mut script, a, b, event, block) = setting();
    script.fill(a, block.part(0, 256));
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    script.copy(b, HOST, block.part(128, 256));
    script.expect(&[]);
}

#[test]
fn a_recording_before_the_write_is_none() {
    let (mut script, a, b, event, block) = setting();
    let at = script.record(a, event);
    script.fill(a, block.part(0, 256));
    script.wait(b, event, Some(at));
    script.copy(b, HOST, block.part(128, 256));
    script.expect(RACE);
}

#[test]
fn a_wait_is_for_the_recording_at_its_time_and_not_for_a_later_one() {
    let (mut script, a, b, event, block) = setting();
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    script.fill(a, block.part(0, 256));
    script.record(a, event);
    script.copy(b, HOST, block.part(0, 256));
    script.expect(RACE);
}

#[test]
fn reads_do_not_race_with_each_other_but_a_write_races_with_both() {
    let (mut script, a, b, _, block) = setting();
    let c = script.stream();
    script.copy(a, HOST, block.part(0, 64));
    script.copy(b, other_host(1), block.part(0, 64));
    script.expect(&[]);
    script.fill(c, block.part(0, 64));
    script.expect(&["stream.race", "stream.race"]);
}

#[test]
fn bytes_side_by_side_do_not_race() {
    let (mut script, a, b, _, block) = setting();
    script.fill(a, block.part(0, 256));
    script.fill(b, block.part(256, 256));
    script.fill(a, block.part(512, 1));
    script.fill(b, block.part(513, 1));
    script.expect(&[]);
}

#[test]
fn rows_between_rows_do_not_race_and_rows_on_rows_do() {
    let (mut script, a, b, _, block) = setting();
    let rows = |start: u64| Span {
        start: block.range.start + start,
        width: 16,
        pitch: 64,
        rows: 8,
    };
    let write = |start| {
        let mut what = accesses(TaskKind::Copy, &[], &[]);
        what.writes.push(rows(start));
        what
    };
    script.enqueue(a, write(0), None, None);
    script.enqueue(b, write(16), None, None);
    script.expect(&[]);
    script.enqueue(b, write(8), None, None);
    script.expect(RACE);
    assert_eq!(script.findings[0].bytes, Some(block.part(8, 8)));
}

#[test]
fn knowledge_goes_on_through_a_third_stream() {
    let (mut script, a, b, event, block) = setting();
    let (c, second) = (script.stream(), script.event());
    script.fill(a, block.part(0, 256));
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    let at = script.record(b, second);
    script.wait(c, second, Some(at));
    script.fill(c, block.part(0, 256));
    script.expect(&[]);
}

#[test]
fn a_synchronisation_orders_what_is_queued_after_it() {
    let (mut script, a, b, _, block) = setting();
    script.fill(a, block.part(0, 256));
    script.synchronize(a);
    script.fill(b, block.part(0, 256));
    script.expect(&[]);
    // But not what was queued before it: the stream may run that first.
    let c = script.stream();
    script.fill(c, block.part(512, 8));
    script.fill(a, block.part(512, 8));
    script.expect(RACE);
}

#[test]
fn a_synchronisation_of_a_stream_is_one_of_all_that_it_waited_for() {
    let (mut script, a, b, event, block) = setting();
    script.fill(a, block.part(0, 256));
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    script.complete(a);
    script.synchronize(b);
    script.copy_now(HOST, block.part(0, 256));
    script.free(block);
    script.expect(&[]);
}

#[test]
fn a_wait_after_the_task_that_was_waited_for_proves_nothing_to_the_host() {
    let (mut script, a, b, event, block) = setting();
    script.fill(b, block.part(512, 8));
    script.complete(b);
    script.fill(a, block.part(0, 256));
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    // Only what has ended is seen: the wait has not.
    script.say(Operation::Synchronized {
        target: Target::Stream(b),
        outcome: Outcome::Done,
    });
    script.copy_now(HOST, block.part(512, 8));
    script.expect(&[]);
    script.copy_now(HOST, block.part(0, 256));
    script.expect(RACE);
}

#[test]
fn events_and_devices_are_synchronised_too() {
    for target in [0, 1] {
        let (mut script, a, _, event, block) = setting();
        script.fill(a, block.part(0, 256));
        script.record(a, event);
        script.complete(a);
        script.say(Operation::Synchronized {
            target: [Target::Event(event), Target::Device(0)][target],
            outcome: Outcome::Done,
        });
        script.copy_now(HOST, block.part(0, 256));
        script.expect(&[]);
    }
}

#[test]
fn a_wait_that_ran_out_of_time_and_a_query_that_says_not_yet_order_nothing() {
    let (mut script, a, _, _, block) = setting();
    script.fill(a, block.part(0, 256));
    script.say(Operation::Synchronized {
        target: Target::Stream(a),
        outcome: Outcome::NotReady,
    });
    script.say(Operation::Queried {
        target: Target::Stream(a),
        outcome: Outcome::NotReady,
    });
    script.copy_now(HOST, block.part(0, 256));
    script.expect(RACE);
    assert_eq!(script.findings[0].operations[0].stream, None);
}

#[test]
fn a_query_that_says_done_orders() {
    let (mut script, a, b, _, block) = setting();
    script.fill(a, block.part(0, 256));
    script.complete(a);
    script.say(Operation::Queried {
        target: Target::Stream(a),
        outcome: Outcome::Done,
    });
    script.fill(b, block.part(0, 256));
    script.expect(&[]);
}

#[test]
fn the_host_races_with_what_it_did_not_wait_for() {
    let (mut script, a, b, _, block) = setting();
    script.copy(a, HOST, block.part(0, 64));
    script.copy_now(other_host(1), block.part(0, 64));
    script.expect(&[]);
    script.fill_now(block.part(0, 64));
    script.expect(RACE);
    // What the host has done itself comes before all that it queues later.
    script.fill_now(block.part(1024, 64));
    script.fill(b, block.part(1024, 64));
    assert_eq!(script.findings.len(), 1);
}

#[test]
fn memory_that_is_handed_out_again_has_no_past() {
    let (mut script, a, b, _, block) = setting();
    script.fill(a, block.part(0, 256));
    script.call("").say(Operation::Freed {
        block: block.number,
        range: block.range,
        retired: true,
        ordered: None,
    });
    let number = script.number();
    script.call("aclrtMalloc").say(Operation::Allocated {
        block: number,
        space: Space::Device(0),
        range: block.range,
        requested: 4096,
        charged: 4096,
        pool: None,
        ordered: None,
    });
    script.fill(b, block.part(0, 256));
    script.expect(&[]);
}

#[test]
fn one_block_that_a_program_divides_itself_keeps_its_past() {
    let (mut script, a, b, _, block) = setting();
    // Both pools of the program take the same bytes, one after the other.
    script.compute(a, &[block.part(0, 256)], &[block.part(256, 256)]);
    script.compute(b, &[], &[block.part(128, 256)]);
    script.expect(RACE);
    // What the other reads, and what it writes.
    assert_eq!(script.findings[0].bytes, Some(block.part(128, 256)));
}

#[test]
fn a_task_may_read_what_it_writes() {
    let (mut script, a, _, _, block) = setting();
    script.compute(a, &[block.part(0, 256)], &[block.part(0, 256)]);
    script.compute(a, &[block.part(0, 256)], &[block.part(128, 256)]);
    script.expect(&[]);
}

#[test]
fn two_mappings_of_a_piece_are_the_same_bytes() {
    let mut script = Script::about(ORDER);
    let (a, b) = (script.stream(), script.stream());
    let [first, second] = [0x40_0000_0000, 0x50_0000_0000].map(|start| Bytes {
        start,
        bytes: 2 << 20,
    });
    script.say(Operation::PhysicalAllocated {
        piece: 7,
        space: Space::Device(0),
        bytes: 2 << 20,
    });
    for range in [first, second] {
        script.say(Operation::Mapped {
            piece: 7,
            range,
            access: Some(Space::Device(0)),
        });
    }
    script.fill(a, first);
    script.fill(
        b,
        Bytes {
            start: second.start + 4096,
            bytes: 4096,
        },
    );
    script.expect(RACE);
    // Unmapping one is in nobody's way who uses the other.
    script.synchronize(a);
    script.call("aclrtUnmapMem").say(Operation::Unmapped {
        piece: 7,
        range: first,
        retired: false,
    });
    script.expect(RACE);
    script.say(Operation::Unmapped {
        piece: 7,
        range: second,
        retired: false,
    });
    script.expect(&["stream.race", "memory.freed-in-use"]);
}

#[test]
fn mappings_side_by_side_are_touched_as_one() {
    let mut script = Script::about(ORDER);
    let (a, b) = (script.stream(), script.stream());
    let whole = Bytes {
        start: 0x40_0000_0000,
        bytes: 4 << 20,
    };
    for piece in 0..2 {
        script.say(Operation::Mapped {
            piece,
            range: Bytes {
                start: whole.start + piece * (2 << 20),
                bytes: 2 << 20,
            },
            access: Some(Space::Device(0)),
        });
    }
    script.fill(a, whole);
    let last = Bytes {
        start: whole.start + (4 << 20) - 8,
        bytes: 8,
    };
    script.fill(b, last);
    script.expect(RACE);
    assert_eq!(script.findings[0].bytes, Some(last));
}

#[test]
fn a_block_of_a_stream_is_used_after_its_allocation() {
    let (mut script, a, b, event, _) = setting();
    script.fill_now(other_host(3));
    let busy = script.alloc(64);
    script.fill(a, busy.part(0, 64));
    let at = script.last(a);
    let block = script.alloc_in(Space::Device(0), 4096, Some(1), Some(at));
    script.fill(a, block.part(0, 64));
    script.expect(&[]);
    script.fill(b, block.part(1024, 64));
    script.expect(RACE);
    assert!(
        script.findings[0]
            .message
            .contains("before the block is allocated")
    );
    let recording = script.record(a, event);
    script.wait(b, event, Some(recording));
    script.fill(b, block.part(2048, 64));
    script.expect(RACE);
}

#[test]
fn two_copies_into_the_same_host_bytes_race() {
    let (mut script, a, b, event, block) = setting();
    let part = |start, bytes| Bytes {
        start: HOST.start + start,
        bytes,
    };
    script.copy(a, part(0, 64), block.part(0, 64));
    script.copy(b, part(64, 64), block.part(0, 64));
    script.expect(&[]);
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    script.copy(b, part(0, 64), block.part(0, 64));
    script.expect(&[]);
    script.copy(a, part(32, 8), block.part(0, 8));
    script.expect(RACE);
    assert_eq!(script.findings[0].bytes, Some(part(32, 8)));
}

#[test]
fn a_host_buffer_is_used_again_after_the_copy_was_waited_for() {
    let (mut script, a, _, _, block) = setting();
    let pinned = script.alloc_host(256);
    script.copy(a, block.part(0, 256), pinned.part(0, 256));
    script.copy_now(pinned.part(0, 256), block.part(1024, 256));
    script.expect(HOST_BUFFER);
    script.synchronize(a);
    script.copy_now(pinned.part(0, 256), block.part(1024, 256));
    script.expect(HOST_BUFFER);
    // The same with memory that is not ours.
    script.copy(a, block.part(0, 256), HOST);
    script.copy_now(HOST, block.part(1024, 256));
    assert_eq!(script.findings.len(), 2);
    script.synchronize(a);
    script.copy_now(HOST, block.part(1024, 256));
    assert_eq!(script.findings.len(), 2);
}

#[test]
fn a_source_that_changed_under_its_copy_is_found() {
    let (mut script, a, _, _, block) = setting();
    let pinned = script.alloc_host(256);
    let position = script.copy(a, block.part(0, 256), pinned.part(0, 256));
    script.call("").say(Operation::SourceChanged {
        position,
        range: pinned.part(16, 4),
    });
    script.expect(HOST_BUFFER);
    assert_eq!(script.findings[0].operations[0].stream, Some(a));
    assert_eq!(
        script.findings[0].operations[0].site.call,
        "aclrtMemcpyAsync"
    );
}

#[test]
fn a_source_that_changed_is_reported_with_its_copy_although_later_ones_read_it_too() {
    let (mut script, a, _, _, block) = setting();
    let pinned = script.alloc_host(256);
    let first = script.copy(a, block.part(0, 256), pinned.part(0, 256));
    let second = script.copy(a, block.part(0, 256), pinned.part(0, 256));
    script.copy(a, block.part(0, 256), pinned.part(0, 256));
    for position in [first, second] {
        script
            .call("aclrtSynchronizeStream")
            .say(Operation::SourceChanged {
                position,
                range: pinned.part(0, 256),
            });
    }
    assert_eq!(script.findings.len(), 2);
    for finding in &script.findings {
        assert_eq!(finding.operations[0].site.call, "aclrtMemcpyAsync");
    }
    let [first, second] = [0, 1].map(|it: usize| script.findings[it].operations[0].order);
    assert!(first < second);
}

#[test]
fn what_the_host_does_during_a_function_of_the_program_comes_before_the_rest() {
    let (mut script, a, _, _, block) = setting();
    script.fill(a, block.part(0, 64));
    let function = script.function(a);
    script.fill(a, block.part(0, 64));
    script
        .call("")
        .say(Operation::FunctionBegan { position: function });
    // The function, or a thread that it has told, uses the bytes.
    script.copy_now(HOST, block.part(0, 64));
    script.fill_now(block.part(0, 64));
    script.complete_to(function);
    script.expect(&[]);
    script.fill_now(block.part(0, 64));
    script.expect(RACE);
}

#[test]
fn tasks_after_a_recording_to_come_know_what_came_before_it() {
    let (mut script, a, b, event, block) = setting();
    script.wait(b, event, None);
    script.fill(b, block.part(0, 64));
    script.fill(a, block.part(0, 64));
    script.fill_now(block.part(128, 64));
    script.fill(b, block.part(128, 64));
    script.record(a, event);
    script.expect(&[]);
    script.fill(a, block.part(0, 64));
    script.expect(RACE);
}

#[test]
fn tasks_that_are_thrown_away_race_with_nobody() {
    let (mut script, a, b, event, block) = setting();
    script.wait(b, event, None);
    let dropped = script.fill(b, block.part(0, 64));
    let recording = script.record(b, event + 100);
    let c = script.stream();
    script.wait(c, event + 100, Some(recording));
    for task in 1..=recording.task {
        script.call("").say(Operation::Completed {
            position: Position {
                stream: dropped.stream,
                task,
            },
            outcome: Outcome::Dropped,
        });
    }
    script.fill(a, block.part(0, 64));
    script.synchronize(a);
    // Both go on.
    script.fill(b, block.part(0, 64));
    script.expect(&[]);
    script.fill(c, block.part(0, 64));
    script.expect(RACE);
}

#[test]
fn too_many_rows_are_not_looked_at() {
    let (mut script, a, b, _, _) = setting();
    let block = script.alloc(1 << 20);
    let mut rows = accesses(TaskKind::Copy, &[], &[]);
    rows.writes.push(Span {
        start: block.range.start,
        width: 1,
        pitch: 2,
        rows: 1 << 19,
    });
    script.enqueue(a, rows, None, None);
    script.fill(b, block.part(0, 1 << 20));
    script.expect(&[]);
    assert!(script.checker().statistics().dropped_facts > 0);
}

#[test]
fn very_many_pieces_of_many_blocks_are_bounded() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    for _ in 0..300 {
        let block = script.alloc(1 << 20);
        for piece in 0..1000 {
            script.fill(a, block.part(piece * 1024, 64));
        }
    }
    script.expect(&[]);
    let statistics = script.checker().statistics();
    assert!(statistics.dropped_facts > 0);
    assert!(statistics.peak_state_bytes < 160 << 20, "{statistics:?}");
}

/// Other host memory that is not ours.
fn other_host(index: u64) -> Bytes {
    Bytes {
        start: HOST.start + index * (1 << 24),
        bytes: 4096,
    }
}

/// A block of a pool that a stream got while it had nothing to do.
#[test]
fn a_block_of_an_idle_stream_is_used_elsewhere_only_after_the_allocation() {
    for how in 0..7 {
        let mut script = Script::about(ORDER);
        let (a, b, event) = (script.stream(), script.stream(), script.event());
        if how == 6 {
            // Behind work that is known to be done the allocation has a place of its own all the same.
            let other = script.alloc(64);
            script.fill(a, other.range);
            script.synchronize(a);
        }
        let before = script.record(a, event);
        if how == 5 {
            script.synchronize(a);
        }
        let at = script.last(a);
        script.call("aclrtMemPoolMallocAsync");
        let block = script.alloc_in(Space::Device(0), 4096, Some(1), Some(at));
        match how {
            // An event that was recorded before says nothing of the allocation.
            0 => {
                script.wait(b, event, Some(before));
            }
            1 => {
                let at = script.record(a, event);
                script.wait(b, event, Some(at));
            }
            2 => {
                script.synchronize(a);
            }
            3 => {
                let at = script.record(a, event);
                script.complete_to(at);
                script.call("aclrtSynchronizeEvent");
                script.say(Operation::Synchronized {
                    target: Target::Event(event),
                    outcome: Outcome::Done,
                });
            }
            4 => {
                let position = script.function(a);
                script.complete_to(before);
                script.say(Operation::FunctionBegan { position });
            }
            _ => {}
        }
        script.fill(b, block.range);
        let found = matches!(how, 0 | 5 | 6);
        script.expect(if found { &["stream.race"] } else { &[] });
        // Its own stream need not wait.
        script.synchronize(b);
        script.fill(a, block.range);
        script.expect(if found { &["stream.race"] } else { &[] });
    }
}

/// What a function of a stream does comes at its place: behind work that was queued elsewhere before and that nothing orders.
#[test]
fn a_function_that_works_on_what_another_stream_uses_is_a_race() {
    let (mut script, a, b, event, block) = setting();
    let held = script.function(a);
    let at = script.record(a, event);
    script.copy(b, HOST, block.part(0, 64));
    // This one waits for the function.
    let c = script.stream();
    script.wait(c, event, Some(at));
    let seen = script.alloc(64);
    script.copy(c, seen.range, block.part(64, 64));
    script
        .thread(2)
        .say(Operation::FunctionBegan { position: held });
    script.fill_now(block.part(64, 64));
    script.expect(&[]);
    script.fill_now(block.part(0, 64));
    script.expect(RACE);
    script.complete_to(held).complete(a);
    script.expect(RACE);
}

/// The function has ended, and may have woken the thread that goes on.
#[test]
fn what_comes_after_a_function_may_have_been_told_of_it() {
    let (mut script, a, b, _, block) = setting();
    let held = script.function(a);
    script
        .thread(2)
        .say(Operation::FunctionBegan { position: held });
    script.fill_now(block.part(0, 64));
    script.complete_to(held);
    script.thread(1).copy(b, HOST, block.part(0, 64));
    script.expect(&[]);
}

/// A copy of rows of 16 bytes, 64 apart, into a block.
fn rows_into(block: Block, start: u64, count: u64) -> millpond_trace::Accesses {
    let mut what = accesses(TaskKind::Copy, &[], &[]);
    what.writes.push(Span {
        start: block.range.start + start,
        width: 16,
        pitch: 64,
        rows: count,
    });
    what
}

#[test]
fn images_of_many_rows_race_where_their_rows_do() {
    for count in [1080, 2160, 16_000] {
        let mut script = Script::about(ORDER);
        let (a, b) = (script.stream(), script.stream());
        let block = script.alloc(count * 64);
        script.enqueue(a, rows_into(block, 0, count), None, None);
        script.enqueue(b, rows_into(block, 16, count), None, None);
        script.expect(&[]);
        script.enqueue(b, rows_into(block, 8, count), None, None);
        script.expect(RACE);
        assert_eq!(script.checker().statistics().dropped_facts, 0);
    }
}

#[test]
fn a_block_that_is_cut_into_thousands_of_pieces_is_known() {
    const PIECES: u64 = 20_000;
    let mut script = Script::about(ORDER);
    let (a, b) = (script.stream(), script.stream());
    let block = script.alloc(PIECES * 512);
    for piece in 0..PIECES {
        let stream = if piece % 2 == 0 { a } else { b };
        script.fill(stream, block.part(piece * 512, 512));
    }
    script.expect(&[]);
    script.fill(a, block.part(9_999 * 512, 512));
    script.expect(RACE);
    assert_eq!(script.checker().statistics().dropped_facts, 0);
}

#[test]
fn thousands_of_copies_that_nobody_waited_for_are_known() {
    const COPIES: u64 = 10_000;
    let mut script = Script::about(ORDER);
    let (a, b) = (script.stream(), script.stream());
    let (block, pinned) = (script.alloc(COPIES * 64), script.alloc_host(COPIES * 64));
    let own = |copy: u64| Bytes {
        start: HOST.start + copy * 64,
        bytes: 64,
    };
    for copy in 0..COPIES {
        let from = if copy % 2 == 0 {
            own(copy)
        } else {
            pinned.part(copy * 64, 64)
        };
        script.copy(a, block.part(copy * 64, 64), from);
    }
    script.expect(&[]);
    assert_eq!(script.checker().statistics().dropped_facts, 0);
    // The first of them is still known.
    script.copy(b, own(0), block.part(64, 64));
    script.expect(&["stream.race", "stream.race"]);
}
