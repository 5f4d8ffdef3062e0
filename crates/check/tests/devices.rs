//! Memory of another device, and directions that do not fit.

mod common;

use common::{Block, HOST, Script};
use millpond_trace::{Operation, Space};

const WRONG: &[&str] = &["memory.wrong-device"];

/// Two devices, a stream of the second and a block of each.
fn setting() -> (Script, u64, Block, Block) {
    let mut script = Script::about(&["memory.wrong-device", "memory.copy-kind"]);
    for device in 0..2 {
        script.say(Operation::DeviceOpened {
            device,
            capacity: 1 << 30,
            unified: false,
        });
    }
    let stream = script.number();
    script
        .call("aclrtCreateStream")
        .say(Operation::StreamCreated {
            stream,
            context: 2,
            device: 1,
        });
    script.call("aclrtMalloc");
    let first = script.alloc_in(Space::Device(0), 4096, None, None);
    script.call("aclrtMalloc");
    let second = script.alloc_in(Space::Device(1), 4096, None, None);
    (script, stream, first, second)
}

fn allow(script: &mut Script, device: u32, peer: u32, enabled: bool) {
    script
        .call("aclrtDeviceEnablePeerAccess")
        .say(Operation::PeerAccessSet {
            device,
            peer,
            enabled,
        });
}

#[test]
fn work_of_a_stream_uses_memory_of_its_device() {
    for allowed in [None, Some((1, 0)), Some((0, 1))] {
        for work in 0..4 {
            let (mut script, stream, first, second) = setting();
            if let Some((device, peer)) = allowed {
                allow(&mut script, device, peer, true);
            }
            match work {
                0 => script.fill(stream, first.range),
                1 => script.copy(stream, second.range, first.range),
                2 => script.copy(stream, first.range, HOST),
                _ => script.compute(stream, &[second.range], &[first.range]),
            };
            // Access is one-way; which way a read goes is left open.
            let right = allowed == Some((1, 0)) || (allowed.is_some() && work == 1);
            script.expect(if right { &[] } else { WRONG });
            if let Some(finding) = script.findings.first() {
                assert_eq!(finding.operations.len(), 2);
                assert_eq!(finding.bytes, Some(first.range));
            }
        }
    }
}

#[test]
fn its_own_memory_and_the_host_s_are_fine() {
    let (mut script, stream, _, second) = setting();
    script.fill(stream, second.range);
    script.copy(stream, second.range, HOST);
    let pinned = script.alloc_host(4096);
    script.copy(stream, pinned.range, second.range);
    script.expect(&[]);
}

#[test]
fn access_that_was_taken_back_counts_no_more() {
    let (mut script, stream, first, _) = setting();
    allow(&mut script, 1, 0, true);
    script.fill(stream, first.range);
    script.expect(&[]);
    allow(&mut script, 1, 0, false);
    script.fill(stream, first.range);
    script.expect(WRONG);
}

#[test]
fn the_host_copies_between_devices_that_may_reach_each_other() {
    for allowed in [false, true] {
        let (mut script, _, first, second) = setting();
        if allowed {
            allow(&mut script, 0, 1, true);
        }
        // With the host on one side any device will do.
        script.copy_now(first.range, HOST);
        script.copy_now(HOST, second.range);
        script.expect(&[]);
        script.copy_now(second.range, first.range);
        script.expect(if allowed { &[] } else { WRONG });
    }
}

#[test]
fn what_is_mapped_has_access_of_its_own() {
    let (mut script, stream, _, _) = setting();
    let piece = script.piece(4096);
    let range = millpond_trace::Bytes {
        start: 0x40_0000_0000,
        bytes: 4096,
    };
    script.map(piece, range);
    script.fill(stream, range);
    script.expect(&[]);
}

#[test]
fn a_direction_that_does_not_fit_is_a_hint() {
    let (mut script, ..) = setting();
    script
        .call("aclrtMemcpy")
        .say(Operation::DirectionCorrected {
            stated: "host to host".into(),
            to: Space::Device(0),
            from: Space::Device(0),
        });
    script.expect(&["memory.copy-kind"]);
    let message = &script.findings[0].message;
    assert!(message.contains("host to host"), "{message}");
}
