//! What is charged, what is resident, what goes back.

use millpond::{Config, Error, PageChoice, PageKind, Profile, Request, Runtime, Schedule, Tail};

use crate::common::{MIB, config, fill, open, value_of};
use crate::nothing_used;

const GIB: u64 = 1 << 30;

fn request(bytes: u64, pages: PageChoice) -> Request {
    Request {
        bytes,
        tail: Tail::None,
        pages,
    }
}

#[test]
fn blocks_are_charged_whole_pages_of_their_kind() {
    use PageChoice::{BySize, GigabyteOnly, HugeFirst, HugeOnly, NormalOnly};
    let rows: &[(PageChoice, u64, PageKind, u64)] = &[
        (HugeFirst, 1, PageKind::Normal, 4096),
        (HugeFirst, 4096, PageKind::Normal, 4096),
        (HugeFirst, 4097, PageKind::Normal, 8192),
        (HugeFirst, MIB, PageKind::Normal, MIB),
        (HugeFirst, MIB + 1, PageKind::Huge, 2 * MIB),
        (HugeFirst, 2 * MIB + 1, PageKind::Huge, 4 * MIB),
        (HugeOnly, 1, PageKind::Huge, 2 * MIB),
        (NormalOnly, 5 * MIB + 1, PageKind::Normal, 5 * MIB + 4096),
        (GigabyteOnly, 1, PageKind::Gigabyte, GIB),
        (GigabyteOnly, GIB + 1, PageKind::Gigabyte, 2 * GIB),
        (BySize, 2 * MIB - 1, PageKind::Normal, 2 * MIB),
        (BySize, 2 * MIB, PageKind::Huge, 2 * MIB),
    ];
    let runtime = Runtime::new(Config {
        capacity: 8 * GIB,
        ..crate::common::base()
    })
    .unwrap();
    let device = runtime.device(0).unwrap();
    let mut blocks = Vec::new();
    let mut sums = [0; 3];
    for &(choice, bytes, kind, charge) in rows {
        let block = device.alloc_with(request(bytes, choice)).unwrap();
        assert_eq!(block.info().pages, kind, "{choice:?} {bytes}");
        sums[kind as usize] += charge;
        blocks.push(block);
        let usage = device.usage();
        let charged = [
            usage.charged_normal,
            usage.charged_huge,
            usage.charged_gigabyte,
        ];
        assert_eq!(charged, sums, "{choice:?} {bytes}");
        assert_eq!(usage.charged, sums.iter().sum::<u64>());
        assert_eq!(usage.blocks, blocks.len());
        assert_eq!(usage.peak, usage.charged);
    }
    let peak = device.usage().peak;
    drop(blocks);
    assert!(nothing_used(device.usage()));
    assert_eq!(device.usage().peak, peak);
}

#[test]
fn a_chip_without_gigabyte_pages_says_so() {
    let runtime = Runtime::new(Config {
        profile: *Profile::named("ascend310p3").unwrap(),
        ..config(Schedule::Eager)
    })
    .unwrap();
    let device = runtime.device(0).unwrap();
    let refused = device.alloc_with(request(1, PageChoice::GigabyteOnly));
    assert!(matches!(refused, Err(Error::PagesNotOffered { .. })));
}

#[test]
fn large_requests_fall_back_to_normal_pages_when_no_huge_one_fits() {
    let (_runtime, device) = open(Schedule::Eager);
    let odd = device.alloc(4096).unwrap();
    let most = device.alloc(254 * MIB).unwrap();
    // 2 MiB less 4 KiB are left: too little for a huge page.
    let rest = device.alloc(2 * MIB - 4096).unwrap();
    assert_eq!(rest.info().pages, PageKind::Normal);
    assert_eq!(device.usage().free(), 0);
    let refused = device.alloc(1).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::OutOfMemory {
                requested: 1,
                charge: 4096,
                free: 0,
                ..
            }
        ),
        "{refused}"
    );
    drop((odd, most, rest));
}

#[test]
fn a_full_device_refuses_and_recovers() {
    let (_runtime, device) = open(Schedule::Eager);
    for round in 0..3 {
        let mut blocks = Vec::new();
        let refused = loop {
            match device.alloc(MIB / 2) {
                Ok(block) => blocks.push(block),
                Err(error) => break error,
            }
        };
        assert!(
            matches!(refused, Error::OutOfMemory { .. }),
            "{round}: {refused}"
        );
        assert_eq!(blocks.len(), 512, "round {round}");
        assert_eq!(device.usage().free(), 0);
        // Every second one goes: half is free, in pieces.
        let mut number = 0;
        blocks.retain(|_| {
            number += 1;
            number % 2 == 0
        });
        assert_eq!(device.usage().free(), 128 * MIB);
        // Addresses are not scarce, so a request may be larger than any gap between blocks.
        let large = device.alloc(100 * MIB).unwrap();
        drop(large);
        drop(blocks);
        assert!(nothing_used(device.usage()));
    }
}

#[test]
fn pages_are_resident_when_touched_and_go_back_when_trimmed() {
    if crate::common::skipped_on_gpu("its pages are there when they are promised") {
        return;
    }
    let (_runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    assert_eq!(device.resident(), Ok(0));
    let blocks: Vec<_> = (0..4).map(|_| device.alloc(8 * MIB).unwrap()).collect();
    assert_eq!(
        device.resident(),
        Ok(0),
        "nothing is resident until touched"
    );
    for block in &blocks {
        fill(&stream, block, 1);
    }
    stream.synchronize().unwrap();
    assert!(device.resident().unwrap() >= 32 * MIB);
    assert_eq!(device.trim(), Ok(0), "live blocks keep their pages");

    let kept: Vec<_> = blocks.into_iter().skip(2).collect();
    assert!(
        device.resident().unwrap() >= 32 * MIB,
        "a free gives no page back by itself"
    );
    assert_eq!(device.trim(), Ok(16 * MIB));
    assert_eq!(device.resident(), Ok(16 * MIB));
    assert_eq!(device.usage().promised, 16 * MIB);
    assert_eq!(kept.iter().map(value_of).collect::<Vec<_>>(), [1, 1]);

    let again = device.alloc(8 * MIB).unwrap();
    assert_eq!(value_of(&again), 0, "a page that was given back is fresh");
    drop((kept, again));
    device.trim().unwrap();
    assert_eq!(device.resident(), Ok(0));
    assert_eq!(device.usage().promised, 0);
}

#[test]
fn a_gap_between_two_blocks_on_huge_pages_is_used_again() {
    let (_runtime, device) = open(Schedule::Eager);
    for length in [2 * MIB, 3 * MIB, 16 * MIB] {
        let mut blocks: Vec<_> = (0..3).map(|_| device.alloc(length).unwrap()).collect();
        let gap = blocks.remove(1).address();
        let again = device.alloc(length).unwrap();
        assert_eq!(again.address(), gap, "{length} bytes");
    }
}
