//! Bytes that nobody wrote: who may read them, and what gives them a content.

mod common;

use common::memory::{copy_rows, rows};
use common::{HOST, Script, accesses};
use millpond_trace::{Accesses, Bytes, Operation, Outcome, Space, TaskKind};

const RULE: &str = "memory.uninitialised-read";

fn host(bytes: u64) -> Bytes {
    Bytes {
        start: HOST.start,
        bytes,
    }
}

fn opened() -> Script {
    let mut script = Script::about(&[RULE]);
    script.open();
    script
}

#[test]
fn a_copy_to_the_host_of_bytes_that_nobody_wrote_is_told() {
    let mut script = opened();
    let block = script.alloc(512);
    script.fill_now(block.part(0, 100));
    script.copy_now(host(512), block.part(0, 512));
    script.expect(&[RULE]);
    let expected = format!(
        "copies 512 bytes at {:#x} to the host, 412 of them never written: the first at {:#x} in block 1 (512 bytes)",
        block.range.start,
        block.range.start + 100
    );
    assert_eq!(script.message(), expected);
}

#[test]
fn work_that_is_thrown_away_behind_a_wait_writes_nothing() {
    let mut script = opened();
    let (stream, block) = (script.stream(), script.alloc(512));
    let wait = script.wait(stream, 7, None);
    let fill = script.fill(stream, block.part(0, 512));
    for position in [wait, fill] {
        script.call("").say(Operation::Completed {
            position,
            outcome: Outcome::Dropped,
        });
    }
    script.copy_now(host(512), block.part(0, 512));
    script.expect(&[RULE]);
}

#[test]
fn bytes_behind_a_block_are_out_of_bounds_and_not_unwritten() {
    let mut script = opened();
    let block = script.alloc(300);
    script.fill_now(block.part(0, 300));
    script.copy_now(host(512), block.part(0, 512));
    script.expect(&[]);
    let block = script.alloc(300);
    script.copy_now(host(512), block.part(0, 512));
    script.expect(&[RULE]);
    // Sizes are rounded up to 32.
    assert!(
        script.message().contains("320 of them never written"),
        "{}",
        script.message()
    );
}

#[test]
fn what_was_written_may_be_read() {
    let mut script = opened();
    let stream = script.stream();
    let (a, b) = (script.alloc(512), script.alloc(512));
    script.copy_now(a.part(0, 256), host(256));
    script.fill(stream, a.part(256, 256));
    script.compute(stream, &[a.part(0, 512)], &[b.part(0, 512)]);
    script.copy(stream, host(512), b.part(0, 512));
    script.expect(&[]);
}

#[test]
fn pinned_memory_always_has_a_content() {
    let mut script = opened();
    let stream = script.stream();
    let (pinned, block) = (script.alloc_host(512), script.alloc(512));
    script.copy(stream, block.part(0, 512), pinned.part(0, 512));
    script.copy(stream, pinned.part(0, 512), block.part(0, 512));
    script.expect(&[]);
    let other = script.alloc(512);
    script.copy(stream, pinned.part(0, 512), other.part(0, 512));
    script.expect(&[RULE]);
}

#[test]
fn an_operator_that_reads_them_is_told_by_name_and_once() {
    let mut script = opened();
    let stream = script.stream();
    let block = script.alloc(512);
    let add = Accesses {
        name: "Add".into(),
        ..accesses(
            TaskKind::Compute,
            &[block.part(0, 512)],
            &[block.part(0, 512)],
        )
    };
    script.call("aclopExecuteV2");
    script.enqueue(stream, add, None, None);
    script.expect(&[RULE]);
    assert!(script.message().starts_with("Add reads 512 bytes"));
    // What it made of them has a content.
    script.copy(stream, host(512), block.part(0, 512));
    script.expect(&[RULE]);
}

#[test]
fn copies_between_devices_carry_what_there_is_without_a_word() {
    let mut script = opened();
    let (a, b, c) = (script.alloc(512), script.alloc(512), script.alloc(512));
    script.fill_now(a.part(0, 256));
    script.copy_now(b.part(0, 512), a.part(0, 512));
    script.copy_now(c.part(0, 512), b.part(0, 512));
    script.copy_now(host(256), c.part(0, 256));
    script.expect(&[]);
    script.copy_now(host(256), c.part(256, 256));
    script.expect(&[RULE]);
    let second = &script.findings[0].operations[1];
    assert_eq!(second.site.call, "aclrtMalloc");
    assert!(second.what.contains("copied from"));
}

#[test]
fn a_copy_of_nothing_takes_a_content_away() {
    let mut script = opened();
    let (a, b) = (script.alloc(512), script.alloc(512));
    script.fill_now(b.part(0, 512));
    script.copy_now(b.part(0, 256), a.part(0, 256));
    script.copy_now(host(512), b.part(0, 512));
    script.expect(&[RULE]);
}

#[test]
fn rows_carry_what_they_have_and_leave_the_rest() {
    let mut script = opened();
    let (a, b) = (script.alloc(512), script.alloc(512));
    let (from, to) = (a.range.start, b.range.start);
    let columns = |start, from| Operation::Moved {
        accesses: copy_rows(rows(start, 64, 128, 4), from),
        outcome: Outcome::Done,
    };
    script.call("aclrtMemcpy2d");
    script.say(columns(from, rows(HOST.start, 64, 64, 4)));
    script.say(columns(to, rows(from, 64, 128, 4)));
    for row in 0..4 {
        script.copy_now(host(64), b.part(row * 128, 64));
    }
    script.expect(&[]);
    script.call("aclrtMemcpy2d");
    script.say(columns(to + 64, rows(from + 64, 64, 128, 4)));
    script.copy_now(host(64), b.part(3 * 128 + 64, 64));
    script.expect(&[RULE]);
}

#[test]
fn what_rounding_leaves_at_the_end_is_not_told() {
    let mut script = opened();
    let block = script.alloc(1000);
    script.fill_now(block.part(0, 970));
    script.copy_now(host(1024), block.part(0, 1024));
    script.expect(&[]);
    // More than rounding leaves, and a short read that begins without a content.
    let block = script.alloc(1000);
    script.fill_now(block.part(0, 960));
    script.copy_now(host(4), block.part(960, 4));
    script.expect(&[RULE]);
    let block = script.alloc(1000);
    script.fill_now(block.part(0, 900));
    script.copy_now(host(1000), block.part(0, 1000));
    script.expect(&[RULE, RULE]);
}

#[test]
fn a_result_that_is_shorter_than_its_buffer_may_be_read_back_whole() {
    let mut script = opened();
    let stream = script.stream();
    let block = script.alloc(4096);
    script.compute(stream, &[], &[block.part(0, 100)]);
    script.copy(stream, host(4096), block.part(0, 4096));
    script.expect(&[]);
}

#[test]
fn a_model_of_changing_shape_writes_what_it_computes_and_one_with_gears_all() {
    for (geared, rules) in [(false, &[RULE][..]), (true, &[])] {
        let mut script = opened();
        let stream = script.stream();
        let block = script.alloc(4096);
        let run = Accesses {
            model: 1,
            geared,
            ..accesses(TaskKind::Compute, &[], &[block.part(0, 128)])
        };
        script.call("aclmdlExecuteAsync");
        script.enqueue(stream, run, None, None);
        script.copy(stream, host(128), block.part(0, 128));
        // What rounding leaves.
        script.copy(stream, host(160), block.part(0, 160));
        script.expect(&[]);
        script.copy(stream, host(4096), block.part(0, 4096));
        script.expect(rules);
    }
}

#[test]
fn a_product_may_leave_out_what_it_adds_to() {
    let mut script = opened();
    let stream = script.stream();
    let (a, c) = (script.alloc(512), script.alloc(512));
    script.fill_now(a.part(0, 512));
    let product = accesses(
        TaskKind::Compute,
        &[a.part(0, 512), c.part(0, 512)],
        &[c.part(0, 512)],
    );
    script.call("aclblasGemmEx");
    script.enqueue(stream, product, None, None);
    script.expect(&[]);
}

#[test]
fn in_unified_mode_code_of_the_program_writes_unseen() {
    let mut script = Script::new();
    script.call("aclrtSetDevice").say(Operation::DeviceOpened {
        device: 0,
        capacity: 1 << 30,
        unified: true,
    });
    let block = script.alloc(512);
    script.copy_now(host(512), block.part(0, 512));
    script.free(block);
    script.expect(&[]);
}

#[test]
fn the_order_that_counts_is_that_of_the_turns() {
    // The read is enqueued first and waits for a recording behind the write.
    let mut script = opened();
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let (block, pinned) = (script.alloc(512), script.alloc_host(512));
    script.wait(b, event, None);
    script.copy(b, pinned.part(0, 512), block.part(0, 512));
    script.fill(a, block.part(0, 512));
    script.record(a, event);
    script.expect(&[]);
}

#[test]
fn work_behind_a_function_of_the_program_may_wait_for_a_later_write() {
    let mut script = opened();
    let (a, b) = (script.stream(), script.stream());
    let (block, pinned) = (script.alloc(512), script.alloc_host(512));
    script.call("aclrtLaunchHostFunc");
    script.enqueue(b, Accesses::none(TaskKind::HostFunction), None, None);
    script.copy(b, pinned.part(0, 512), block.part(0, 512));
    script.fill(a, block.part(0, 512));
    script.expect(&[]);
}

#[test]
fn physical_memory_keeps_its_content_at_every_address() {
    let mut script = opened();
    let (one, other) = (script.reserve(4096), script.reserve(4096));
    let piece = script.piece(4096);
    script.map(piece, one);
    script.map(piece, other);
    script.fill_now(one);
    script.unmap(piece, one);
    script.copy_now(host(4096), other);
    script.expect(&[]);

    let fresh = script.piece(4096);
    script.map(fresh, one);
    script.copy_now(host(4096), one);
    script.expect(&[RULE]);
}

#[test]
fn a_copy_over_two_mappings_defines_both() {
    let mut script = opened();
    let range = script.reserve(8192);
    let (a, b) = (script.piece(4096), script.piece(4096));
    let part = |start, bytes| Bytes {
        start: range.start + start,
        bytes,
    };
    script.map(a, part(0, 4096));
    script.map(b, part(4096, 4096));
    script.copy_now(part(0, 6000), host(6000));
    script.copy_now(host(5999), part(1, 5999));
    script.expect(&[]);
    script.copy_now(host(192), part(6000, 192));
    script.expect(&[RULE]);
}

fn region(script: &mut Script, range: Bytes) -> u64 {
    let region = script.number();
    script
        .call("mstxMemRegionsRegister")
        .say(Operation::RegionRegistered {
            region,
            domain: 0,
            heap: None,
            device: 0,
            range,
        });
    region
}

fn unregister(script: &mut Script, region: u64) {
    script
        .call("mstxMemRegionsUnregister")
        .say(Operation::RegionUnregistered { region });
}

#[test]
fn a_region_that_is_unregistered_loses_its_content() {
    let mut script = opened();
    let block = script.alloc(1024);
    script.fill_now(block.part(0, 1024));
    let one = region(&mut script, block.part(0, 512));
    unregister(&mut script, one);
    let again = region(&mut script, block.part(0, 512));
    script.copy_now(host(512), block.part(512, 512));
    script.expect(&[]);
    script.copy_now(host(512), block.part(0, 512));
    script.expect(&[RULE]);
    let second = &script.findings[0].operations[1];
    assert_eq!(second.site.call, "mstxMemRegionsUnregister");
    // Fixed: it is written first.
    unregister(&mut script, again);
    region(&mut script, block.part(0, 512));
    script.fill_now(block.part(0, 512));
    script.copy_now(host(512), block.part(0, 512));
    script.expect(&[RULE]);
}

#[test]
fn a_region_inside_another_keeps_what_it_has() {
    let mut script = opened();
    let block = script.alloc(1024);
    script.fill_now(block.part(0, 1024));
    let outer = region(&mut script, block.part(0, 1024));
    region(&mut script, block.part(256, 256));
    unregister(&mut script, outer);
    script.copy_now(host(256), block.part(256, 256));
    script.expect(&[]);
}

#[test]
fn work_that_was_queued_before_a_region_went_still_finds_its_bytes() {
    let mut script = opened();
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let (block, pinned) = (script.alloc(1024), script.alloc_host(1024));
    script.fill_now(block.part(0, 1024));
    let one = region(&mut script, block.part(0, 512));
    script.wait(b, event, None);
    script.copy(b, pinned.part(0, 512), block.part(0, 512));
    unregister(&mut script, one);
    script.record(a, event);
    script.expect(&[]);
}

#[test]
fn registrations_that_break_the_contract_say_nothing() {
    let mut script = opened();
    let block = script.alloc(1024);
    script.fill_now(block.part(0, 1024));
    let early = region(&mut script, block.part(0, 512));
    script.say(Operation::AnnotationStrange {
        domain: 0,
        what: "sizes are sums".into(),
    });
    let late = region(&mut script, block.part(0, 1024));
    unregister(&mut script, early);
    unregister(&mut script, late);
    script.copy_now(host(1024), block.part(0, 1024));
    script.expect(&[]);
}

#[test]
fn between_registered_regions_a_result_ends_where_it_ends() {
    let mut script = opened();
    let stream = script.stream();
    let block = script.alloc(1024);
    region(&mut script, block.part(0, 512));
    region(&mut script, block.part(512, 512));
    script.compute(stream, &[], &[block.part(0, 512)]);
    script.copy(stream, host(512), block.part(0, 512));
    script.expect(&[]);
    script.copy(stream, host(512), block.part(512, 512));
    script.expect(&[RULE]);
}

#[test]
fn a_block_at_an_old_address_has_no_old_content() {
    let mut script = opened();
    let block = script.alloc(512);
    script.fill_now(block.part(0, 512));
    script.free(block);
    let again = script.number();
    script.call("aclrtMalloc").say(Operation::Allocated {
        block: again,
        space: Space::Device(0),
        range: block.range,
        requested: 512,
        charged: 4096,
        pool: None,
        ordered: None,
    });
    script.copy_now(host(512), block.part(0, 512));
    script.expect(&[RULE]);
}

#[test]
fn a_block_that_is_written_in_very_many_parts_is_given_up() {
    let mut script = opened();
    let block = script.alloc(8 << 20);
    for part in 0..40_000 {
        script.fill_now(block.part(part * 128, 64));
    }
    script.copy_now(host(8 << 20), block.part(0, 8 << 20));
    script.expect(&[]);
    assert!(script.checker().statistics().dropped_facts > 0);
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A simple generator: the same numbers on every run.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// The bytes of the program, each with a content or without.
struct Oracle {
    blocks: Vec<(common::Block, Vec<bool>)>,
}

impl Oracle {
    /// Whether a read finds bytes without a content, but for those that rounding leaves.
    fn is_told(&self, block: usize, from: usize, until: usize) -> bool {
        let bytes = &self.blocks[block].1[from..until];
        match bytes.iter().position(|written| !written) {
            None => false,
            Some(0) => true,
            Some(first) => bytes.len() - first >= 64,
        }
    }
}

#[test]
fn what_is_told_is_what_bytes_would_tell() {
    const LENGTH: u64 = 512;
    let (mut told, mut silent) = (0, 0);
    for seed in 0..300 {
        let mut state = seed;
        let mut script = opened();
        let stream = script.stream();
        let blocks = (0..3).map(|_| (script.alloc(LENGTH), vec![false; index(LENGTH)]));
        let mut oracle = Oracle {
            blocks: blocks.collect(),
        };
        for _ in 0..60 {
            let (a, b) = (index(next(&mut state) % 3), index(next(&mut state) % 3));
            let bytes = 1 + next(&mut state) % (LENGTH / 2);
            let from = next(&mut state) % (LENGTH - bytes + 1);
            let to = next(&mut state) % (LENGTH - bytes + 1);
            let (source, target) = (oracle.blocks[a].0, oracle.blocks[b].0);
            let (start, end) = (index(from), index(from + bytes));
            match next(&mut state) % 5 {
                0 => {
                    script.copy_now(source.part(from, bytes), host(bytes));
                    oracle.blocks[a].1[start..end].fill(true);
                }
                1 => {
                    script.fill(stream, source.part(from, bytes));
                    oracle.blocks[a].1[start..end].fill(true);
                }
                2 if a != b => {
                    script.copy(stream, target.part(to, bytes), source.part(from, bytes));
                    let carried = oracle.blocks[a].1[start..end].to_vec();
                    let to = index(to);
                    oracle.blocks[b].1[to..to + carried.len()].copy_from_slice(&carried);
                }
                _ => {
                    let before = script.findings.len();
                    script.copy_now(host(bytes), source.part(from, bytes));
                    let found = script.findings.len() > before;
                    let expected = oracle.is_told(a, start, end);
                    assert_eq!(found, expected, "seed {seed}");
                    // What was told has a content from then on.
                    if found {
                        oracle.blocks[a].1[start..end].fill(true);
                        told += 1;
                    } else {
                        silent += 1;
                    }
                }
            }
        }
    }
    assert!(told > 1000 && silent > 1000, "{told} {silent}");
}

#[test]
fn rows_of_an_image_are_known_one_by_one() {
    for count in [1080, 2160, 16_000] {
        let mut script = opened();
        let block = script.alloc(count * 64);
        let other = script.alloc(count * 64);
        let image = |start: u64| rows(start, 48, 64, count);
        let from_host = copy_rows(image(block.range.start), rows(HOST.start, 48, 48, count));
        let device = copy_rows(image(other.range.start), image(block.range.start));
        for copy in [from_host, device] {
            script.call("aclrtMemcpy2d").say(Operation::Moved {
                accesses: copy,
                outcome: Outcome::Done,
            });
        }
        let last = (count - 1) * 64;
        for block in [block, other] {
            script.copy_now(host(48), block.part(last, 48));
        }
        script.expect(&[]);
        // Between the rows there is nothing.
        for block in [block, other] {
            script.copy_now(host(16), block.part(last + 48, 16));
        }
        script.expect(&[RULE, RULE]);
        assert_eq!(script.checker().statistics().dropped_facts, 0);
    }
}
