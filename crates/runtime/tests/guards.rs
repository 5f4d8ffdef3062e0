//! Guards, poison and quarantine: they find writes that no call made, and change nothing that a
//! program can see.
#![expect(
    unsafe_code,
    reason = "writes where programs must not, which is what is looked for"
)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of a test stop at the first surprise, as the test does"
)]

#[path = "common/mod.rs"]
mod common;

use std::sync::Arc;

use common::{MIB, config, gate, under_every_schedule};
use millpond::{Config, Device, PageChoice, Request, Runtime, Schedule, Tail};
use millpond_trace::{Bytes, Collector, GuardKind, Operation};

struct Checked {
    runtime: Runtime,
    device: Device,
    collector: Arc<Collector>,
}

impl Checked {
    fn open(config: Config) -> Self {
        let runtime = Runtime::new(Config {
            guards: true,
            ..config
        })
        .unwrap();
        let collector = Arc::new(Collector::default());
        runtime.tap().attach(collector.clone());
        Self {
            device: runtime.device(0).unwrap(),
            runtime,
            collector,
        }
    }

    /// What was found changed so far, and where.
    fn changed(&self) -> Vec<(GuardKind, u64, Bytes)> {
        let operations = self.collector.operations();
        let changed = operations
            .into_iter()
            .filter_map(|operation| match operation {
                Operation::GuardChanged {
                    guard,
                    block,
                    range,
                } => Some((guard, block, range)),
                _ => None,
            });
        changed.collect()
    }
}

fn eager() -> Config {
    config(Schedule::Eager)
}

fn unified() -> Config {
    Config {
        unified: true,
        ..eager()
    }
}

/// Writes where the program can, whether it may or not.
fn write(address: u64, bytes: &[u8]) {
    let address = usize::try_from(address).unwrap();
    let to = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: the tests write next to their own blocks, in memory that this process may touch and that nobody
    // else uses.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
}

fn at(start: u64, bytes: u64) -> Bytes {
    Bytes { start, bytes }
}

#[test]
fn bytes_past_a_pinned_block_are_found_changed_when_it_is_freed() {
    let checked = Checked::open(eager());
    for size in [1, 100, 511, 512, 4096, 70_000] {
        let before = checked.changed().len();
        let mut block = checked.runtime.alloc_host(size).unwrap();
        block.bytes().unwrap().fill(1);
        let (serial, address) = (block.info().serial, block.info().address);
        // What a size is rounded up to may be used.
        let behind = address + size.next_multiple_of(32);
        write(behind, &[1, 2, 3, 4]);
        drop(block);
        let changed = checked.changed();
        assert_eq!(
            changed[before..],
            [(GuardKind::Redzone, serial, at(behind, 4))],
            "{size} bytes"
        );
    }
}

#[test]
fn blocks_that_are_used_as_they_should_be_are_not_reported() {
    if common::skipped_on_gpu("its memory has no guards") {
        return;
    }
    for config in [eager(), unified()] {
        let checked = Checked::open(config);
        let stream = checked.device.create_stream().unwrap();
        let pool = checked.device.create_pool(None).unwrap();
        for size in [1, 100, 511, 512, 4096, 70_000, 3 * MIB] {
            let mut host = checked.runtime.alloc_host(size).unwrap();
            host.bytes().unwrap().fill(1);
            let block = checked.device.alloc(size).unwrap();
            stream.copy(block.all(), host.all()).unwrap();
            let pooled = pool.alloc(&stream, size).unwrap();
            stream.copy(pooled.all(), block.all()).unwrap();
            // All of these go while work on them is queued.
        }
        stream.synchronize().unwrap();
        checked.runtime.check_guards();
        assert_eq!(checked.changed(), []);
    }
}

#[test]
fn in_unified_mode_bytes_behind_device_memory_are_found_changed() {
    if common::skipped_on_gpu("its memory has no guards") {
        return;
    }
    let checked = Checked::open(unified());
    let stream = checked.device.create_stream().unwrap();
    let pool = checked.device.create_pool(None).unwrap();
    let block = checked.device.alloc(MIB).unwrap();
    let pooled = pool.alloc(&stream, 40).unwrap();
    let (first, second) = (block.address() + MIB, pooled.address() + 64);
    write(first + 7, &[9]);
    write(second, &[9; 32]);
    drop(block);
    drop(pooled);
    let ranges: Vec<_> = checked.changed().into_iter().map(|found| found.2).collect();
    assert_eq!(ranges, [at(first + 7, 1), at(second, 32)]);
}

#[test]
fn a_live_block_is_looked_at_when_asked_and_is_said_once() {
    let checked = Checked::open(eager());
    let block = checked.runtime.alloc_host(64).unwrap();
    write(block.info().address + 64, &[1]);
    checked.runtime.check_guards();
    checked.runtime.check_guards();
    drop(block);
    assert_eq!(checked.changed().len(), 1);
}

#[test]
fn a_reset_looks_at_what_is_still_there() {
    if common::skipped_on_gpu("its memory has no guards") {
        return;
    }
    let checked = Checked::open(unified());
    let address = checked.device.alloc_at(Request::of(64)).unwrap();
    write(address + 64, &[1]);
    checked.device.reset().unwrap();
    assert_eq!(checked.changed().len(), 1);
}

#[test]
fn a_write_to_a_freed_block_is_found_when_it_leaves_the_quarantine() {
    let checked = Checked::open(eager());
    let block = checked.runtime.alloc_host(20_000).unwrap();
    let (serial, address) = (block.info().serial, block.info().address);
    drop(block);
    write(address + 10, &[1, 1]);
    write(address + 19_999, &[1]);
    assert_eq!(checked.changed(), []);
    // Many more come and go, and the first has to make room.
    for _ in 0..3000 {
        drop(checked.runtime.alloc_host(64).unwrap());
    }
    let found = (GuardKind::Poison, serial, at(address + 10, 19_990));
    assert_eq!(checked.changed(), [found]);
}

#[test]
fn new_memory_holds_no_zeros() {
    let checked = Checked::open(eager());
    let mut block = checked.runtime.alloc_host(100_000).unwrap();
    let bytes = block.bytes().unwrap();
    assert!(bytes[..512].iter().all(|&byte| byte == 0xfe));
    assert!(bytes[100_000 - 512..].iter().all(|&byte| byte == 0xfe));
}

#[test]
fn a_freed_block_is_not_handed_out_again_at_once() {
    if common::skipped_on_gpu("its memory has no guards") {
        return;
    }
    let checked = Checked::open(eager());
    let mut seen = Vec::new();
    for _ in 0..200 {
        let address = checked.device.alloc(64).unwrap().address();
        assert!(!seen.contains(&address));
        seen.push(address);
    }
}

/// The same requests with and without: what they are given, what is charged and what may be copied.
#[test]
fn nothing_of_it_is_seen() {
    let plain = Runtime::new(eager()).unwrap();
    let plain = plain.device(0).unwrap();
    let checked = Checked::open(eager());
    let sizes = [1, 32, 480, 481, 512, 4064, 4096, MIB, 2 * MIB - 32, 2 * MIB];
    let tails = [Tail::None, Tail::Padding];
    let pages = [
        PageChoice::HugeFirst,
        PageChoice::HugeOnly,
        PageChoice::NormalOnly,
    ];
    for (bytes, tail, pages) in sizes
        .iter()
        .flat_map(|&size| tails.map(|tail| (size, tail)))
        .flat_map(|(size, tail)| pages.map(|pages| (size, tail, pages)))
    {
        let request = Request { bytes, tail, pages };
        let (one, two) = (
            plain.alloc_with(request).unwrap(),
            checked.device.alloc_with(request).unwrap(),
        );
        assert_eq!(one.info().bytes, two.info().bytes, "{request:?}");
        assert_eq!(one.info().pages, two.info().pages, "{request:?}");
        assert_eq!(two.address() % 512, 0);
        let (plain, checked_usage) = (plain.usage(), checked.device.usage());
        assert_eq!(
            plain.charged_normal, checked_usage.charged_normal,
            "{request:?}"
        );
        assert_eq!(
            plain.charged_huge, checked_usage.charged_huge,
            "{request:?}"
        );
        // The first byte that is not the block's.
        let behind = two.address() + two.info().bytes;
        assert!(checked.runtime.find_block(behind).is_err(), "{request:?}");
        assert!(
            checked.runtime.find_block(behind - 1).is_ok(),
            "{request:?}"
        );
    }
}

#[test]
fn all_of_a_small_device_can_be_had_again_and_again() {
    let checked = Checked::open(Config {
        capacity: 64 * MIB,
        ..eager()
    });
    for round in 0..6 {
        for (count, size) in [(32, 2 * MIB), (1, 64 * MIB), (64, MIB), (16_384, 4096)] {
            let blocks: Vec<_> = (0..count)
                .map(|number| {
                    checked.device.alloc(size).unwrap_or_else(|error| {
                        panic!("round {round}, block {number} of {size}: {error}")
                    })
                })
                .collect();
            assert!(checked.device.alloc(2 * MIB).is_err());
            drop(blocks);
        }
    }
    assert_eq!(checked.changed(), []);
}

/// A copy that was queued before the free still finds its bytes, in spite of poison and quarantine.
#[test]
fn queued_work_is_not_disturbed() {
    under_every_schedule(|schedule| {
        let checked = Checked::open(config(schedule));
        let (runtime, device) = (&checked.runtime, &checked.device);
        let (stream, opener) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let pool = device.create_pool(Some(32 * MIB)).unwrap();
        let mut host = runtime.alloc_host(8192).unwrap();
        for round in 0..20_u8 {
            let gate = gate(runtime);
            stream.wait_event(&gate, None).unwrap();
            // More than the quarantine of this pool takes, so that the stream gets its own back.
            for _ in 0..8 {
                let block = pool.alloc(&stream, MIB).unwrap();
                stream.fill(block.slice(..8192), round).unwrap();
                stream.copy(host.all(), block.slice(..8192)).unwrap();
            }
            opener.record(&gate).unwrap();
            stream.synchronize().unwrap();
            assert!(host.bytes().unwrap().iter().all(|&byte| byte == round));
        }
        runtime.check_guards();
        assert_eq!(checked.changed(), [], "{schedule:?}");
    });
}

/// Threads allocate while all guards are checked: a block without a guard yet is not a finding.
#[test]
fn looking_while_others_allocate_finds_nothing() {
    let checked = Checked::open(eager());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    drop(checked.device.alloc(4096).unwrap());
                }
            });
        }
        for _ in 0..200 {
            checked.runtime.check_guards();
        }
    });
    assert_eq!(checked.changed(), []);
}

/// The copies whose source was found changed.
fn surprised(checked: &Checked) -> Vec<(u64, Bytes)> {
    let operations = checked.collector.operations().into_iter();
    let changed = operations.filter_map(|operation| match operation {
        Operation::SourceChanged { position, range } => Some((position.task, range)),
        _ => None,
    });
    changed.collect()
}

#[test]
fn a_source_that_changes_before_its_copy_has_run_is_found() {
    let checked = Checked::open(Config {
        patience: std::time::Duration::from_mins(1),
        ..config(Schedule::Latest)
    });
    let stream = checked.device.create_stream().unwrap();
    let block = checked.device.alloc(100_000).unwrap();
    let host = checked.runtime.alloc_host(100_000).unwrap();
    let start = host.info().address;
    stream.copy(block.all(), host.all()).unwrap();
    stream.synchronize().unwrap();
    write(start, &[2]);
    assert_eq!(surprised(&checked), []);
    stream.copy(block.all(), host.all()).unwrap();
    write(start + 99_999, &[1]);
    stream.synchronize().unwrap();
    assert_eq!(surprised(&checked), [(2, at(start, 100_000))]);
}

/// What is before a copy in its stream may write what it reads: it is not the program that does.
#[test]
fn a_source_that_the_stream_itself_changes_is_not_reported() {
    under_every_schedule(|schedule| {
        let checked = Checked::open(config(schedule));
        let (runtime, device) = (&checked.runtime, &checked.device);
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let block = device.alloc(4096).unwrap();
        let host = runtime.alloc_host(4096).unwrap();
        let start = host.info().address;
        for round in 1..20 {
            // By a copy.
            stream.fill(block.all(), round).unwrap();
            stream.copy(host.all(), block.all()).unwrap();
            stream.copy(block.all(), host.all()).unwrap();
            // By a function.
            stream
                .host_function(move || write(start, &[round, 1]))
                .unwrap();
            stream.copy(block.all(), host.all()).unwrap();
            // By a function of another stream that this one waits for.
            let event = gate(runtime);
            stream.wait_event(&event, None).unwrap();
            stream.copy(block.all(), host.all()).unwrap();
            other
                .host_function(move || write(start + 9, &[round, 2]))
                .unwrap();
            other.record(&event).unwrap();
            stream.synchronize().unwrap();
        }
        assert_eq!(surprised(&checked), [], "{schedule:?}");
    });
}

#[test]
fn the_same_calls_give_the_same_addresses() {
    let run = || {
        let checked = Checked::open(eager());
        let stream = checked.device.create_stream().unwrap();
        let mut addresses = Vec::new();
        for round in 0..200 {
            let size = 1000 * (round % 7 + 1);
            let block = checked.device.alloc(size).unwrap();
            stream.fill(block.all(), 1).unwrap();
            addresses.push(block.info().address);
            if round % 10 == 0 {
                stream.synchronize().unwrap();
            }
        }
        let first = addresses[0];
        let distances = addresses.iter().map(|address| address.wrapping_sub(first));
        distances.collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
