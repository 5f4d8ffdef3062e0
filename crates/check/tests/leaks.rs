//! What is left, and what was never needed.

mod common;

use common::Script;
use millpond_check::{Options, Severity};
use millpond_trace::{Bytes, Frame, HandleKind, Operation, Site, Space};

fn used(script: &mut Script, bytes: u64) -> common::Block {
    let block = script.alloc(bytes);
    script.fill_now(block.part(0, bytes));
    block
}

// memory.leak

#[test]
fn a_block_that_is_left_at_finalize_is_a_leak() {
    let mut script = Script::new();
    used(&mut script, 512);
    script.finalize().end();
    script.expect(&["memory.leak"]);
    assert_eq!(
        script.message(),
        "block 1 (512 bytes) still exists at aclFinalize"
    );
    let missing = script.findings[0].missing.as_deref();
    assert_eq!(missing, Some("aclrtFree before aclFinalize"));

    let mut script = Script::new();
    let block = used(&mut script, 512);
    script.free(block).finalize().end();
    script.expect(&[]);
}

#[test]
fn what_a_program_leaves_that_only_ends_is_one_hint() {
    let mut script = Script::new();
    for bytes in [512, 4096, 1024] {
        used(&mut script, bytes);
    }
    let freed = used(&mut script, 512);
    script.free(freed).end();
    script.expect(&["memory.leak"]);
    let finding = &script.findings[0];
    assert_eq!(finding.severity, Severity::Hint);
    assert_eq!(
        finding.message,
        "3 blocks from 3 places, 5,632 bytes in all, were not freed when the program ended without aclrtResetDevice or \
         aclFinalize"
    );
    // The largest comes first.
    let made: Vec<_> = finding.operations.iter().map(|it| &*it.what).collect();
    let expected =
        ["4,096", "1,024", "512"].map(|bytes| format!("allocates 1 block, {bytes} bytes"));
    assert_eq!(made, expected);

    // Nothing is left.
    let mut script = Script::new();
    let block = used(&mut script, 512);
    script.free(block).end();
    script.expect(&[]);
}

#[test]
fn what_allocators_keep_and_what_a_part_of_a_program_has_is_not_left() {
    // One that gives runs their memory.
    let mut script = Script::new();
    let stream = script.stream();
    let arena = used(&mut script, 4096);
    script.register(stream, 0x5000);
    script.run(stream, 0x5000, arena.part(0, 512));
    script.synchronize(stream).unregister(stream).end();
    script.expect(&[]);
    // One that tells of what it has.
    let mut script = Script::new();
    let pool = used(&mut script, 4096);
    let heap = script.heap(pool.range);
    script.region(heap, pool.part(0, 512));
    script.end();
    assert!(
        !script.rules().contains(&"memory.leak"),
        "{:?}",
        script.rules()
    );
    // Packages of a script.
    let mut script = Script::new();
    script.say(Operation::StackSeen {
        stack: 1,
        frames: vec![Frame::Named {
            function: "<module>".into(),
            file: "infer.py".into(),
            line: 3,
        }],
    });
    used(&mut script, 512);
    script.end();
    script.expect(&[]);
    assert_eq!(script.checker().statistics().unfreed_blocks, 1);
    // A program that looks at a part of itself.
    let mut script = Script::with(Options {
        part: true,
        ..Options::default()
    });
    used(&mut script, 512);
    script.end();
    script.expect(&[]);
}

#[test]
fn what_a_program_leaves_that_only_ends_is_counted_apart() {
    let left = |script: &mut Script| script.checker().statistics().unfreed_blocks;
    let mut script = Script::with(Options {
        part: true,
        ..Options::default()
    });
    used(&mut script, 512);
    let freed = used(&mut script, 512);
    script.free(freed).end();
    script.expect(&[]);
    assert_eq!(left(&mut script), 1);

    let mut script = Script::new();
    used(&mut script, 512);
    script.finalize().end();
    assert_eq!(left(&mut script), 0);

    let mut script = Script::about(&["stream.race"]);
    used(&mut script, 512);
    script.end();
    assert_eq!(left(&mut script), 0);
}

#[test]
fn a_reset_that_the_program_calls_counts_and_one_that_it_does_not_call_does_not() {
    let mut script = Script::new();
    used(&mut script, 512);
    script.reset().finalize().end();
    script.expect(&["memory.leak"]);
    assert!(
        script
            .message()
            .ends_with("still exists at aclrtResetDevice")
    );

    let mut script = Script::new();
    used(&mut script, 512);
    script
        .call("aclrtDestroyContext")
        .say(Operation::ResetBegan { device: 0 })
        .say(Operation::DeviceReset { device: 0 });
    script.finalize().end();
    script.expect(&[]);
}

#[test]
fn a_program_that_only_ends_leaves_no_handles() {
    let mut script = Script::new();
    script.stream();
    script.event();
    script.end();
    script.expect(&[]);
}

#[test]
fn another_device_keeps_its_blocks() {
    let mut script = Script::new();
    let block = used(&mut script, 512);
    script
        .call("aclrtResetDevice")
        .say(Operation::ResetBegan { device: 1 })
        .say(Operation::DeviceReset { device: 1 });
    script.free(block);
    script.reset().finalize().end();
    script.expect(&[]);
}

#[test]
fn blocks_of_one_place_are_one_finding() {
    let mut script = Script::new();
    for number in 1..=3 {
        let range = Bytes {
            start: number * 4096,
            bytes: 512,
        };
        script.say_from(
            Site {
                call: "aclrtMalloc".into(),
                caller: 0x1234,
                stack: 0,
            },
            Operation::Allocated {
                block: number,
                space: Space::Device(0),
                range,
                requested: 512,
                charged: 4096,
                pool: None,
                ordered: None,
            },
        );
    }
    script.finalize();
    script.expect(&["memory.leak"]);
    assert_eq!(
        script.message(),
        "3 blocks of one aclrtMalloc, 1,536 bytes in all, still exist at aclFinalize"
    );
}

#[test]
fn pinned_memory_is_left_when_the_program_is_done_with_its_devices() {
    let mut script = Script::new();
    script.alloc_host(64);
    script.reset();
    script.expect(&[]);
    script.end();
    script.expect(&["memory.leak"]);

    // Freed after the reset: that belongs to no device.
    let mut script = Script::new();
    let block = script.alloc_host(64);
    script.reset();
    script.free_by("aclrtFreeHost", block);
    script.end();
    script.expect(&[]);
}

#[test]
fn what_the_runtime_took_for_itself_is_not_the_programs_leak() {
    let mut script = Script::new();
    script.call("aclmdlLoadFromFile");
    script.alloc_in(Space::Device(0), 512, None, None);
    script.finalize();
    script.expect(&[]);
}

#[test]
fn what_was_told_at_one_end_is_not_told_at_the_next() {
    let mut script = Script::new();
    used(&mut script, 512);
    script.finalize();
    script.call("aclInit").say(Operation::Initialized);
    script.finalize().end();
    script.expect(&["memory.leak"]);
    used(&mut script, 64);
    script.finalize();
    script.expect(&["memory.leak", "memory.leak"]);
}

#[test]
fn leaks_can_be_left_out() {
    let mut script = Script::with(Options {
        leaks: false,
        ..Options::default()
    });
    used(&mut script, 512);
    script.stream();
    script.finalize().end();
    script.expect(&[]);
}

// memory.leak-mapping

#[test]
fn virtual_memory_is_given_back_piece_by_piece() {
    let mut script = Script::new();
    let range = script.reserve(4096);
    let piece = script.piece(4096);
    script.map(piece, range);
    script.finalize();
    script.expect(&["memory.leak-mapping"; 3]);
    let missing = |index: usize| script.findings[index].missing.as_deref();
    assert_eq!(missing(0), Some("aclrtFreePhysical before aclFinalize"));
    assert_eq!(missing(1), Some("aclrtUnmapMem before aclFinalize"));
    assert_eq!(
        missing(2),
        Some("aclrtReleaseMemAddress before aclFinalize")
    );

    let mut script = Script::new();
    let range = script.reserve(4096);
    let piece = script.piece(4096);
    script.map(piece, range);
    script.unmap(piece, range).free_piece(piece, 4096);
    script.release(range).finalize().end();
    script.expect(&[]);
}

#[test]
fn a_device_that_is_reset_leaves_the_reservation_for_later() {
    let mut script = Script::new();
    let range = script.reserve(4096);
    script.reset();
    script.release(range).finalize().end();
    script.expect(&[]);
}

// handle.leak

#[test]
fn handles_are_ended_by_who_made_them() {
    let mut script = Script::new();
    script.stream();
    script.event();
    let dataset = Operation::HandleCreated {
        kind: HandleKind::Dataset,
        handle: 7,
    };
    script.call("aclmdlCreateDataset").say(dataset);
    script
        .call("aclrtMemPoolCreate")
        .say(Operation::PoolCreated {
            pool: 9,
            device: 0,
            limit: 1 << 20,
        });
    script
        .call("aclrtAllocatorCreateDesc")
        .say(Operation::DescriptorCreated { descriptor: 0x50 });
    script
        .call("aclrtCreateContext")
        .say(Operation::ContextCreated {
            context: 3,
            device: 0,
        });
    let mut left = script.finalize().findings.clone();
    left.sort_by_key(|finding| finding.operations[0].order);
    assert!(left.iter().all(|finding| finding.rule.id == "handle.leak"));
    let told: Vec<_> = left.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "stream 1 still exists at aclFinalize",
            "event 2 still exists at aclFinalize",
            "aclmdlDataset still exists at aclFinalize",
            "pool still exists at aclFinalize",
            "allocator descriptor still exists at aclFinalize",
            "context 3 still exists at aclFinalize",
        ]
    );
    let missing = left[0].missing.as_deref();
    assert_eq!(missing, Some("aclrtDestroyStream before aclFinalize"));
}

#[test]
fn handles_that_were_ended_are_silent() {
    let mut script = Script::new();
    let (stream, event) = (script.stream(), script.event());
    let (kind, handle) = (HandleKind::Model, 7);
    script
        .call("aclmdlLoadFromFile")
        .say(Operation::HandleCreated { kind, handle });
    script
        .call("aclmdlUnload")
        .say(Operation::HandleDestroyed { kind, handle });
    script
        .call("aclrtDestroyStream")
        .say(Operation::StreamDestroyed { stream, dropped: 0 });
    script
        .call("aclrtDestroyEvent")
        .say(Operation::EventDestroyed { event });
    // The context and the stream of a device are the runtime's.
    script
        .call("aclrtSetDevice")
        .say(Operation::ContextCreated {
            context: 1,
            device: 0,
        })
        .say(Operation::StreamCreated {
            stream: 77,
            context: 1,
            device: 0,
        });
    script.reset().finalize().end();
    script.expect(&[]);
}

#[test]
fn a_destroyed_context_ends_its_streams() {
    let mut script = Script::new();
    script
        .call("aclrtCreateContext")
        .say(Operation::ContextCreated {
            context: 1,
            device: 0,
        });
    script.stream();
    script
        .call("aclrtDestroyContext")
        .say(Operation::ContextDestroyed { context: 1 });
    script.finalize();
    script.expect(&[]);
}

#[test]
fn a_stream_that_a_reset_has_to_end_was_left() {
    let mut script = Script::new();
    script.stream();
    script.reset();
    script.expect(&["handle.leak"]);
}

#[test]
fn an_event_may_be_destroyed_after_the_reset() {
    let mut script = Script::new();
    let event = script.event();
    script.reset();
    script
        .call("aclrtDestroyEvent")
        .say(Operation::EventDestroyed { event });
    script.end();
    script.expect(&[]);
    script.event();
    script.end();
    script.expect(&[]);
}

// memory.leak-step

fn step(script: &mut Script, range: u64) {
    script.call("mstxRangeStartA").say(Operation::RangeStarted {
        range,
        domain: 0,
        message: "step start".to_owned(),
        stream: None,
    });
}

fn alloc_at(script: &mut Script, caller: u64, bytes: u64) -> common::Block {
    let number = script.number();
    let range = Bytes {
        start: 0x5000_0000 + number * 4096,
        bytes,
    };
    script.say_from(
        Site {
            call: "aclrtMalloc".into(),
            caller,
            stack: 0,
        },
        Operation::Allocated {
            block: number,
            space: Space::Device(0),
            range,
            requested: bytes,
            charged: 4096,
            pool: None,
            ordered: None,
        },
    );
    common::Block { number, range }
}

#[test]
fn steps_that_each_leave_a_block_leak() {
    let mut script = Script::new();
    for number in 1..=10 {
        step(&mut script, number);
        alloc_at(&mut script, 0x1111, 100);
        let temporary = alloc_at(&mut script, 0x2222, 100);
        script.free(temporary);
    }
    script.expect(&["memory.leak-step"]);
    assert!(
        script
            .message()
            .ends_with("6 blocks, 600 bytes in all, since step 1"),
        "{}",
        script.message()
    );
}

#[test]
fn the_end_of_the_sixth_step_is_enough() {
    let mut script = Script::new();
    for number in 1..=6 {
        step(&mut script, number);
        alloc_at(&mut script, 0x1111, 100);
        script
            .call("mstxRangeEnd")
            .say(Operation::RangeEnded { range: number });
        // Between steps is not a step.
        alloc_at(&mut script, 0x3333, 100);
    }
    script.expect(&["memory.leak-step"]);
}

#[test]
fn caches_that_fill_and_buffers_that_serve_the_next_steps_do_not_leak() {
    let mut script = Script::new();
    let mut recent = std::collections::VecDeque::new();
    for number in 1..=20 {
        step(&mut script, number);
        if number <= 4 {
            alloc_at(&mut script, 0x1111, 100);
        }
        // Every third step looks at the whole again and keeps something.
        if number % 3 == 0 {
            alloc_at(&mut script, 0x2222, 100);
        }
        recent.push_back(alloc_at(&mut script, 0x3333, 100));
        if recent.len() > 3 {
            let oldest = recent.pop_front().unwrap();
            script.free(oldest);
        }
    }
    script.expect(&[]);
}

#[test]
fn regions_of_a_pool_leak_by_step_too() {
    let mut script = Script::new();
    for number in 1..=8 {
        step(&mut script, number);
        let range = Bytes {
            start: 4096 * number,
            bytes: 64,
        };
        script.say_from(
            Site {
                call: "mstxMemRegionsRegister".into(),
                caller: 0x1111,
                stack: 0,
            },
            Operation::RegionRegistered {
                region: number,
                domain: 0,
                heap: None,
                device: 0,
                range,
            },
        );
    }
    script.expect(&["memory.leak-step"]);
}

// memory.never-used

#[test]
fn a_block_that_nobody_touched_is_a_hint() {
    let mut script = Script::new();
    script.open();
    let block = script.alloc(512);
    script.free(block);
    script.expect(&["memory.never-used"]);
    assert_eq!(
        script.message(),
        "block 1 (512 bytes) was freed, and no byte of it was ever read or written"
    );
    let block = script.alloc(512);
    script.fill_now(block.part(0, 1));
    script.free(block);
    script.expect(&["memory.never-used"]);
}

#[test]
fn a_block_that_is_left_untouched_is_both() {
    let mut script = Script::new();
    script.open();
    script.alloc(512);
    script.finalize();
    let mut rules = script.rules();
    rules.sort_unstable();
    assert_eq!(rules, ["memory.leak", "memory.never-used"]);
}

#[test]
fn memory_that_others_may_use_unseen_is_not_judged() {
    let mut script = Script::new();
    script.open();
    // Pinned memory, registered memory, memory that a stream said it uses, and a model's.
    let pinned = script.alloc_host(64);
    script.free_by("aclrtFreeHost", pinned);
    let heap = script.alloc(4096);
    script
        .call("mstxMemHeapRegister")
        .say(Operation::HeapRegistered {
            heap: 1,
            domain: 0,
            device: 0,
            range: heap.range,
        });
    script.free(heap);
    let recorded = script.alloc(64);
    let (stream, address) = (script.stream(), recorded.range.start);
    let position = script.last(stream);
    script
        .call("millpondRecordUse")
        .say(Operation::UseRecorded { address, position });
    script.free(recorded);
    let given = script.alloc(64);
    script
        .call("aclmdlLoadFromFileWithMem")
        .say(Operation::HandleCreated {
            kind: HandleKind::Model,
            handle: 1,
        });
    script.free(given);
    // Work that has no turn yet.
    let event = script.event();
    let waiting = script.alloc(64);
    script.wait(stream, event, None);
    script.fill(stream, waiting.part(0, 64));
    script.free(waiting);
    // What the runtime took for itself.
    script.call("aclopExecuteV2");
    let own = script.alloc_in(Space::Device(0), 64, None, None);
    script.free_by("aclopExecuteV2", own);
    let hints = script.rules();
    let hints: Vec<_> = hints
        .iter()
        .filter(|id| **id == "memory.never-used")
        .collect();
    assert!(hints.is_empty(), "{:#?}", script.findings);
}
