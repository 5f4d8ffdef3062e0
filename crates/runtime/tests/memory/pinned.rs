//! Pinned memory in more than one range of addresses, and processes that have few of them.

use std::process::Command;

use millpond::{Config, Error, HostBlock, Pinned, Runtime};

use crate::common::MIB;

fn runtime(pinned: Pinned) -> Runtime {
    Runtime::new(Config {
        capacity: 64 * MIB,
        pinned,
        pinned_range: Some(64 * MIB),
        ..crate::common::base()
    })
    .expect("a runtime")
}

/// Three blocks of which two fill a range.
fn more_than_a_range(runtime: &Runtime) -> [HostBlock; 3] {
    [30, 30, 30].map(|mib| runtime.alloc_host(mib * MIB).expect("a further range"))
}

#[test]
fn a_second_range_serves_when_the_first_is_full() {
    for pinned in [Pinned::Plain, Pinned::Gated] {
        let runtime = runtime(pinned);
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let [mut first, _second, mut third] = more_than_a_range(&runtime);
        let distance = first.info().address.abs_diff(third.info().address);
        assert!(distance >= 64 * MIB, "they are in one range: {distance}");
        assert_eq!(runtime.host_usage().unwrap().blocks, 3);
        assert!(
            runtime
                .memory_report()
                .contains("pinned host memory, range 2")
        );

        // Both ranges are pinned memory for copies, queries and frees.
        first.bytes().unwrap()[..4096].fill(7);
        let block = device.alloc(4096).unwrap();
        stream.copy(block.all(), first.slice(..4096)).unwrap();
        stream.copy(third.slice(..4096), block.all()).unwrap();
        stream.synchronize().unwrap();
        assert!(third.bytes().unwrap()[..4096].iter().all(|&byte| byte == 7));
        let found = runtime.find_block(third.info().address + 5).unwrap();
        assert_eq!(found.serial, third.info().serial);
        assert_eq!(runtime.gate().is_some(), pinned == Pinned::Gated);

        // What is freed serves again once the newest range is full.
        let address = first.info().address;
        drop(first);
        let blocks = [0; 4].map(|_| runtime.alloc_host(30 * MIB).unwrap());
        let mut again = blocks.iter();
        assert!(again.any(|block| block.info().address == address));
        drop(third);
        assert!(runtime.trim_host().is_ok());
    }
}

#[test]
fn a_block_larger_than_a_range_gets_one_of_its_own() {
    let runtime = runtime(Pinned::Plain);
    let small = runtime.alloc_host(1).unwrap();
    let large = runtime.alloc_host(100 * MIB).unwrap();
    assert!(small.info().address.abs_diff(large.info().address) >= 64 * MIB);
}

#[test]
fn more_than_the_machine_has_opens_no_range() {
    let runtime = runtime(Pinned::Plain);
    let error = runtime.alloc_host(1 << 45).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("a further range of pinned memory could not be opened"),
        "{text}"
    );
    assert!(runtime.alloc_host(1).is_ok());
    assert!(!runtime.memory_report().contains("range 2"));
}

const CHILD: &str = "MILLPOND_TEST_LIMITED";

/// Runs `body` in a process of its own with this many KiB of addresses.
fn limited(test: &str, kib: u64, body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        return body();
    }
    let output = Command::new("sh")
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &kib.to_string()])
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("1 passed"), "{text}");
}

/// The default configuration, whose devices have 64 GiB.
fn default_runtime(pinned: Pinned) -> Runtime {
    Runtime::new(Config {
        workers: 2,
        pinned,
        ..crate::common::base()
    })
    .expect("a runtime")
}

#[test]
fn eight_gibibytes_of_addresses_are_enough_for_the_defaults() {
    if crate::common::skipped_on_gpu("its driver reserves the addresses") {
        return;
    }
    let test = "pinned::eight_gibibytes_of_addresses_are_enough_for_the_defaults";
    limited(test, 8 << 20, || {
        for pinned in [Pinned::Plain, Pinned::Gated] {
            let runtime = default_runtime(pinned);
            let device = runtime.device(0).unwrap();
            let stream = device.create_stream().unwrap();
            let mut host = runtime.alloc_host(64 * MIB).unwrap();
            let block = device.alloc(64 * MIB).unwrap();
            host.bytes().unwrap().fill(7);
            stream.copy(block.all(), host.all()).unwrap();
            host = runtime.alloc_host(64 * MIB).unwrap();
            stream.copy(host.all(), block.all()).unwrap();
            stream.synchronize().unwrap();
            assert!(host.bytes().unwrap().iter().all(|&byte| byte == 7));
            // There is room for the rest of the process.
            let stack = 512 << 20;
            let thread = std::thread::Builder::new().stack_size(stack).spawn(|| 7);
            assert_eq!(thread.expect("a thread's stack").join().unwrap(), 7);
        }
    });
}

#[test]
fn a_device_without_addresses_says_which_limit_to_raise() {
    if crate::common::skipped_on_gpu("its driver reserves the addresses") {
        return;
    }
    let test = "pinned::a_device_without_addresses_says_which_limit_to_raise";
    limited(test, 100 << 10, || {
        let runtime = default_runtime(Pinned::Plain);
        let text = runtime.device(0).unwrap_err().to_string();
        for part in [
            "device 0 needs at least 134217728 bytes of addresses",
            "104857600",
            "ulimit -v",
        ] {
            assert!(text.contains(part), "{text}");
        }
    });
}
