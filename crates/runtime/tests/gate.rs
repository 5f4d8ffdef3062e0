//! Pinned memory with a gate: two views of the same bytes, and pages of its own for each block.

mod common;

use millpond::device_api::{Access, AddressRange};
use millpond::{Config, Pinned, Runtime};

fn runtime(pinned: Pinned) -> Runtime {
    Runtime::new(Config {
        capacity: 64 << 20,
        guards: true,
        pinned,
        ..common::base()
    })
    .expect("a runtime")
}

#[test]
fn work_uses_its_own_view_and_both_show_the_same_bytes() {
    let runtime = runtime(Pinned::Gated);
    assert!(runtime.gate().is_none(), "nothing was allocated");
    let device = runtime.device(0).unwrap();
    let stream = device.create_stream().unwrap();
    let block = device.alloc(10_000).unwrap();
    let mut host = runtime.alloc_host(10_000).unwrap();
    let gate = runtime.gate().unwrap();
    let pages = AddressRange::new(host.info().address, 10_000);

    host.bytes().unwrap().fill(7);
    gate.set(pages, Access::Closed);
    stream.copy(block.all(), host.all()).unwrap();
    stream.fill(block.slice(5_000..), 9).unwrap();
    stream.copy(host.all(), block.all()).unwrap();
    stream.synchronize().unwrap();
    gate.set(pages, Access::Open);

    let bytes = host.bytes().unwrap();
    assert!(bytes[..5_000].iter().all(|&byte| byte == 7));
    assert!(bytes[5_000..].iter().all(|&byte| byte == 9));
}

#[test]
fn blocks_share_no_page_and_are_as_large_as_without_a_gate() {
    let runtimes = [runtime(Pinned::Gated), runtime(Pinned::Plain)];
    assert!(runtimes[1].alloc_host(1).is_ok() && runtimes[1].gate().is_none());
    let blocks = runtimes.map(|runtime| {
        [1_u64, 100, 512, 5_000].map(|bytes| {
            let block = runtime.alloc_host(bytes).unwrap();
            (*block.info(), block)
        })
    });
    let [gated, plain] = blocks;
    let sizes =
        |blocks: &[(millpond::BlockInfo, _); 4]| blocks.each_ref().map(|(info, _)| info.bytes);
    assert_eq!(sizes(&gated), sizes(&plain));
    let page = millpond::device_api::os_page();
    let mut pages: Vec<u64> = Vec::new();
    for (info, _) in &gated {
        let first = info.address / page;
        let last = (info.address + info.bytes - 1) / page;
        pages.extend(first..=last);
    }
    let all = pages.len();
    pages.sort_unstable();
    pages.dedup();
    assert_eq!(pages.len(), all);
}
