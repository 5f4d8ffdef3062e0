//! What a restricted or careless process gets: each case runs in a process of its own, because
//! limits and descriptor numbers belong to the whole process.
#![expect(
    unsafe_code,
    reason = "dup2 over a descriptor of the crate's, as a careless program does it"
)]

use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::process::Command;
use std::sync::Arc;
use std::thread;

use millpond_device::{
    AddressRange, AddressSpace, DeviceError, Home, HostAddressSpace, HostDevice, HostOptions,
    MachineMemory, Memory, Mover, PinnedMemory,
};

const MIB: u64 = 1 << 20;
const CHILD: &str = "MILLPOND_TEST_CHILD";

/// Runs `body` in a process of its own under `limit`, a command of the shell.
fn apart(test: &str, limit: &str, body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        return body();
    }
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("{limit} && exec \"$0\" \"$@\""))
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .expect("a shell");
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn device(span: u64) -> HostDevice {
    HostDevice::new(HostOptions {
        index: 0,
        span,
        least_span: 64 * MIB,
        windows: 64 << 20,
        unified: false,
    })
    .expect("a device")
}

#[test]
fn a_process_without_descriptors_left_is_still_limited() {
    apart(
        "a_process_without_descriptors_left_is_still_limited",
        "ulimit -n 64",
        || {
            let device = device(1 << 45);
            let mut files = Vec::new();
            while let Ok(file) = File::open("/dev/null") {
                files.push(file);
            }
            let known = MachineMemory::now().expect("a reading that needs no descriptor");
            assert!(known.bytes < 1 << 44, "{known:?}");
            let error = device
                .commit(AddressRange::new(device.range().start, 1 << 44))
                .unwrap_err();
            assert!(matches!(error, DeviceError::MachineFull { .. }), "{error}");
        },
    );
}

#[test]
fn pages_go_back_and_other_files_stay_when_a_program_reuses_the_descriptor() {
    apart(
        "pages_go_back_and_other_files_stay_when_a_program_reuses_the_descriptor",
        "true",
        || {
            let device = device(1 << 32);
            let part = AddressRange::new(device.range().start, 4 * MIB);
            device.commit(part).unwrap();
            // SAFETY: the range was committed and nobody else knows this device.
            unsafe { device.fill(part.start + device.distance(), 7, part.bytes) }.unwrap();

            let path = std::env::temp_dir().join(format!("millpond-own-{}", std::process::id()));
            let mut own = File::options()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&path)
                .unwrap();
            fs::remove_file(&path).unwrap();
            let contents = vec![9_u8; 4 << 20];
            own.write_all(&contents).unwrap();
            let number = descriptor_of_the_device();
            // SAFETY: both are numbers of open descriptors; the crate has to live with the change.
            let answer = unsafe { libc::dup2(own.as_raw_fd(), number) };
            assert_eq!(answer, number);

            assert_eq!(device.resident().unwrap(), part.bytes);
            assert_eq!(device.give_back(part).unwrap(), part.bytes);
            assert_eq!(device.resident().unwrap(), 0);
            drop(device);
            let mut found = Vec::new();
            own.rewind().unwrap();
            own.read_to_end(&mut found).unwrap();
            assert!(found == contents, "the program's file is as it was");
            // SAFETY: asks about a number; a closed one is an error code.
            let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
            assert!(flags >= 0, "the program's descriptor is still open");
        },
    );
}

#[test]
fn a_device_outlives_the_closing_of_all_descriptors() {
    apart(
        "a_device_outlives_the_closing_of_all_descriptors",
        "true",
        || {
            let device = device(1 << 32);
            // SAFETY: the crate has to live with a closed descriptor; nothing else uses it.
            assert_eq!(unsafe { libc::close(descriptor_of_the_device()) }, 0);
            let part = AddressRange::new(device.range().start + MIB, 4 * MIB);
            device.commit(part).unwrap();
            // SAFETY: the range was committed and nobody else knows this device.
            unsafe { device.fill(part.start + device.distance(), 7, part.bytes) }.unwrap();
            assert_eq!(device.give_back(part).unwrap(), part.bytes);
        },
    );
}

#[test]
fn what_is_mapped_outlives_the_closing_of_all_descriptors_and_nothing_new_is_mapped() {
    apart(
        "what_is_mapped_outlives_the_closing_of_all_descriptors_and_nothing_new_is_mapped",
        "true",
        || {
            let space = HostAddressSpace::sharing(false, &Arc::default()).unwrap();
            // SAFETY: the crate has to live with a closed descriptor; nothing else uses it.
            let close = || unsafe { libc::close(descriptor_of_the_device()) };
            let window = space.reserve(8 * MIB, None).unwrap();
            let at = window.range.start;
            let piece = space.create(2 * MIB, Home::Machine).unwrap();
            space.map(piece, at, false).unwrap();
            assert_eq!(close(), 0);
            let error = space.map(piece, at + 4 * MIB, false).unwrap_err();
            assert!(error.to_string().contains("closed"), "{error}");
            let mover = device(1 << 30);
            // SAFETY: the range is mapped and nobody else knows it.
            unsafe { mover.fill(at + window.distance, 7, 2 * MIB) }.unwrap();
            space.unmap(at).unwrap();
            space.destroy(piece).unwrap();
            space.release(at).unwrap();
        },
    );
}

/// The number of the only device's file.
fn descriptor_of_the_device() -> i32 {
    fs::read_dir("/proc/self/fd")
        .expect("a list of descriptors")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| {
            fs::read_link(path).is_ok_and(|to| to.to_string_lossy().contains("millpond-device"))
        })
        .and_then(|path| path.file_name()?.to_str()?.parse().ok())
        .expect("the device's file")
}

#[test]
fn a_limited_address_space_keeps_room_for_the_stacks_of_threads() {
    // 2.5 GiB and a little: the halves of the wish fill that without much left.
    apart(
        "a_limited_address_space_keeps_room_for_the_stacks_of_threads",
        "ulimit -v 2700000",
        || {
            let device = device(1 << 40);
            // Also takes the rest in halves, as far down as its least.
            let pinned = PinnedMemory::new(1 << 40, 16 * MIB).unwrap();
            assert!(device.range().bytes >= 64 * MIB);
            assert!(pinned.range().bytes >= 16 * MIB);
            let stack = 200 << 20;
            let thread = thread::Builder::new().stack_size(stack).spawn(|| 7);
            assert_eq!(thread.expect("a thread's stack").join().unwrap(), 7);
        },
    );
}
