//! Allocators on streams: each rule broken, and the same program fixed.

mod common;

use common::{Block, Script};
use millpond_trace::{
    AllocatorChange, Bytes, DescriptorField, DescriptorProblem, Operation, Outcome, RunSource,
    Space, Target,
};

const OBJECT: u64 = 0x5000;
const OTHER: u64 = 0x6000;

fn allocators() -> Script {
    Script::about(&["allocator.*"])
}

/// A program with two streams and one allocator with an arena of 4 KiB.
fn two_streams(script: &mut Script) -> (u64, u64, Block) {
    let (a, b) = (script.stream(), script.stream());
    let arena = script.alloc(4096);
    script.register(a, OBJECT).register(b, OBJECT);
    (a, b, arena)
}

/// The program ends as it should.
fn close(script: &mut Script, streams: &[u64], arena: Block) {
    for stream in streams {
        script.synchronize(*stream).unregister(*stream);
        script
            .call("aclrtDestroyStream")
            .say(Operation::StreamDestroyed {
                stream: *stream,
                dropped: 0,
            });
    }
    script.free(arena).end();
}

#[test]
fn one_allocator_on_two_streams_without_order_is_an_error() {
    for inside in [false, true] {
        let mut script = allocators();
        let (a, b, arena) = two_streams(&mut script);
        let run = if inside {
            Script::run_inside
        } else {
            Script::run
        };
        run(&mut script, a, OBJECT, arena.part(0, 256));
        run(&mut script, b, OBJECT, arena.part(256, 256));
        // Again and again is the same mistake.
        run(&mut script, a, OBJECT, arena.part(0, 256));
        script.synchronize(a);
        close(&mut script, &[a, b], arena);
        script.expect(&["allocator.shared"]);
        assert_eq!(script.findings[0].operations.len(), 2);
    }
}

#[test]
fn one_allocator_on_two_streams_after_a_synchronisation_is_silent() {
    for inside in [false, true] {
        let mut script = allocators();
        let (a, b, arena) = two_streams(&mut script);
        let run = if inside {
            Script::run_inside
        } else {
            Script::run
        };
        run(&mut script, a, OBJECT, arena.part(0, 256));
        script.synchronize(a);
        run(&mut script, b, OBJECT, arena.part(0, 256));
        script.synchronize(b);
        run(&mut script, a, OBJECT, arena.part(0, 256));
        close(&mut script, &[a, b], arena);
        script.expect(&[]);
    }
}

#[test]
fn one_allocator_on_two_streams_ordered_by_an_event_is_a_warning() {
    let mut script = allocators();
    let (a, b, arena) = two_streams(&mut script);
    let event = script.event();
    script.run(a, OBJECT, arena.part(0, 256));
    let recording = script.record(a, event);
    script.wait(b, event, Some(recording));
    script.run(b, OBJECT, arena.part(0, 256));
    close(&mut script, &[a, b], arena);
    script.expect(&["allocator.shared-by-event"]);
}

#[test]
fn an_event_that_the_host_waits_for_is_a_synchronisation() {
    let mut script = allocators();
    let (a, b, arena) = two_streams(&mut script);
    let event = script.event();
    script.run(a, OBJECT, arena.part(0, 256));
    script.record(a, event);
    script.complete(a).say(Operation::Synchronized {
        target: Target::Event(event),
        outcome: Outcome::Done,
    });
    script.run(b, OBJECT, arena.part(0, 256));
    close(&mut script, &[a, b], arena);
    script.expect(&[]);
}

#[test]
fn a_query_and_a_wait_for_the_device_are_synchronisations() {
    for target in [Target::Stream(1), Target::Device(0)] {
        let mut script = allocators();
        let (a, b, arena) = two_streams(&mut script);
        script.run(a, OBJECT, arena.part(0, 256));
        script.complete(a).say(Operation::Queried {
            target,
            outcome: Outcome::Done,
        });
        script.run(b, OBJECT, arena.part(0, 256));
        close(&mut script, &[a, b], arena);
        script.expect(&[]);
    }
}

#[test]
fn an_allocator_for_each_stream_is_silent() {
    let mut script = allocators();
    let (a, b) = (script.stream(), script.stream());
    let arena = script.alloc(4096);
    script.register(a, OBJECT).register(b, OTHER);
    for _ in 0..3 {
        script.run(a, OBJECT, arena.part(0, 256));
        script.run(b, OTHER, arena.part(512, 256));
    }
    close(&mut script, &[a, b], arena);
    script.expect(&[]);
}

#[test]
fn an_operator_that_failed_has_used_nothing() {
    let mut script = allocators();
    let (a, b, arena) = two_streams(&mut script);
    script.asked(a, OBJECT, arena.part(0, 256));
    script.returned(a, OBJECT, arena.part(0, 256));
    script.say(Operation::CallFailed {
        code: 1,
        reason: String::new(),
    });
    let other = script.alloc(64);
    script.fill(a, other.part(0, 64));
    script.run(b, OBJECT, arena.part(0, 256));
    script.synchronize(a).free(other);
    close(&mut script, &[a, b], arena);
    script.expect(&[]);
}

#[test]
fn an_arena_that_goes_under_queued_work_is_found_and_who_used_it_is_shown() {
    for inside in [false, true] {
        let mut script = allocators();
        let stream = script.stream();
        let arena = script.alloc(4096);
        script.register(stream, OBJECT);
        let run = if inside {
            Script::run_inside
        } else {
            Script::run
        };
        run(&mut script, stream, OBJECT, arena.part(1024, 256));
        script.free(arena);
        let rules = script.rules();
        assert_eq!(rules, ["allocator.returned-early"]);
        let block = script.findings[0].block.as_ref().unwrap();
        assert!(block.freed.is_some());
    }
}

#[test]
fn an_arena_that_goes_after_a_synchronisation_is_silent() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    script.run(stream, OBJECT, arena.part(1024, 256));
    script.synchronize(stream).free(arena);
    script.expect(&[]);
}

#[test]
fn an_arena_that_is_unmapped_under_queued_work_is_found() {
    let mut script = allocators();
    let stream = script.stream();
    let range = Bytes {
        start: 0x20_0000_0000,
        bytes: 1 << 21,
    };
    let second = Bytes {
        start: range.start + range.bytes,
        bytes: 1 << 21,
    };
    for (piece, range) in [(1, range), (2, second)] {
        script.call("aclrtMapMem");
        script.say(Operation::PhysicalAllocated {
            piece,
            space: Space::Device(0),
            bytes: range.bytes,
        });
        script.say(Operation::Mapped {
            piece,
            range,
            access: Some(Space::Device(0)),
        });
    }
    script.register(stream, OBJECT);
    // Across both mappings, which is fine.
    let given = Bytes {
        start: second.start - 1024,
        bytes: 4096,
    };
    script.run(stream, OBJECT, given);
    script.expect(&[]);
    script.call("aclrtUnmapMem").say(Operation::Unmapped {
        piece: 2,
        range: second,
        retired: true,
    });
    assert!(script.rules().contains(&"allocator.returned-early"));
}

#[test]
fn an_allocator_that_frees_in_its_callback_is_found_unless_it_waits() {
    for (inside, waits) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut script = allocators();
        let stream = script.stream();
        script.register(stream, OBJECT);
        let block = script.alloc(1024);
        script.asked(stream, OBJECT, block.part(0, 1024));
        if !inside {
            script.compute(stream, &[], &[block.part(0, 1024)]);
        }
        script.returned(stream, OBJECT, block.part(0, 1024));
        if waits {
            script.synchronize(stream);
        }
        script.free(block);
        if inside {
            script.compute(stream, &[], &[]);
        }
        script.synchronize(stream).unregister(stream).end();
        let found = script.rules().contains(&"allocator.returned-early");
        assert_eq!(found, !waits, "{:#?}", script.findings);
    }
}

#[test]
fn descriptions_that_are_refused_say_why() {
    let problems = [
        (DescriptorProblem::NullStream, "allocator.null-stream"),
        (
            DescriptorProblem::Missing(DescriptorField::GetAddress),
            "allocator.incomplete",
        ),
        (DescriptorProblem::Unknown, "allocator.stale-descriptor"),
    ];
    for (problem, rule) in problems {
        let mut script = allocators();
        script.call("aclrtAllocatorRegister");
        script.say(Operation::DescriptorCreated { descriptor: 64 });
        script.say(Operation::DescriptorDestroyed { descriptor: 64 });
        script.say(Operation::DescriptorRefused {
            descriptor: 64,
            problem,
        });
        script.end().expect(&[rule]);
    }
}

#[test]
fn a_stale_description_shows_who_destroyed_it() {
    let mut script = allocators();
    script.call("aclrtAllocatorRegister");
    script.say(Operation::DescriptorCreated { descriptor: 64 });
    script.say(Operation::DescriptorDestroyed { descriptor: 64 });
    script.say(Operation::DescriptorRefused {
        descriptor: 64,
        problem: DescriptorProblem::Unknown,
    });
    let finding = &script.findings[0];
    assert_eq!(finding.operations.len(), 2);
    assert_eq!(
        finding.message,
        "aclrtAllocatorRegister got descriptor 0x40, which was destroyed"
    );
}

/// Registers the description 64 and lets it be used.
fn registered(script: &mut Script, stream: u64) {
    script
        .call("aclrtAllocatorRegister")
        .say(Operation::Allocator {
            stream,
            change: AllocatorChange::Registered {
                descriptor: 64,
                object: OBJECT,
            },
        });
}

fn set(script: &mut Script) {
    script
        .call("aclrtAllocatorSetAllocFuncToDesc")
        .say(Operation::DescriptorSet {
            descriptor: 64,
            field: DescriptorField::Alloc,
        });
}

#[test]
fn a_description_that_is_changed_too_late_is_found() {
    for destroyed in [false, true] {
        let mut script = allocators();
        let stream = script.stream();
        let arena = script.alloc(4096);
        script.say(Operation::DescriptorCreated { descriptor: 64 });
        set(&mut script);
        registered(&mut script, stream);
        set(&mut script);
        script.run(stream, OBJECT, arena.part(0, 256));
        if destroyed {
            script.say(Operation::DescriptorDestroyed { descriptor: 64 });
        }
        close(&mut script, &[stream], arena);
        script.expect(&["allocator.changed-descriptor"]);
    }
}

#[test]
fn a_description_that_is_changed_and_registered_again_is_silent() {
    let mut script = allocators();
    let (a, b) = (script.stream(), script.stream());
    let arena = script.alloc(4096);
    script.say(Operation::DescriptorCreated { descriptor: 64 });
    set(&mut script);
    registered(&mut script, a);
    // The same description for the next stream.
    set(&mut script);
    registered(&mut script, b);
    script.say(Operation::DescriptorDestroyed { descriptor: 64 });
    // Another one at the same address.
    script.say(Operation::DescriptorCreated { descriptor: 64 });
    set(&mut script);
    script.say(Operation::DescriptorDestroyed { descriptor: 64 });
    script.run(a, OBJECT, arena.part(0, 256)).synchronize(a);
    script.run(b, OBJECT, arena.part(0, 256));
    close(&mut script, &[a, b], arena);
    script.expect(&[]);
}

#[test]
fn an_allocator_that_is_replaced_with_blocks_out_is_found() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    script.asked(stream, OBJECT, arena.part(0, 256));
    script.register(stream, OTHER);
    script.returned(stream, OBJECT, arena.part(0, 256));
    script.compute(stream, &[], &[]);
    script.run(stream, OTHER, arena.part(256, 256));
    close(&mut script, &[stream], arena);
    script.expect(&["allocator.replaced-in-use"]);
}

#[test]
fn an_allocator_that_is_replaced_between_runs_is_silent() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    script.run(stream, OBJECT, arena.part(0, 256));
    script.register(stream, OTHER);
    script.run(stream, OTHER, arena.part(256, 256));
    close(&mut script, &[stream], arena);
    script.expect(&[]);
}

#[test]
fn a_stream_that_is_destroyed_with_its_allocator_is_found() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    script.run(stream, OBJECT, arena.part(0, 256));
    script.synchronize(stream);
    script
        .call("aclrtDestroyStream")
        .say(Operation::StreamDestroyed { stream, dropped: 0 });
    script.free(arena).end();
    script.expect(&["allocator.stream-destroyed"]);
}

#[test]
fn blocks_that_overlap_are_found() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    script.asked(stream, OBJECT, arena.part(0, 256));
    script.asked(stream, OBJECT, arena.part(192, 256));
    script.expect(&["allocator.overlap"]);
    assert_eq!(script.findings[0].operations.len(), 2);
}

#[test]
fn the_same_block_twice_is_found() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    for start in [0, 1024] {
        script.say(Operation::AllocatorAsked {
            stream,
            object: OBJECT,
            bytes: 256,
            token: 7,
            address: arena.range.start + start,
        });
    }
    script.expect(&["allocator.overlap"]);
}

#[test]
fn blocks_side_by_side_and_blocks_used_again_are_silent() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    script.asked(stream, OBJECT, arena.part(0, 256));
    script.asked(stream, OBJECT, arena.part(256, 256));
    script.compute(stream, &[], &[]);
    script.returned(stream, OBJECT, arena.part(256, 256));
    script.returned(stream, OBJECT, arena.part(0, 256));
    script.run(stream, OBJECT, arena.part(64, 384));
    script.run(stream, OBJECT, arena.part(0, 4096));
    close(&mut script, &[stream], arena);
    script.expect(&[]);
}

#[test]
fn blocks_that_are_too_small_misaligned_or_elsewhere_are_found() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    let host = script.alloc_host(4096);
    script.call("aclrtMalloc");
    let far = script.alloc_in(Space::Device(1), 4096, None, None);
    let gone = script.alloc(512);
    script.free(gone);
    script.register(stream, OBJECT);
    let nowhere = Bytes {
        start: 0x100,
        bytes: 64,
    };
    let cases = [
        (arena.part(4096 - 64, 65), "allocator.too-small"),
        (arena.part(32, 64), "allocator.misaligned"),
        (host.part(0, 64), "allocator.foreign"),
        (far.part(0, 64), "allocator.foreign"),
        (gone.part(0, 64), "allocator.foreign"),
        (nowhere, "allocator.foreign"),
        (
            Bytes {
                start: 0,
                ..nowhere
            },
            "allocator.foreign",
        ),
    ];
    for (given, rule) in cases {
        let before = script.findings.len();
        script.say(Operation::AllocatorAsked {
            stream,
            object: OBJECT,
            bytes: given.bytes,
            token: 9,
            address: given.start,
        });
        script.returned(stream, OBJECT, Bytes { start: 9, ..given });
        let found: Vec<_> = script.rules()[before..].to_vec();
        assert_eq!(found, [rule], "{:#?}", script.findings.last());
    }
}

#[test]
fn the_last_bytes_of_an_arena_may_be_given() {
    let mut script = allocators();
    let stream = script.stream();
    // Sizes are rounded up to 32.
    let arena = script.alloc(1000);
    script.register(stream, OBJECT);
    script.run(stream, OBJECT, arena.part(960, 64));
    close(&mut script, &[stream], arena);
    script.expect(&[]);
}

#[test]
fn a_block_that_moves_is_found() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    script.register(stream, OBJECT);
    script.asked(stream, OBJECT, arena.part(0, 256));
    let position = script.last(stream);
    script.say(Operation::AllocatorReturned {
        position,
        object: OBJECT,
        token: arena.range.start,
        address: arena.range.start,
        address_now: arena.range.start + 64,
    });
    script.expect(&["allocator.unstable"]);
}

/// What the hint about an allocator that was never asked says.
fn why_unused(tell: impl FnOnce(&mut Script, u64)) -> String {
    let mut script = allocators();
    let stream = script.stream();
    tell(&mut script, stream);
    script.unregister(stream).end();
    script.expect(&["allocator.unused"]);
    script.findings[0].message.clone()
}

fn placed(script: &mut Script, stream: Option<u64>, source: RunSource) {
    script.call("aclopExecuteV2").say(Operation::RunPlaced {
        stream,
        name: "Add".into(),
        source,
        bytes: 0,
        reason: "".into(),
    });
}

#[test]
fn an_allocator_that_is_never_asked_is_hinted_at_and_the_reason_is_told() {
    let message = why_unused(|script, stream| {
        script.register(stream, OBJECT);
    });
    assert!(
        message.ends_with("no operator or model ran on it"),
        "{message}"
    );
    let message = why_unused(|script, stream| {
        placed(script, Some(stream), RunSource::Pool);
        script.register(stream, OBJECT);
    });
    assert!(
        message.ends_with("only before the registration"),
        "{message}"
    );
    let message = why_unused(|script, stream| {
        script.register(stream, OBJECT);
        placed(script, None, RunSource::Pool);
    });
    assert!(message.contains("synchronous calls"), "{message}");
    let message = why_unused(|script, stream| {
        script.register(stream, OBJECT);
        placed(script, Some(stream), RunSource::Nothing);
    });
    assert!(
        message.ends_with("Add ran on it, but it needs no memory"),
        "{message}"
    );
}

#[test]
fn an_allocator_that_is_registered_before_every_run_is_no_waste() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(4096);
    for _ in 0..3 {
        script.register(stream, OBJECT);
        script.run(stream, OBJECT, arena.part(0, 256));
    }
    script.register(stream, OBJECT);
    close(&mut script, &[stream], arena);
    script.expect(&[]);
}

#[test]
fn many_blocks_do_not_make_what_is_queued_forgotten() {
    let mut script = allocators();
    let stream = script.stream();
    let arena = script.alloc(16 << 20);
    script.register(stream, OBJECT);
    for number in 0..10_000 {
        script.run(stream, OBJECT, arena.part(number * 64, 64));
        if number % 100 == 0 {
            script.synchronize(stream);
        }
    }
    script.free(arena);
    script.expect(&["allocator.returned-early"]);
}
