//! Blocks that are cut into segments: each rule broken, and the same program fixed.

mod common;

use common::{Block, Script};
use millpond_check::Severity;
use millpond_trace::{Operation, Space};

fn segments() -> Script {
    Script::about(&["segment.*"])
}

fn block_of(script: &mut Script, call: &'static str, bytes: u64) -> Block {
    script.call(call);
    script.alloc_in(Space::Device(0), bytes, None, None)
}

/// Cuts a block of `aclrtMallocAlign32` of 4,096 bytes into regions with these starts and lengths.
fn cut(call: &'static str, regions: &[(u64, u64)]) -> Vec<&'static str> {
    let mut script = segments();
    let block = block_of(&mut script, call, 4096);
    let heap = script.heap(block.part(0, 4096));
    for (start, bytes) in regions {
        script.region(heap, block.part(*start, *bytes));
    }
    script.rules()
}

const ALIGN32: &str = "aclrtMallocAlign32";

#[test]
fn segments_with_room_are_silent() {
    assert!(
        cut(
            ALIGN32,
            &[(0, 100), (192, 32), (256, 1), (320, 4096 - 320 - 32)]
        )
        .is_empty()
    );
    // In any order.
    assert!(cut(ALIGN32, &[(256, 1), (0, 100), (192, 32)]).is_empty());
}

#[test]
fn a_segment_starts_on_64_bytes() {
    assert_eq!(cut(ALIGN32, &[(0, 100), (160, 32)]), ["segment.start"]);
    assert!(cut(ALIGN32, &[(0, 100), (192, 32)]).is_empty());
}

#[test]
fn a_segment_has_room_to_the_next() {
    // 128 bytes take 160.
    assert_eq!(cut(ALIGN32, &[(0, 128), (128, 64)]), ["segment.spacing"]);
    assert_eq!(cut(ALIGN32, &[(128, 64), (0, 128)]), ["segment.spacing"]);
    assert!(cut(ALIGN32, &[(0, 128), (192, 64)]).is_empty());
}

#[test]
fn the_last_segment_has_room_to_the_end() {
    assert_eq!(cut(ALIGN32, &[(2048, 2048)]), ["segment.spacing"]);
    assert!(cut(ALIGN32, &[(2048, 2048 - 32)]).is_empty());
}

#[test]
fn a_block_that_is_not_divided_is_nobodys_business() {
    assert!(cut(ALIGN32, &[(0, 4096)]).is_empty());
    let mut script = segments();
    let block = block_of(&mut script, ALIGN32, 4096);
    let heap = script.heap(block.part(0, 4096));
    for bytes in [4096, 100, 4090] {
        let region = script.region(heap, block.part(0, bytes));
        script.end_region(region);
    }
    script.expect(&[]);
}

#[test]
fn what_was_unregistered_needs_no_room() {
    let mut script = segments();
    let block = block_of(&mut script, ALIGN32, 4096);
    let heap = script.heap(block.part(0, 4096));
    let first = script.region(heap, block.part(0, 128));
    script.end_region(first);
    script.region(heap, block.part(128, 64));
    script.end_heap(heap).free(block);
    // Another heap in a block that took the place of the first.
    let again = script.heap(block.part(0, 4096));
    script.region(again, block.part(64, 64));
    script.expect(&[]);
}

#[test]
fn other_blocks_are_cut_as_one_likes() {
    assert!(cut("aclrtMalloc", &[(0, 100), (100, 28), (128, 4096 - 128)]).is_empty());
}

#[test]
fn regions_that_are_heaps_are_cut_further() {
    let mut script = segments();
    let block = block_of(&mut script, ALIGN32, 4096);
    let outer = script.heap(block.part(0, 4096));
    let inner = script.heap(block.part(1024, 1024));
    script.region(outer, block.part(1024, 1024));
    script.region(inner, block.part(1024, 64));
    script.region(inner, block.part(1024 + 128, 64));
    script.expect(&[]);
}

#[test]
fn media_memory_is_cut_at_128() {
    assert_eq!(cut("acldvppMalloc", &[(64, 64)]), ["segment.media"]);
    assert!(cut("acldvppMalloc", &[(0, 64), (128, 64), (256, 1000)]).is_empty());
}

#[test]
fn blocks_of_an_allocator_are_segments_too() {
    for (second, found) in [(256, true), (320, false)] {
        let mut script = segments();
        let stream = script.stream();
        let block = block_of(&mut script, ALIGN32, 4096);
        script.register(stream, 0x5000);
        script.asked(stream, 0x5000, block.part(0, 256));
        script.asked(stream, 0x5000, block.part(second, 256));
        let rules: &[&str] = if found { &["segment.spacing"] } else { &[] };
        script.expect(rules);
        script.returned(stream, 0x5000, block.part(second, 256));
        script.asked(stream, 0x5000, block.part(2048, 2016));
        script.say(Operation::Finalized);
        script.expect(rules);
    }
}

/// Runs an operator on parts of a block that nobody registered: inputs, and a result.
fn run(call: &'static str, inputs: &[(u64, u64)], result: (u64, u64)) -> Script {
    let mut script = segments();
    let stream = script.stream();
    let block = block_of(&mut script, call, 4096);
    let part = |&(start, bytes): &(u64, u64)| block.part(start, bytes);
    let inputs: Vec<_> = inputs.iter().map(part).collect();
    script.compute(stream, &inputs, &[part(&result)]);
    script
}

#[test]
fn operands_of_one_run_show_how_a_block_is_cut() {
    run(ALIGN32, &[(0, 100), (192, 32)], (256, 64)).expect(&[]);
    // An output right behind an input.
    let script = run(ALIGN32, &[(0, 128)], (128, 128));
    script.expect(&["segment.spacing"]);
    assert_eq!(script.findings[0].severity, Severity::Hint);
    run(ALIGN32, &[(0, 128)], (160, 64)).expect(&["segment.start"]);
    run(ALIGN32, &[(0, 128)], (2048, 2048)).expect(&["segment.spacing"]);
    // Other functions leave room by themselves.
    run("aclrtMalloc", &[(0, 128)], (128, 128)).expect(&[]);
}

#[test]
fn operands_that_may_be_one_tensor_are_silent() {
    // In place, alone, and two parts that are only read.
    run(ALIGN32, &[(0, 4096)], (0, 4096)).expect(&[]);
    run(ALIGN32, &[], (100, 4096 - 100)).expect(&[]);
    run(ALIGN32, &[(0, 128), (128, 128)], (1024, 128)).expect(&[]);
}

#[test]
fn a_block_with_registered_segments_is_judged_by_those() {
    let mut script = segments();
    let stream = script.stream();
    let block = block_of(&mut script, ALIGN32, 4096);
    let heap = script.heap(block.part(0, 4096));
    script.region(heap, block.part(0, 2048));
    script.compute(stream, &[block.part(0, 128)], &[block.part(128, 128)]);
    script.expect(&[]);
}
