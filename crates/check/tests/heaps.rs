//! Heaps and regions: each rule broken, and the same program fixed.

mod common;

use common::{Block, HOST, Script};
use millpond_check::Options;
use millpond_trace::{Bytes, Operation, Span, TaskKind};

fn heaps() -> Script {
    Script::about(&["heap.*"])
}

/// A block of 4 KiB that is a heap.
fn pool(script: &mut Script) -> (Block, u64) {
    let block = script.alloc(4096);
    let heap = script.heap(block.part(0, 4096));
    (block, heap)
}

/// The program ends as it should.
fn close(script: &mut Script, block: Block, heap: u64, regions: &[u64]) {
    for region in regions {
        script.end_region(*region);
    }
    script.end_heap(heap).free(block);
    script.say(Operation::Finalized).end();
}

#[test]
fn a_heap_is_used_inside_its_regions() {
    let mut script = heaps();
    let stream = script.stream();
    let (block, heap) = pool(&mut script);
    let one = script.region(heap, block.part(0, 256));
    let two = script.region(heap, block.part(256, 256));
    script.fill(stream, block.part(0, 256));
    // Across two that touch each other.
    script.copy(stream, HOST, block.part(128, 256));
    script.copy_now(block.part(0, 512), HOST);
    script.synchronize(stream);
    close(&mut script, block, heap, &[one, two]);
    // After the heap everything may be used.
    script.expect(&[]);
}

#[test]
fn work_behind_a_region_is_outside() {
    let mut script = heaps();
    let stream = script.stream();
    let (block, heap) = pool(&mut script);
    let region = script.region(heap, block.part(512, 256));
    script.fill(stream, block.part(512, 512));
    script.synchronize(stream);
    close(&mut script, block, heap, &[region]);
    script.expect(&["heap.outside-region"]);
    let finding = &script.findings[0];
    assert!(
        finding.message.ends_with(&format!(
            "256 of them in heap {heap} past the end of region {region} of heap {heap} (256 bytes)"
        )),
        "{}",
        finding.message
    );
    assert_eq!(finding.bytes, Some(block.part(768, 256)));
}

#[test]
fn a_heap_without_regions_is_touched_by_nobody() {
    let mut script = heaps();
    let (block, heap) = pool(&mut script);
    script.fill_now(block.part(0, 64));
    close(&mut script, block, heap, &[]);
    script.expect(&["heap.outside-region"]);
}

#[test]
fn what_is_beside_a_heap_is_nobodys_business() {
    let mut script = heaps();
    let block = script.alloc(4096);
    script.fill_now(block.part(0, 4096));
    let heap = script.heap(block.part(1024, 1024));
    script.fill_now(block.part(0, 1024));
    script.fill_now(block.part(2048, 2048));
    script.end_heap(heap);
    script.fill_now(block.part(0, 4096));
    script.free(block);
    script.expect(&[]);
}

#[test]
fn rows_between_regions_are_fine() {
    let mut script = heaps();
    let (block, heap) = pool(&mut script);
    let one = script.region(heap, block.part(0, 64));
    let two = script.region(heap, block.part(256, 64));
    let rows = |rows| {
        let span = Span {
            start: block.range.start,
            width: 64,
            pitch: 256,
            rows,
        };
        let mut accesses = common::accesses(TaskKind::Fill, &[], &[]);
        accesses.writes.push(span);
        Operation::Moved {
            accesses,
            outcome: millpond_trace::Outcome::Done,
        }
    };
    script.say(rows(2));
    script.expect(&[]);
    script.say(rows(3));
    script.expect(&["heap.outside-region"]);
    close(&mut script, block, heap, &[one, two]);
    script.expect(&["heap.outside-region"]);
}

#[test]
fn a_region_that_was_unregistered_is_not_used() {
    let mut script = heaps();
    let stream = script.stream();
    let (block, heap) = pool(&mut script);
    let region = script.region(heap, block.part(0, 256));
    script.fill(stream, block.part(0, 256));
    script.end_region(region);
    script.copy(stream, HOST, block.part(0, 256));
    script.synchronize(stream);
    close(&mut script, block, heap, &[]);
    script.expect(&["heap.use-after-unregister"]);
    let finding = &script.findings[0];
    assert_eq!(finding.operations.len(), 2);
    assert!(finding.block.as_ref().unwrap().freed.is_some());
}

#[test]
fn a_region_that_is_registered_again_is_used_again() {
    let mut script = heaps();
    let stream = script.stream();
    let (block, heap) = pool(&mut script);
    for _ in 0..3 {
        let region = script.region(heap, block.part(0, 256));
        script.fill(stream, block.part(0, 256));
        // In the order of the stream: nobody waits.
        script.end_region(region);
    }
    let region = script.region(heap, block.part(128, 256));
    script.fill(stream, block.part(128, 256));
    script.synchronize(stream);
    close(&mut script, block, heap, &[region]);
    script.expect(&[]);
}

#[test]
fn work_behind_a_wait_is_judged_as_of_when_it_was_asked_for() {
    let mut script = heaps();
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let (block, heap) = pool(&mut script);
    let region = script.region(heap, block.part(0, 256));
    script.wait(b, event, None);
    script.fill(b, block.part(0, 256));
    script.end_region(region);
    script.record(a, event);
    script.synchronize(a).synchronize(b);
    close(&mut script, block, heap, &[]);
    script.expect(&[]);
}

#[test]
fn permissions_are_kept() {
    for (flags, rules) in [
        (0, &["heap.permission", "heap.permission"][..]),
        (1, &["heap.permission"]),
        (2, &["heap.permission"]),
        (3, &[]),
        (4, &[]),
        (5, &["heap.permission"]),
        (7, &[]),
    ] {
        let mut script = heaps();
        let (block, heap) = pool(&mut script);
        let region = script.region(heap, block.part(0, 256));
        script
            .call("mstxMemPermissionsAssign")
            .say(Operation::RegionPermitted { region, flags });
        script.fill_now(block.part(0, 64));
        script.copy_now(HOST, block.part(0, 64));
        // Elsewhere everything is permitted.
        let other = script.region(heap, block.part(256, 256));
        script.fill_now(block.part(256, 256));
        close(&mut script, block, heap, &[region, other]);
        assert_eq!(script.rules(), rules, "{flags}: {:#?}", script.findings);
    }
}

#[test]
fn a_heap_over_nothing_is_said_once_and_ignored() {
    let mut script = heaps();
    let heap = script.heap(HOST);
    let region = script.region(heap, HOST);
    script.region(heap, HOST);
    script.end_region(region);
    let block = script.alloc(4096);
    script.copy_now(HOST, block.part(0, 64));
    script.end_heap(heap).free(block);
    script.expect(&["heap.not-allocated"]);
}

#[test]
fn a_heap_that_is_longer_than_its_block_or_whose_block_is_gone_is_not_allocated() {
    let mut script = heaps();
    let block = script.alloc(4096);
    script.heap(block.part(0, 8192));
    script.free(block);
    script.heap(block.part(0, 4096));
    script.expect(&["heap.not-allocated", "heap.not-allocated"]);
}

#[test]
fn a_heap_over_mappings_that_touch_each_other_is_fine() {
    let mut script = heaps();
    let range = Bytes {
        start: 0x20_0000_0000,
        bytes: 1 << 21,
    };
    for (piece, number) in [(1, 0), (2, 1)] {
        script.say(Operation::Mapped {
            piece,
            range: Bytes {
                start: range.start + number * range.bytes,
                ..range
            },
            access: None,
        });
    }
    let both = Bytes {
        bytes: 2 * range.bytes,
        ..range
    };
    script.heap(both);
    script.expect(&[]);
    script.heap(Bytes {
        bytes: both.bytes + 1,
        ..both
    });
    script.expect(&["heap.not-allocated"]);
}

#[test]
fn regions_lie_inside_their_heap_and_beside_each_other() {
    let mut script = heaps();
    let block = script.alloc(4096);
    let heap = script.heap(block.part(0, 2048));
    let one = script.region(heap, block.part(0, 256));
    script.expect(&[]);
    let two = script.region(heap, block.part(2048 - 64, 128));
    script.expect(&["heap.region-outside"]);
    let three = script.region(heap, block.part(255, 2));
    close(&mut script, block, heap, &[one, two, three]);
    script.expect(&["heap.region-outside", "heap.region-overlap"]);
    assert_eq!(script.findings[1].bytes, Some(block.part(255, 1)));
}

#[test]
fn the_same_region_twice_overlaps() {
    let mut script = heaps();
    let (block, heap) = pool(&mut script);
    let one = script.region(heap, block.part(0, 256));
    let two = script.region(heap, block.part(0, 256));
    close(&mut script, block, heap, &[one, two]);
    script.expect(&["heap.region-overlap"]);
}

#[test]
fn the_device_is_that_of_the_memory() {
    let mut script = heaps();
    let block = script.alloc(4096);
    script
        .call("mstxMemHeapRegister")
        .say(Operation::HeapRegistered {
            heap: 1,
            domain: 0,
            device: 3,
            range: block.part(0, 4096),
        });
    script.expect(&["heap.wrong-device"]);
    let mut script = heaps();
    let (block, heap) = pool(&mut script);
    script
        .call("mstxMemRegionsRegister")
        .say(Operation::RegionRegistered {
            region: 1,
            domain: 0,
            heap: Some(heap),
            device: 3,
            range: block.part(0, 64),
        });
    script.expect(&["heap.wrong-device"]);
    let mut script = heaps();
    let host = script.alloc_host(4096);
    script.heap(host.part(0, 4096));
    script.expect(&[]);
}

#[test]
fn a_heap_does_not_end_with_live_regions() {
    let mut script = heaps();
    let (block, heap) = pool(&mut script);
    script.region(heap, block.part(0, 256));
    script.region(heap, block.part(256, 256));
    close(&mut script, block, heap, &[]);
    script.expect(&["heap.ended-in-use"]);
    assert!(script.findings[0].message.contains("2 live regions"));
}

#[test]
fn a_heap_does_not_end_with_queued_work() {
    for waits in [false, true] {
        let mut script = heaps();
        let stream = script.stream();
        let (block, heap) = pool(&mut script);
        let region = script.region(heap, block.part(0, 256));
        script.fill(stream, block.part(0, 256));
        if waits {
            script.synchronize(stream);
        }
        script.end_region(region).end_heap(heap);
        script.synchronize(stream).free(block);
        let rules: &[&str] = if waits { &[] } else { &["heap.ended-in-use"] };
        script.expect(rules);
    }
}

#[test]
fn the_memory_of_a_heap_does_not_go_with_live_regions() {
    let mut script = heaps();
    let (block, heap) = pool(&mut script);
    let region = script.region(heap, block.part(0, 256));
    script.free(block);
    script.expect(&["heap.ended-in-use"]);
    script.end_region(region).end_heap(heap);
    script.expect(&["heap.ended-in-use"]);
}

#[test]
fn a_heap_over_mappings_may_shrink_where_no_region_is() {
    let mut script = heaps();
    let mut ranges = Vec::new();
    for piece in 0..2 {
        let range = Bytes {
            start: 0x20_0000_0000 + piece * (1 << 21),
            bytes: 1 << 21,
        };
        ranges.push(range);
        script.say(Operation::Mapped {
            piece,
            range,
            access: None,
        });
    }
    let heap = script.heap(Bytes {
        bytes: 2 << 21,
        ..ranges[0]
    });
    script.region(heap, ranges[0]);
    script.say(Operation::Unmapped {
        piece: 1,
        range: ranges[1],
        retired: false,
    });
    script.expect(&[]);
}

#[test]
fn a_heap_may_be_unregistered_after_its_memory_has_gone() {
    let mut script = heaps();
    let (block, heap) = pool(&mut script);
    script.free(block);
    // Somebody else lives there now.
    let next = script.alloc(64);
    script.say(Operation::Allocated {
        block: 99,
        space: millpond_trace::Space::Device(0),
        range: block.range,
        requested: 4096,
        charged: 4096,
        pool: None,
        ordered: None,
    });
    script.fill_now(block.part(0, 4096));
    script.end_heap(heap).free(next);
    script.expect(&[]);
}

#[test]
fn permissions_end_with_the_memory() {
    let mut script = heaps();
    let block = script.alloc(4096);
    script.say(Operation::RegionRegistered {
        region: 1,
        domain: 0,
        heap: None,
        device: 0,
        range: block.part(0, 64),
    });
    script.say(Operation::RegionPermitted {
        region: 1,
        flags: 1,
    });
    script.free(block);
    script.fill_now(block.part(0, 64));
    script.expect(&[]);
}

#[test]
fn the_innermost_heap_decides() {
    let mut script = heaps();
    let (block, outer) = pool(&mut script);
    let chunk = script.region(outer, block.part(1024, 1024));
    script.fill_now(block.part(1024, 1024));
    let inner = script.heap(block.part(1024, 1024));
    let small = script.region(inner, block.part(1024, 64));
    script.fill_now(block.part(1024, 64));
    script.expect(&[]);
    script.fill_now(block.part(1024, 128));
    script.expect(&["heap.outside-region"]);
    script.fill_now(block.part(960, 128));
    script.end_region(small).end_heap(inner);
    close(&mut script, block, outer, &[chunk]);
    assert_eq!(script.rules(), ["heap.outside-region"; 2]);
}

#[test]
fn two_heaps_with_the_same_bytes_share_their_regions() {
    let mut script = heaps();
    let (block, one) = pool(&mut script);
    let two = script.heap(block.part(0, 4096));
    let a = script.region(one, block.part(0, 64));
    let b = script.region(two, block.part(64, 64));
    script.fill_now(block.part(0, 128));
    script.end_region(a).end_region(b).end_heap(two);
    close(&mut script, block, one, &[]);
    script.expect(&[]);
}

#[test]
fn regions_without_a_heap_restrict_nothing_else() {
    let mut script = heaps();
    let block = script.alloc(4096);
    script.say(Operation::RegionRegistered {
        region: 1,
        domain: 0,
        heap: None,
        device: 0,
        range: block.part(0, 64),
    });
    script.fill_now(block.part(0, 4096));
    script.end_region(1);
    script.fill_now(block.part(0, 4096));
    script.free(block);
    script.expect(&[]);
}

#[test]
fn an_allocator_registers_what_it_gives_of_a_heap() {
    for registers in [false, true] {
        let mut script = heaps();
        let stream = script.stream();
        let (block, heap) = pool(&mut script);
        script.register(stream, 0x5000);
        let mut regions = Vec::new();
        if registers {
            regions.push(script.region(heap, block.part(64, 256)));
        }
        script.run(stream, 0x5000, block.part(64, 256));
        script.synchronize(stream);
        close(&mut script, block, heap, &regions);
        let rules: &[&str] = if registers {
            &[]
        } else {
            &["heap.unregistered-block"]
        };
        script.expect(rules);
    }
}

#[test]
fn what_is_not_known_and_what_is_strange_is_said() {
    let mut script = heaps();
    script
        .call("mstxMemHeapUnregister")
        .say(Operation::AnnotationUnknown {
            domain: 0,
            value: 0x77,
            expected: "heap".into(),
        });
    script.say(Operation::AnnotationStrange {
        domain: 0,
        what: "regions have no type".into(),
    });
    script.expect(&["heap.unknown", "heap.dialect"]);
    let message = &script.findings[0].message;
    assert_eq!(message, "0x77 is not a registered heap");
}

#[test]
fn producers_of_a_dialect_are_left_alone() {
    for strange in [false, true] {
        let mut script = heaps();
        let block = script.alloc(4096);
        let (domain, name) = if strange {
            (1, "mine")
        } else {
            (2, "ptaCaching")
        };
        script.say(Operation::DomainCreated {
            domain,
            name: name.into(),
        });
        if strange {
            script.say(Operation::AnnotationStrange {
                domain,
                what: "sizes are totals".into(),
            });
            script.findings.clear();
        }
        for heap in 1..4 {
            script.say(Operation::HeapRegistered {
                heap,
                domain,
                device: 7,
                range: block.part(0, 100 * heap * 4096),
            });
        }
        for region in 1..4 {
            script.say(Operation::RegionRegistered {
                region,
                domain,
                heap: None,
                device: 0,
                range: block.part(0, 100 * 4096),
            });
        }
        script.fill_now(block.part(0, 4096));
        script.end_heap(1).free(block);
        script.say(Operation::AnnotationUnknown {
            domain,
            value: 1,
            expected: "region".into(),
        });
        script.say(Operation::Finalized);
        script.expect(&[]);
    }
}

#[test]
fn what_is_left_at_the_end_is_a_leak_once() {
    let tell = |options: Options| {
        let mut script = Script::with(Options {
            rules: vec!["heap.*".to_owned()],
            ..options
        });
        let (block, heap) = pool(&mut script);
        script.free(block);
        script.say(Operation::RegionRegistered {
            region: 1,
            domain: 0,
            heap: None,
            device: 0,
            range: HOST,
        });
        script.say(Operation::ResetBegan { device: 0 });
        script.say(Operation::DeviceReset { device: 0 });
        script.say(Operation::Finalized).end();
        assert_eq!(script.checker().times(), vec![1; script.findings.len()]);
        let _ = heap;
        script.rules()
    };
    assert_eq!(tell(Options::default()), ["heap.leak"; 2]);
    let without = Options {
        leaks: false,
        ..Options::default()
    };
    assert!(tell(without).is_empty());
}

#[test]
fn many_regions_are_found_quickly_and_in_bounded_memory() {
    let mut script = heaps();
    let block = script.alloc(64 << 20);
    let heap = script.heap(block.part(0, 64 << 20));
    for number in 0..70_000 {
        script.region(heap, block.part(number * 512, 256));
    }
    // With more regions than are known the heap is not judged any more.
    script.fill_now(block.part(0, 64 << 20));
    script.expect(&[]);
    let statistics = script.checker().statistics();
    assert!(statistics.state_bytes < 32 << 20, "{statistics:?}");
    assert!(statistics.dropped_facts > 0);
}
