//! The caching allocator of PyTorch for Ascend: only what it has handed out may be touched, whatever it keeps.

mod common;

use common::{Block, HOST, Script, accesses};
use millpond_check::Severity;
use millpond_trace::{Bytes, Operation, Site, TaskKind};

const DOMAIN: u64 = 9;
/// A block that the allocator cuts up.
const SEGMENT: u64 = 2 << 20;

/// A script with an allocator that has a block.
fn torch() -> (Script, Block) {
    torch_with(Script::new())
}

fn torch_with(mut script: Script) -> (Script, Block) {
    script.open();
    script.say(Operation::DomainCreated {
        domain: DOMAIN,
        name: "ptaCaching".into(),
    });
    let block = script.alloc(SEGMENT);
    (script, block)
}

/// Hands out a piece, at a line of the script.
fn hand_out(script: &mut Script, line: u32, range: Bytes) -> u64 {
    let region = script.number();
    let site = Site {
        call: "mstxMemRegionsRegister".into(),
        caller: 0x1000,
        stack: line,
    };
    script.say_from(
        site,
        Operation::RegionRegistered {
            region,
            domain: DOMAIN,
            heap: None,
            device: 0,
            range,
        },
    );
    region
}

/// PyTorch's task queue frees memory before the work that uses it is launched, so lifetimes are not judged with it.
#[test]
fn what_an_allocator_keeps_that_is_not_followed_is_not_a_leak() {
    for leaks in [false, true] {
        let (mut script, block) = torch_with(Script::about(&["memory.leak"]));
        script.say(Operation::AnnotationStrange {
            domain: DOMAIN,
            what: "its queue is on".into(),
        });
        let first = hand_out(&mut script, 1, block.part(0, 512));
        script.end_region(first);
        hand_out(&mut script, 2, block.part(512, 512));
        if leaks {
            script.alloc(64);
        }
        script.finalize().end();
        script.expect(if leaks { &["memory.leak"] } else { &[] });
    }
}

#[test]
fn tensors_come_and_go_and_what_is_kept_is_not_a_leak() {
    let (mut script, block) = torch();
    let stream = script.stream();
    for _ in 0..3 {
        let one = hand_out(&mut script, 1, block.part(0, 512));
        script.fill(stream, block.part(0, 512));
        // It dies with work in the queue, which is right in the order of one stream.
        script.end_region(one);
    }
    let model = hand_out(&mut script, 2, block.part(512, 4096));
    script.fill(stream, block.part(512, 4096));
    script.synchronize(stream);
    script.call("aclFinalize").say(Operation::Finalized).end();
    let _ = model;
    let findings = script.rules();
    assert!(!findings.contains(&"memory.leak"), "{findings:?}");
    assert!(
        !findings.iter().any(|it| it.starts_with("heap.")),
        "{findings:?}"
    );
}

#[test]
fn a_pointer_that_outlived_its_tensor_is_found_although_the_memory_is_there() {
    let (mut script, block) = torch();
    let one = hand_out(&mut script, 1, block.part(512, 512));
    script.fill_now(block.part(512, 512));
    script.end_region(one);
    script.copy_now(HOST, block.part(512, HOST.bytes.min(512)));
    script.expect(&["memory.use-after-free"]);
    let finding = &script.findings[0];
    assert!(
        finding.message.contains("which was freed"),
        "{}",
        finding.message
    );
    let lifetime = finding.block.as_ref().expect("its lifetime");
    assert!(lifetime.freed.is_some() && lifetime.range == block.part(512, 512));
}

#[test]
fn work_stays_in_one_piece() {
    let (mut script, block) = torch();
    hand_out(&mut script, 1, block.part(0, 512));
    hand_out(&mut script, 2, block.part(512, 512));
    script.fill_now(block.part(0, 1024));
    script.expect(&["memory.out-of-bounds"]);
    script.findings.clear();
    script.fill_now(block.part(4096, 512));
    script.expect(&["memory.out-of-bounds"]);
}

/// A tensor of the first stream is used by the second, dies, and its memory goes to the next tensor.
fn reused(wait: bool) -> Script {
    let (mut script, block) = torch();
    let (owner, side) = (script.stream(), script.stream());
    let written = script.event();
    let one = hand_out(&mut script, 1, block.part(0, 512));
    script.fill(owner, block.part(0, 512));
    let mark = script.record(owner, written);
    script.wait(side, written, Some(mark));
    script.copy(side, HOST, block.part(0, 512));
    if wait {
        // What record_stream does: the allocator asks an event of the other stream before it hands out again.
        script.synchronize(side);
    }
    script.end_region(one);
    hand_out(&mut script, 2, block.part(0, 512));
    script.fill(owner, block.part(0, 512));
    script
}

#[test]
fn memory_that_is_handed_out_while_another_stream_uses_it_is_a_missing_record_stream() {
    let script = reused(false);
    script.expect(&["stream.missing-record-use"]);
    let finding = &script.findings[0];
    assert_eq!(finding.operations.len(), 3, "write, read and free");
    assert!(
        finding
            .advice
            .as_ref()
            .is_some_and(|it| it.contains("record_stream"))
    );
    reused(true).expect(&[]);
}

#[test]
fn a_race_inside_one_tensor_is_a_race() {
    let (mut script, block) = torch();
    let (one, two) = (script.stream(), script.stream());
    hand_out(&mut script, 1, block.part(0, 512));
    script.fill(one, block.part(0, 512));
    script.fill(two, block.part(0, 512));
    script.expect(&["stream.race"]);
    let lifetime = script.findings[0].block.as_ref().expect("its lifetime");
    assert!(lifetime.name.contains("cache"), "{}", lifetime.name);
}

#[test]
fn after_an_annotation_that_cannot_be_trusted_nothing_is_judged() {
    let (mut script, block) = torch();
    let one = hand_out(&mut script, 1, block.part(0, 512));
    script.fill_now(block.part(0, 512));
    script.end_region(one);
    script.say(Operation::AnnotationStrange {
        domain: DOMAIN,
        what: "its queue is on".into(),
    });
    script.findings.clear();
    script.copy_now(HOST, block.part(0, 512));
    assert!(!script.rules().contains(&"memory.use-after-free"));
}

#[test]
fn a_result_that_is_converted_or_moved_before_it_is_computed_is_not_read() {
    for name in [
        "Cast",
        "aclnnCast",
        "aclnnConstantPadNd",
        "aclnnInplaceCopy",
    ] {
        let (mut script, block) = torch_with(Script::about(&["memory.uninitialised-read"]));
        let stream = script.stream();
        hand_out(&mut script, 1, block.part(0, 512));
        hand_out(&mut script, 2, block.part(512, 512));
        let mut moved = accesses(
            TaskKind::Compute,
            &[block.part(0, 512)],
            &[block.part(512, 512)],
        );
        moved.name = name.into();
        script.enqueue(stream, moved, None, None);
        script.expect(&[]);
        // What comes of it has no content either.
        script.compute(stream, &[block.part(512, 512)], &[]);
        script.expect(&["memory.uninitialised-read"]);
    }
}

/// A tensor that is copied to the host before anything wrote it, and the script that goes on.
fn copied_empty() -> (Script, Block, u64, Bytes) {
    let (mut script, block) = torch_with(Script::about(&["memory.uninitialised-read"]));
    let result = hand_out(&mut script, 1, block.part(0, 512));
    let host = Bytes { bytes: 12, ..HOST };
    script.copy_now(host, block.part(0, 12));
    script.expect(&[]);
    (script, block, result, host)
}

#[test]
fn an_operator_that_the_host_computes_copies_its_empty_result_there_and_back() {
    let (mut script, block, result, host) = copied_empty();
    script.copy_now(block.part(0, 12), host);
    script.end_region(result);
    script.finalize().end();
    script.expect(&[]);
}

#[test]
fn the_result_may_take_a_way_through_other_tensors() {
    let (mut script, block) = torch_with(Script::about(&["memory.uninitialised-read"]));
    let stream = script.stream();
    let move_as = |script: &mut Script, from: Bytes, to: Bytes| {
        let mut what = accesses(TaskKind::Compute, &[from], &[to]);
        what.name = "ViewCopy".into();
        script.call("aclopCompileAndExecute");
        script.enqueue(stream, what, None, None);
    };
    let host = Bytes { bytes: 36, ..HOST };
    let result = hand_out(&mut script, 1, block.part(0, 512));
    // Its rows are put together in another one, which goes to the host and dies.
    let dense = hand_out(&mut script, 2, block.part(512, 512));
    move_as(&mut script, block.part(0, 36), block.part(512, 36));
    script.copy_now(host, block.part(512, 36));
    script.end_region(dense);
    let dense = hand_out(&mut script, 3, block.part(512, 512));
    script.copy_now(block.part(512, 36), host);
    move_as(&mut script, block.part(512, 36), block.part(0, 36));
    script.end_region(dense);
    script.end_region(result);
    script.finalize().end();
    script.expect(&[]);
}

#[test]
fn a_result_that_is_copied_before_it_is_computed_is_found() {
    const RULE: &[&str] = &["memory.uninitialised-read"];
    // When it dies.
    let (mut script, _, result, _) = copied_empty();
    script.end_region(result);
    script.expect(RULE);
    assert_eq!(script.findings[0].operations.len(), 1);
    // When an operator computes it.
    let (mut script, block, _, _) = copied_empty();
    script.compute(7, &[], &[block.part(0, 12)]);
    script.expect(RULE);
    // At the end.
    let (mut script, ..) = copied_empty();
    script.end();
    script.expect(RULE);
    // A read by an operator is reported at once, the copy later.
    let (mut script, block, result, _) = copied_empty();
    script.compute(7, &[block.part(0, 12)], &[]);
    script.expect(RULE);
    script.end_region(result);
    script.expect(&[RULE[0]; 2]);
}

#[test]
fn a_part_that_was_never_written_is_reported_at_once() {
    let (mut script, block) = torch_with(Script::about(&["memory.uninitialised-read"]));
    hand_out(&mut script, 1, block.part(0, 512));
    script.fill_now(block.part(0, 128));
    let host = Bytes { bytes: 512, ..HOST };
    script.copy_now(host, block.part(0, 512));
    script.expect(&["memory.uninitialised-read"]);
}

/// What is mapped for an allocator in two mappings, with a tensor across both.
fn mapped(script: &mut Script) -> (Bytes, [u64; 2]) {
    let range = script.reserve(SEGMENT);
    let pieces = [(); 2].map(|()| script.piece(SEGMENT / 2));
    map(script, range, pieces);
    (range, pieces)
}

fn halves(range: Bytes) -> [Bytes; 2] {
    let bytes = range.bytes / 2;
    [range.start, range.start + bytes].map(|start| Bytes { start, bytes })
}

fn map(script: &mut Script, range: Bytes, pieces: [u64; 2]) {
    for (half, piece) in halves(range).into_iter().zip(pieces) {
        script.map(piece, half);
    }
}

#[test]
fn whoever_gave_the_memory_may_save_it_and_bring_it_back() {
    let (mut script, block) = torch();
    let (range, pieces) = mapped(&mut script);
    let part = |range: Bytes, start: u64, bytes: u64| Bytes {
        start: range.start + start,
        bytes,
    };
    // Some are written, some are not, and much is not handed out.
    hand_out(&mut script, 1, block.part(0, 512));
    hand_out(&mut script, 2, block.part(1024, 512));
    hand_out(&mut script, 3, part(range, 512, SEGMENT - 1024));
    script.fill_now(block.part(0, 512));
    script.fill_now(part(range, 512, 512));
    let host = Bytes {
        bytes: SEGMENT,
        ..HOST
    };
    for whole in [block.range, range] {
        script.copy_now(host, whole);
        script.copy_now(whole, host);
    }
    script.expect(&[]);
    // It goes meanwhile, and comes back at the same place.
    script.copy_now(host, range);
    for (half, piece) in halves(range).into_iter().zip(pieces) {
        script.unmap(piece, half);
        script.free_piece(piece, SEGMENT / 2);
    }
    let pieces = [(); 2].map(|()| script.piece(SEGMENT / 2));
    map(&mut script, range, pieces);
    script.copy_now(range, host);
    script.compute(7, &[part(range, 512, 512)], &[]);
    script.expect(&[]);
    // What is kept until the end is not a leak, nor are its addresses.
    script.finalize().end();
    script.expect(&[]);
    // Less than all of it is not the owner's.
    let (mut script, block) = torch();
    hand_out(&mut script, 1, block.part(0, 512));
    hand_out(&mut script, 2, block.part(512, 512));
    script.fill_now(block.part(0, 512));
    script.fill_now(block.part(512, 512));
    let host = Bytes {
        bytes: 1024,
        ..HOST
    };
    script.copy_now(host, block.part(0, 1024));
    script.expect(&["memory.out-of-bounds"]);
}

#[test]
fn mappings_that_no_allocator_cuts_up_are_leaks_still() {
    let (mut script, block) = torch();
    hand_out(&mut script, 1, block.part(0, 512));
    script.fill_now(block.part(0, 512));
    mapped(&mut script);
    script.finalize().end();
    // The mappings, the pieces and the addresses.
    script.expect(&["memory.leak-mapping"; 5]);
}

/// A loop of twenty turns whose line 7 makes a tensor; `kept` says whether it stays. Before it parameters come, and in
/// each turn line 5 makes what it needs for a while.
fn training(kept: impl Fn(u64) -> bool, turns: u64) -> Script {
    training_with(kept, turns, 512)
}

/// The same with tensors of so many bytes.
fn training_with(kept: impl Fn(u64) -> bool, turns: u64, bytes: u64) -> Script {
    let mut script = Script::about(&["memory.growth"]);
    script.open();
    script.say(Operation::DomainCreated {
        domain: DOMAIN,
        name: "ptaCaching".into(),
    });
    let block = script.alloc(4096 * bytes);
    let at = |index: u64| block.part(index * bytes, bytes);
    for (parameter, line) in (0..30).zip((1..4).cycle()) {
        let loaded = hand_out(&mut script, 4, at(3000));
        hand_out(&mut script, line, at(parameter));
        script.end_region(loaded);
    }
    for turn in 0..turns {
        let passing: Vec<u64> = (0..6)
            .map(|index| hand_out(&mut script, 5, at(100 + index)))
            .collect();
        let loss = hand_out(&mut script, 7, at(200 + turn));
        for region in passing {
            script.end_region(region);
        }
        if !kept(turn) {
            script.end_region(loss);
        }
    }
    // Gradients of the last turn: many at one line, in one go.
    for gradient in 0..30 {
        hand_out(&mut script, 8, at(400 + gradient));
    }
    script.call("aclFinalize").say(Operation::Finalized).end();
    script
}

#[test]
fn a_line_that_keeps_something_in_every_turn_is_reported_with_what_it_kept() {
    let script = training(|_| true, 40);
    script.expect(&["memory.growth"]);
    let finding = &script.findings[0];
    // It is little.
    assert_eq!(finding.severity, Severity::Hint);
    assert_eq!(finding.operations[0].site.stack, 7);
    assert!(
        finding
            .message
            .contains("40 blocks of torch_npu's cache, 20,480 bytes"),
        "{}",
        finding.message
    );
}

#[test]
fn much_is_a_warning() {
    let script = training_with(|_| true, 40, 1 << 16);
    script.expect(&["memory.growth"]);
    assert_eq!(script.findings[0].severity, Severity::Warning);
}

#[test]
fn parameters_gradients_and_what_only_the_last_turn_left_are_no_growth() {
    training(|_| false, 40).expect(&[]);
    training(|turn| turn == 39, 40).expect(&[]);
    training(|turn| turn < 4, 40).expect(&[]);
}
