//! Bounds, frees and freed memory: each rule broken, and the same program fixed.

mod common;

use common::memory::{copy_rows, rows};
use common::{HOST, Script, accesses};
use millpond_trace::{Bytes, GuardKind, Operation, Outcome, Space, TaskKind};

fn part(start: u64, bytes: u64) -> Bytes {
    Bytes { start, bytes }
}

fn host(bytes: u64) -> Bytes {
    part(HOST.start, bytes)
}

// memory.out-of-bounds

#[test]
fn a_refused_copy_that_ends_behind_its_block_is_out_of_bounds() {
    let mut script = Script::new();
    let block = script.alloc(256);
    let at = block.range.start;
    script.refuse_copy(block.part(128, 512), host(512), at + 128);
    script.expect(&["memory.out-of-bounds"]);
    let expected = format!(
        "writes 512 bytes at {:#x}, 384 of them past the end of block 1 (256 bytes)",
        at + 128
    );
    assert_eq!(script.message(), expected);
    let lifetime = script.findings[0].block.as_ref().unwrap();
    assert_eq!((lifetime.range.start, lifetime.range.bytes), (at, 256));
}

#[test]
fn a_copy_to_the_last_byte_is_inside() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.copy_now(block.part(128, 128), host(128));
    script.copy_now(host(256), block.part(0, 256));
    script.expect(&[]);
}

#[test]
fn work_that_was_let_pass_may_still_use_bytes_that_nobody_promised() {
    // 100 bytes are rounded up to 128, and the block has more behind that.
    let mut script = Script::new();
    let block = script.alloc(100);
    script.fill_now(block.part(0, 128));
    script.expect(&[]);
    script.fill_now(block.part(0, 129));
    script.expect(&["memory.out-of-bounds"]);
    assert!(
        script
            .message()
            .ends_with("1 of them past the end of block 1 (100 bytes, rounded up to 128)"),
        "{}",
        script.message()
    );
}

#[test]
fn operators_may_read_the_padding_but_not_write_it() {
    let mut script = Script::new();
    let stream = script.stream();
    let block = script.alloc(100);
    script.compute(stream, &[block.part(0, 160)], &[block.part(0, 128)]);
    script.expect(&[]);
    script.compute(stream, &[], &[block.part(0, 160)]);
    script.expect(&["memory.out-of-bounds"]);
    script.compute(stream, &[block.part(0, 161)], &[]);
    script.expect(&["memory.out-of-bounds"; 2]);
    // This function adds none.
    script.call("aclrtMallocAlign32");
    let exact = script.alloc_in(Space::Device(0), 100, None, None);
    script.compute(stream, &[exact.part(0, 160)], &[]);
    script.expect(&["memory.out-of-bounds"; 3]);
}

#[test]
fn work_that_reached_beyond_its_block_is_not_told_again_by_the_guard() {
    let mut script = Script::new();
    let block = script.alloc_host(100);
    script.fill_now(block.part(0, 140));
    script.call("aclrtFreeHost").say(Operation::GuardChanged {
        guard: GuardKind::Redzone,
        block: block.number,
        range: block.part(100, 40),
    });
    script.expect(&["memory.out-of-bounds"]);
}

#[test]
fn what_the_runtime_uses_for_itself_is_its_own_affair() {
    let mut script = Script::new();
    script.call("aclopExecuteV2");
    let block = script.alloc_in(Space::Device(0), 100, None, None);
    script.fill_now(block.part(0, 160));
    script.expect(&[]);
}

#[test]
fn an_address_in_no_block_is_told_with_the_nearest() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.refuse_fill(part(block.range.start - 16, 32));
    script.refuse_fill(part(block.range.start + 512 + 64, 32));
    script.expect(&["memory.out-of-bounds", "memory.out-of-bounds"]);
    let message = |index: usize| &script.findings[index].message;
    assert!(
        message(0).ends_with("in no block: 16 bytes before block 1 (256 bytes)"),
        "{}",
        message(0)
    );
    assert!(
        message(1).ends_with("in no block: 64 bytes past the end of block 1 (256 bytes)"),
        "{}",
        message(1)
    );
}

#[test]
fn an_address_far_from_everything_is_told_alone() {
    let mut script = Script::new();
    script.alloc(256);
    script.refuse_fill(part(0x9000_0000_0000, 32));
    script.expect(&["memory.out-of-bounds"]);
    assert!(script.message().ends_with("is in no block"));
    assert!(script.findings[0].block.is_none());
}

#[test]
fn the_other_side_of_a_refused_copy_is_not_at_fault() {
    let mut script = Script::new();
    let block = script.alloc(256);
    let at = block.range.start;
    // Host memory is in no block either, but the refusal is not about it.
    script.refuse_copy(host(512), block.part(0, 512), at);
    script.expect(&["memory.out-of-bounds"]);
    assert!(script.message().starts_with("reads 512 bytes"));
}

#[test]
fn an_address_that_only_begins_like_the_refused_one_is_not_at_fault() {
    let mut script = Script::new();
    let short = part(0x7000, 64);
    script.refuse_copy(part(0x70_0000, 64), short, 0x70_0000);
    script.expect(&["memory.out-of-bounds"]);
    assert!(script.message().starts_with("writes"));
}

#[test]
fn refusals_for_other_reasons_are_no_finding() {
    let mut script = Script::new();
    let block = script.alloc(256);
    let copy = accesses(TaskKind::Copy, &[host(64)], &[block.part(0, 64)]);
    let direction = format!(
        "the direction says that the source is device memory, but {:#x} is foreign",
        HOST.start
    );
    script.refuse("aclrtMemcpy", copy, direction);
    let fill = accesses(TaskKind::Fill, &[], &[part(HOST.start + 1, 64)]);
    let unaligned = format!("{:#x} is not a multiple of 4", HOST.start + 1);
    script.refuse("aclrtMemsetD32", fill, unaligned);
    let mut small = accesses(TaskKind::Copy, &[host(64)], &[block.part(0, 64)]);
    small.room = 32;
    let reason = "64 bytes do not fit into a destination of 32 bytes".to_owned();
    script.refuse("aclrtMemcpy", small, reason);
    script.expect(&[]);
}

#[test]
fn device_memory_just_before_the_first_block_is_out_of_bounds() {
    let mut script = Script::new();
    let block = script.alloc(256);
    let before = part(block.range.start - 64, 64);
    let copy = accesses(TaskKind::Copy, &[before], &[host(64)]);
    // The device has nothing there, so the refusal takes the address for the program's own memory.
    let direction = format!(
        "the direction says that the source is device memory, but {:#x} is the program's own memory",
        before.start
    );
    script.refuse("aclrtMemcpy", copy, direction);
    script.expect(&["memory.out-of-bounds"]);
    assert!(script.message().contains("64 bytes before block"));
}

#[test]
fn a_copy_may_go_from_one_mapping_into_the_next() {
    let mut script = Script::new();
    let range = script.reserve(8192);
    let (one, other) = (script.piece(4096), script.piece(4096));
    script.map(one, part(range.start, 4096));
    script.fill_now(part(range.start, 4096));
    script.refuse_fill(part(range.start, 8192));
    script.expect(&["memory.out-of-bounds"]);
    script.map(other, part(range.start + 4096, 4096));
    script.fill_now(part(range.start, 8192));
    script.expect(&["memory.out-of-bounds"]);
}

#[test]
fn rows_that_leave_the_block_are_told_by_number() {
    let mut script = Script::new();
    let block = script.alloc(4 * 128);
    let at = block.range.start;
    let inside = copy_rows(rows(at, 100, 128, 4), rows(HOST.start, 100, 100, 4));
    script.call("aclrtMemcpy2d").say(Operation::Moved {
        accesses: inside,
        outcome: Outcome::Done,
    });
    script.expect(&[]);
    let outside = copy_rows(rows(at + 64, 100, 128, 9), rows(HOST.start, 100, 100, 9));
    let reason = format!("1124 bytes at {:#x} reach beyond the block", at + 64);
    script.refuse("aclrtMemcpy2d", outside, reason);
    script.expect(&["memory.out-of-bounds"]);
    assert!(
        script
            .message()
            .ends_with("and row 4 is the first that ends after block 1 (512 bytes), by 36 bytes"),
        "{}",
        script.message()
    );
}

// memory.pitch

#[test]
fn rows_wider_than_their_distance_are_a_pitch() {
    let mut script = Script::new();
    let block = script.alloc(1024);
    let at = block.range.start;
    let wide = copy_rows(rows(at, 100, 64, 4), rows(HOST.start, 100, 100, 4));
    script.refuse("aclrtMemcpy2d", wide, "'width' is 100".to_owned());
    script.expect(&["memory.pitch"]);
    assert!(script.message().contains("36 bytes longer"));
    // The interface refuses a single row too.
    script.findings.clear();
    let single = copy_rows(rows(at, 64, 64, 1), rows(HOST.start, 64, 32, 1));
    script.refuse("aclrtMemcpy2d", single, "'width' is 64".to_owned());
    script.expect(&["memory.pitch"]);
    // Fixed.
    let mut script = Script::new();
    let block = script.alloc(1024);
    let at = block.range.start;
    let copy = copy_rows(rows(at, 64, 64, 4), rows(HOST.start, 64, 100, 4));
    script.call("aclrtMemcpy2d").say(Operation::Moved {
        accesses: copy,
        outcome: Outcome::Done,
    });
    script.expect(&[]);
}

// memory.use-after-free

#[test]
fn a_copy_from_a_freed_block_is_told_with_the_free() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.free(block);
    script.refuse_copy(host(64), block.part(32, 64), block.range.start + 32);
    script.expect(&["memory.use-after-free"]);
    let finding = &script.findings[0];
    assert_eq!(finding.operations[1].site.call, "aclrtFree");
    assert!(
        finding
            .message
            .ends_with("in block 1 (256 bytes), which was freed")
    );
    assert!(finding.block.as_ref().unwrap().freed.is_some());
}

#[test]
fn an_address_that_lives_again_is_not_freed() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.free(block);
    let again = script.number();
    script.call("aclrtMalloc").say(Operation::Allocated {
        block: again,
        space: Space::Device(0),
        range: block.range,
        requested: 256,
        charged: 4096,
        pool: None,
        ordered: None,
    });
    script.copy_now(host(64), block.part(32, 64));
    script.expect(&[]);
}

#[test]
fn an_unmapped_range_and_a_reset_device_are_freed_memory_too() {
    let mut script = Script::new();
    let range = script.reserve(4096);
    let piece = script.piece(4096);
    script.map(piece, range);
    script.unmap(piece, range);
    script.refuse_fill(part(range.start, 64));
    script.expect(&["memory.use-after-free"]);
    assert!(script.message().ends_with("which was unmapped"));

    let mut script = Script::new();
    let block = script.alloc(256);
    script.call("").say(Operation::DeviceReset { device: 0 });
    script.refuse_fill(block.part(0, 64));
    script.expect(&["memory.use-after-free"]);
}

// memory.double-free, unknown-free, interior-free, wrong-free

#[test]
fn a_block_that_is_freed_twice_is_told_with_its_first_free() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.free(block);
    script.refuse_free("aclrtFree", block.range.start);
    script.expect(&["memory.double-free"]);
    assert_eq!(script.findings[0].operations[1].site.call, "aclrtFree");
    assert_ne!(
        script.findings[0].operations[0].order,
        script.findings[0].operations[1].order
    );
}

#[test]
fn a_free_after_a_reset_is_a_second_one() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.fill_now(block.part(0, 256));
    script
        .call("aclrtResetDevice")
        .say(Operation::DeviceReset { device: 0 });
    script.refuse_free("aclrtFree", block.range.start);
    script.expect(&["memory.double-free"]);
    assert!(script.message().contains("aclrtResetDevice released"));
}

#[test]
fn a_free_after_the_last_context_went_is_not_judged() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.fill_now(block.part(0, 256));
    script
        .call("aclrtDestroyContext")
        .say(Operation::DeviceReset { device: 0 });
    script.refuse_free("aclrtFree", block.range.start);
    script.expect(&[]);
}

#[test]
fn a_free_of_what_was_never_a_block_is_unknown() {
    let mut script = Script::new();
    script.refuse_free("aclrtFree", 0x7fff_0000);
    script.expect(&["memory.unknown-free"]);
    let mut script = Script::new();
    let block = script.alloc(256);
    script.fill_now(block.part(0, 1));
    script.free(block);
    script.expect(&[]);
}

#[test]
fn a_free_inside_a_block_says_where_the_block_begins() {
    let mut script = Script::new();
    let block = script.alloc(256);
    script.refuse_free("aclrtFree", block.range.start + 64);
    script.expect(&["memory.interior-free"]);
    assert!(script.message().contains("64 bytes after the start"));
    let advice = script.findings[0].advice.as_ref().unwrap();
    assert!(advice.contains(&format!("{:#x}", block.range.start)));
}

#[test]
fn each_kind_of_memory_has_its_own_free() {
    // Allocated by, freed by, and whether that is right.
    let cases = [
        ("aclrtMalloc", "aclrtFree", true),
        ("aclrtMallocAlign32", "aclrtFreeWithDevSync", true),
        ("aclrtMallocCached", "aclrtFree", true),
        ("aclrtMallocWithCfg", "aclrtFree", true),
        ("aclrtMalloc", "aclrtMemPoolFreeAsync", true),
        ("acldvppMalloc", "acldvppFree", true),
        ("acldvppMalloc", "aclrtFree", false),
        ("aclrtMalloc", "acldvppFree", false),
        ("acldvppMalloc", "aclrtMemPoolFreeAsync", false),
        // Inside other calls the runtime frees what is its own.
        ("aclopExecuteV2", "aclopExecuteV2", true),
        ("aclrtMalloc", "", true),
    ];
    for (maker, ender, right) in cases {
        let mut script = Script::new();
        script.call(maker);
        let block = script.alloc_in(Space::Device(0), 256, None, None);
        script.fill_now(block.part(0, 1));
        script.free_by(ender, block);
        let rules: &[&str] = if right { &[] } else { &["memory.wrong-free"] };
        assert_eq!(script.rules(), rules, "{maker} {ender}");
    }
}

#[test]
fn a_free_of_another_kind_that_was_refused_names_the_right_one() {
    let mut script = Script::new();
    let block = script.alloc_host(256);
    script.refuse_free("aclrtFree", block.range.start);
    script.expect(&["memory.wrong-free"]);
    assert!(script.message().ends_with("is pinned host memory"));
    let advice = script.findings[0].advice.as_deref();
    assert_eq!(
        advice,
        Some("use aclrtFreeHost for memory of aclrtMallocHost")
    );

    let mut script = Script::new();
    let block = script.alloc(256);
    script.refuse_free("aclrtFreeHost", block.range.start);
    script.expect(&["memory.wrong-free"]);

    // Refused, but for another reason.
    let mut script = Script::new();
    let block = script.alloc(256);
    script.refuse_free("aclrtFree", block.range.start);
    script.expect(&[]);
}

#[test]
fn a_pools_block_may_be_freed_at_once_or_in_order() {
    for ender in ["aclrtMemPoolFreeAsync", "aclrtFree"] {
        let mut script = Script::new();
        script.call("aclrtMemPoolMallocAsync");
        let block = script.alloc_in(Space::Device(0), 256, Some(5), None);
        script.fill_now(block.part(0, 1));
        script.free_by(ender, block);
        script.expect(&[]);
    }
}

#[test]
fn reserved_addresses_and_mappings_have_their_own_ends() {
    let mut script = Script::new();
    let range = script.reserve(8192);
    script.refuse_free("aclrtFree", range.start);
    script.expect(&["memory.wrong-free"]);

    let piece = script.piece(4096);
    let mapped = part(range.start, 4096);
    script.map(piece, mapped);
    script.findings.clear();
    script.refuse_free("aclrtFree", range.start);
    script.expect(&["memory.wrong-free"]);
    script.findings.clear();
    script.refuse_mapping("aclrtUnmapMem", range.start + 100);
    script.expect(&["memory.interior-free"]);
    script.findings.clear();
    script.unmap(piece, mapped);
    script.refuse_mapping("aclrtUnmapMem", range.start);
    script.expect(&["memory.double-free"]);
    script.findings.clear();
    script.refuse_mapping("aclrtUnmapMem", range.start + 4096);
    script.expect(&["memory.unknown-free"]);
    script.findings.clear();
    script.refuse_mapping("aclrtReleaseMemAddress", range.start + 4096);
    script.expect(&["memory.interior-free"]);
    script.findings.clear();
    script.release(range);
    script.refuse_mapping("aclrtReleaseMemAddress", range.start);
    script.expect(&["memory.double-free"]);
    script.findings.clear();
    script.refuse_mapping("aclrtReleaseMemAddress", 0x5000);
    script.expect(&["memory.unknown-free"]);
    script.findings.clear();
    let block = script.alloc(64);
    script.refuse_mapping("aclrtReleaseMemAddress", block.range.start);
    script.expect(&["memory.wrong-free"]);
}

#[test]
fn handles_of_physical_memory_are_freed_once() {
    let refuse = |script: &mut Script, address, reason: &str| {
        script
            .call("aclrtFreePhysical")
            .say(Operation::FreeRefused {
                address,
                reason: reason.to_owned(),
            });
    };
    let mut script = Script::new();
    refuse(
        &mut script,
        0x5A17,
        "is stale: the physical memory has been destroyed",
    );
    script.expect(&["memory.double-free"]);
    script.findings.clear();
    refuse(
        &mut script,
        0x5A17,
        "is not a handle of this process (physical memory expected)",
    );
    script.expect(&["memory.unknown-free"]);
    script.findings.clear();
    let block = script.alloc(64);
    refuse(
        &mut script,
        block.range.start,
        "is not a handle of this process",
    );
    script.expect(&["memory.wrong-free"]);
}

#[test]
fn virtual_memory_given_back_in_order_is_silent() {
    let mut script = Script::new();
    let range = script.reserve(8192);
    let piece = script.piece(4096);
    let mapped = part(range.start, 4096);
    script.map(piece, mapped);
    // Refused for something else: that is the program's affair.
    script.refuse_mapping("aclrtMapMem", range.start);
    script.refuse_mapping("aclrtReleaseMemAddress", range.start);
    script.unmap(piece, mapped);
    script.free_piece(piece, 4096);
    script.release(range);
    script.finalize().end();
    script.expect(&[]);
}

// memory.dest-max

#[test]
fn room_that_is_not_there_is_told_although_the_copy_fits() {
    let copy = |room, to| {
        let mut accesses = accesses(TaskKind::Copy, &[host(64)], &[to]);
        accesses.room = room;
        Operation::Moved {
            accesses,
            outcome: Outcome::Done,
        }
    };
    let mut script = Script::new();
    let block = script.alloc(250);
    script.call("aclrtMemcpy");
    script.say(copy(64, block.part(0, 64)));
    script.say(copy(250, block.part(0, 64)));
    // Rounded up to 32, as the block is.
    script.say(copy(256, block.part(0, 64)));
    script.say(copy(156, block.part(100, 64)));
    // Of the program's own memory nothing is known.
    script.say(copy(1 << 40, host(64)));
    script.expect(&[]);
    script.say(copy(256, block.part(64, 64)));
    script.expect(&["memory.dest-max"]);
    assert!(
        script
            .message()
            .ends_with("size of 256 bytes, but block 1 (250 bytes) has only 192 from there on"),
        "{}",
        script.message()
    );
}

#[test]
fn a_copy_that_leaves_its_block_is_not_told_twice() {
    let mut script = Script::new();
    let block = script.alloc(256);
    let mut copy = accesses(TaskKind::Copy, &[host(512)], &[block.part(0, 512)]);
    copy.room = 512;
    let reason = format!("512 bytes at {:#x} reach beyond", block.range.start);
    script.refuse("aclrtMemcpy", copy, reason);
    script.expect(&["memory.out-of-bounds"]);
}

// memory.overlap

#[test]
fn a_copy_onto_a_part_of_itself_overlaps() {
    let mut script = Script::new();
    let stream = script.stream();
    let block = script.alloc(256);
    script.copy_now(block.part(0, 256), host(256));
    script.copy(stream, block.part(128, 128), block.part(0, 128));
    script.expect(&[]);
    script.copy(stream, block.part(64, 128), block.part(0, 128));
    script.expect(&["memory.overlap"]);
    let at = block.range.start;
    assert!(
        script.message().ends_with(&format!(
            "64 bytes at {:#x} are both source and destination",
            at + 64
        )),
        "{}",
        script.message()
    );
}

#[test]
fn two_addresses_of_one_piece_overlap_too() {
    let mut script = Script::new();
    let (one, other) = (script.reserve(4096), script.reserve(4096));
    let piece = script.piece(4096);
    script.map(piece, one);
    script.map(piece, other);
    script.copy_now(one, host(4096));
    script.copy_now(part(other.start + 2048, 64), part(one.start, 64));
    script.expect(&[]);
    script.copy_now(part(other.start + 32, 64), part(one.start, 64));
    script.expect(&["memory.overlap"]);
}

#[test]
fn operators_in_place_do_not_overlap() {
    let mut script = Script::new();
    let stream = script.stream();
    let block = script.alloc(256);
    script.copy_now(block.part(0, 256), host(256));
    script.compute(stream, &[block.part(0, 256)], &[block.part(0, 256)]);
    script.expect(&[]);
}

// memory.guard, written-after-free, host-access

#[test]
fn a_changed_guard_is_told_with_its_block() {
    let mut script = Script::new();
    let block = script.alloc_host(100);
    let changed = |number| Operation::GuardChanged {
        guard: GuardKind::Redzone,
        block: number,
        range: block.part(128, 8),
    };
    script.call("aclrtFreeHost").say(changed(block.number));
    script.expect(&["memory.guard"]);
    let expected = format!(
        "8 bytes at {:#x}, 28 bytes past the end of block 1 (100 bytes), were overwritten",
        block.range.start + 128
    );
    assert_eq!(script.message(), expected);
    assert!(script.findings[0].block.is_some());
    // Told after its free as well.
    script.findings.clear();
    script.free_by("aclrtFreeHost", block);
    script.say(changed(block.number));
    assert!(script.findings[0].block.as_ref().unwrap().freed.is_some());
}

#[test]
fn what_a_size_is_rounded_up_to_may_be_overwritten_by_work() {
    let mut script = Script::new();
    let block = script.alloc_host(100);
    let changed = |bytes| Operation::GuardChanged {
        guard: GuardKind::Redzone,
        block: block.number,
        range: block.part(100, bytes),
    };
    // By code of the program it may not.
    script.call("aclrtFreeHost").say(changed(28));
    script.expect(&["memory.guard"]);
    script.findings.clear();
    script.fill_now(block.part(0, 128));
    script.call("aclrtFreeHost").say(changed(28));
    script.expect(&[]);
    script.say(changed(29));
    script.expect(&["memory.guard"]);
    assert!(script.message().starts_with("1 byte at"));
}

#[test]
fn changed_poison_is_told_with_the_free() {
    let mut script = Script::new();
    let block = script.alloc_host(100);
    script.free_by("aclrtFreeHost", block);
    let range = block.part(4, 4);
    script.call("").say(Operation::GuardChanged {
        guard: GuardKind::Poison,
        block: block.number,
        range,
    });
    script.expect(&["memory.written-after-free"]);
    let lifetime = script.findings[0].block.as_ref().unwrap();
    assert_eq!(lifetime.freed.as_ref().unwrap().site.call, "aclrtFreeHost");
}

#[test]
fn code_that_touches_device_memory_is_told_with_the_block() {
    let touch = |address, write| Operation::HostTouched {
        address,
        write,
        instruction: 0x40_1234,
    };
    let mut script = Script::new();
    let block = script.alloc(256);
    script.call("").say(touch(block.range.start + 4, true));
    script.expect(&["memory.host-access"]);
    assert!(script.message().contains("writes to"));
    assert!(
        script
            .message()
            .ends_with("device memory of block 1 (256 bytes)")
    );
    script.free(block);
    script.findings.clear();
    script.call("").say(touch(block.range.start + 4, false));
    script.expect(&["memory.host-access"]);
    assert!(script.message().ends_with("which was freed"));
    assert_eq!(script.findings[0].operations[1].site.call, "aclrtFree");
    script.findings.clear();
    script.call("").say(touch(0x10, false));
    assert!(script.message().ends_with("no block there"));
}
