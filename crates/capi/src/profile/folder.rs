//! The folder of one profile: `PROF_NUMBER_TIME_LETTERS`, with the files that programs look for.
//!
//! ```text
//! PROF_000001_20261118170103727_3F2A.../
//!   host/start_info             when it began, by two clocks
//!   host/data/records.millpond  what was collected: a record file
//!   device_0/start_info.0       the same for each device
//! ```
//!
//! `msprof --export=on` adds `mindstudio_profiler_output`.
#![expect(unsafe_code, reason = "asks the system for times and threads")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The name of the record file inside the folder.
const RECORDS: &str = "host/data/records.millpond";

/// How many profiles this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// When it began: by the clock that nothing adjusts, and since 1970, in nanoseconds.
    began: (u64, u64),
}

impl Folder {
    /// Makes a folder with a new name inside `parent`.
    pub(super) fn create(parent: &Path) -> io::Result<Self> {
        let began = (
            clock(libc::CLOCK_MONOTONIC_RAW),
            clock(libc::CLOCK_REALTIME),
        );
        let number = MADE.fetch_add(1, Ordering::Relaxed) + 1;
        // Programs read only that it is digits; a time sorts the folders of one run after the other.
        let milliseconds = began.1 / 1_000_000;
        let process = std::process::id();
        let path = parent.join(format!("PROF_{number:06}_{milliseconds}_{process:08X}"));
        fs::create_dir(&path)?;
        fs::create_dir_all(path.join("host/data"))?;
        let folder = Self { path, began };
        fs::write(folder.path.join("host/start_info"), folder.start_info())?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn records(&self) -> PathBuf {
        self.path.join(RECORDS)
    }

    /// Adds the folder of a device.
    pub(super) fn add_device(&self, device: u32) -> io::Result<()> {
        let folder = self.path.join(format!("device_{device}"));
        fs::create_dir_all(&folder)?;
        fs::write(
            folder.join(format!("start_info.{device}")),
            self.start_info(),
        )
    }

    fn start_info(&self) -> String {
        let (raw, wall) = self.began;
        let (micro, nano) = (wall / 1000, wall % 1000);
        format!(
            "{{\"collectionTimeBegin\": \"{micro}.{nano:03}\", \"clockMonotonicRaw\": \"{raw}\"}}\n"
        )
    }
}

/// A clock, in nanoseconds.
pub(super) fn clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure is valid for one write, and these clocks exist on every Linux.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

/// The number of this thread for the system.
pub(super) fn system_thread() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    let number = unsafe { libc::gettid() };
    u32::try_from(number).unwrap_or(0)
}
