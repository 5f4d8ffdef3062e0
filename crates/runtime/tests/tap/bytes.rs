//! What records say of memory.

use millpond::Schedule;
use millpond::trace::{Bytes, Operation, Outcome, Space, Span, TaskKind};

use crate::common::{MIB, fill, open};
use crate::{listen, range};

#[test]
fn refusals_are_recorded_with_their_reason() {
    let (runtime, device) = open(Schedule::Eager);
    let block = device.alloc(64).unwrap();
    let collector = listen(&runtime);
    let refused = device.alloc(300 * MIB).unwrap_err();
    let inside = runtime.free_at(block.address() + 1).unwrap_err();
    let foreign = runtime.free_at(64).unwrap_err();
    let wrong = runtime.free_host_at(block.address()).unwrap_err();
    let free_refused = |address, reason: &millpond::Error| Operation::FreeRefused {
        address,
        reason: reason.to_string(),
    };
    assert_eq!(
        collector.operations(),
        [
            Operation::AllocationFailed {
                space: Space::Device(0),
                requested: 300 * MIB,
                reason: refused.to_string(),
            },
            free_refused(block.address() + 1, &inside),
            free_refused(64, &foreign),
            free_refused(block.address(), &wrong),
        ]
    );
}

#[test]
fn bytes_that_the_program_moves_itself_are_recorded() {
    let (runtime, device) = open(Schedule::Eager);
    let block = device.alloc(64).unwrap();
    let collector = listen(&runtime);
    let mut bytes = [3; 10];
    block.write(&bytes).unwrap();
    block.read(&mut bytes).unwrap();
    let touched: Vec<_> = collector
        .operations()
        .into_iter()
        .filter_map(|operation| match operation {
            Operation::Moved {
                accesses,
                outcome: Outcome::Done,
            } if accesses.task == TaskKind::Copy => {
                Some((accesses.reads.to_vec(), accesses.writes.to_vec()))
            }
            _ => None,
        })
        .collect();
    let host = Bytes {
        start: bytes.as_ptr().addr() as u64,
        bytes: 10,
    };
    let own = range(block.slice(..10));
    let (host, own) = (vec![Span::from(host)], vec![Span::from(own)]);
    assert_eq!(touched, [(host.clone(), own.clone()), (own, host)]);
}

#[test]
fn pages_that_go_back_and_a_reset_are_recorded() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let (block, kept) = (device.alloc(4 * MIB).unwrap(), device.alloc(64).unwrap());
    fill(&stream, &block, 1);
    stream.synchronize().unwrap();
    drop(block);
    let collector = listen(&runtime);
    device.trim().unwrap();
    device.reset().unwrap();
    drop(kept);
    let returned = |bytes| Operation::PagesReturned {
        space: Space::Device(0),
        bytes,
    };
    let operations = collector.operations();
    assert_eq!(operations[0], returned(4 * MIB));
    assert!(operations.contains(&Operation::DeviceReset { device: 0 }));
}
