//! How much memory the machine can still give: what is available and what control groups allow.
//!
//! The files are read when the allowance runs out, not at every growth: a reading is good for a
//! sixteenth of what it showed.

use std::fs;
use std::path::Path;

/// What the machine allows at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineMemory {
    /// Bytes that can still be taken.
    pub bytes: u64,
    /// What limits them.
    pub by: &'static str,
}

impl MachineMemory {
    /// Reads `/proc/meminfo` and the control groups of this process. `None` where neither says
    /// anything, which callers take for no limit.
    pub fn now() -> Option<Self> {
        let available = fs::read_to_string("/proc/meminfo")
            .ok()
            .as_deref()
            .and_then(available_in)
            .map(|bytes| Self {
                bytes,
                by: "the machine's available memory",
            });
        let grouped = fs::read_to_string("/proc/self/cgroup")
            .ok()
            .as_deref()
            .and_then(|text| group_room(text, Path::new("/sys/fs/cgroup")))
            .map(|bytes| Self {
                bytes,
                by: "the control group's memory limit",
            });
        match (available, grouped) {
            (Some(a), Some(b)) => Some(if a.bytes <= b.bytes { a } else { b }),
            (some, None) | (None, some) => some,
        }
    }
}

/// `MemAvailable` of a meminfo text, in bytes.
fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The smallest room that any group from the process's own up to the root leaves.
fn group_room(own_groups: &str, root: &Path) -> Option<u64> {
    own_groups
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            match controllers {
                "" => Some(rooms(root, path, &VERSION_2)),
                names if names.split(',').any(|name| name == "memory") => {
                    Some(rooms(&root.join("memory"), path, &VERSION_1))
                }
                _ => None,
            }
        })
        .flatten()
        .min()
}

/// File names of one version of control groups.
struct Files {
    limit: &'static str,
    used: &'static str,
}

const VERSION_1: Files = Files {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
};
const VERSION_2: Files = Files {
    limit: "memory.max",
    used: "memory.current",
};

fn rooms(root: &Path, path: &str, files: &Files) -> Option<u64> {
    let mut folder = root.join(path.trim_start_matches('/'));
    let mut smallest: Option<u64> = None;
    loop {
        if let Some(room) = room_of(&folder, files) {
            smallest = Some(smallest.map_or(room, |known| known.min(room)));
        }
        if folder == root || !folder.pop() {
            return smallest;
        }
    }
}

fn room_of(folder: &Path, files: &Files) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        fs::read_to_string(folder.join(name))
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let limit = number(files.limit)?; // "max" does not parse: no limit here
    let used = number(files.used)?;
    // Cached file pages count as used but go when memory is wanted.
    let cached = fs::read_to_string(folder.join("memory.stat"))
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find(|line| line.starts_with("inactive_file "))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        })
        .unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

/// Bytes that may be promised before the machine is asked again.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    left: u64,
}

impl Allowance {
    /// Takes `bytes` from the allowance. `outstanding` says how many promised bytes nobody has
    /// touched yet: they will be taken from what the machine shows as available.
    pub(crate) fn take(
        &mut self,
        bytes: u64,
        outstanding: impl FnOnce() -> u64,
        machine: impl FnOnce() -> Option<MachineMemory>,
    ) -> Result<(), MachineMemory> {
        if bytes <= self.left {
            self.left -= bytes;
            return Ok(());
        }
        self.left = 0;
        let Some(now) = machine() else {
            return Ok(());
        };
        let room = now.bytes.saturating_sub(outstanding());
        if bytes > room {
            return Err(MachineMemory { bytes: room, ..now });
        }
        self.left = (room - bytes) / 16;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_kib() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:    1000 kB\n";
        assert_eq!(available_in(text), Some(1_024_000));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert_eq!(available_in("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn the_narrowest_group_decides() {
        let root = std::env::temp_dir().join(format!("millpond-groups-{}", std::process::id()));
        let inner = root.join("outer/inner");
        fs::create_dir_all(&inner).unwrap();
        let put = |path: std::path::PathBuf, text: &str| fs::write(path, text).unwrap();
        put(inner.join("memory.max"), "max\n");
        put(inner.join("memory.current"), "5000\n");
        put(root.join("outer/memory.max"), "10000\n");
        put(root.join("outer/memory.current"), "7000\n");
        put(
            root.join("outer/memory.stat"),
            "anon 1\ninactive_file 500\n",
        );
        assert_eq!(group_room("0::/outer/inner\n", &root), Some(3500));
        assert_eq!(group_room("0::/elsewhere\n", &root), None);
        assert_eq!(group_room("garbage", &root), None);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn an_allowance_asks_rarely_and_refuses_what_is_not_there() {
        let mut allowance = Allowance::default();
        let machine = |bytes| move || Some(MachineMemory { bytes, by: "test" });
        allowance.take(100, || 0, machine(1700)).unwrap();
        allowance
            .take(100, || 0, || panic!("the allowance of 100 suffices"))
            .unwrap();
        let refused = allowance.take(1000, || 800, machine(1700)).unwrap_err();
        assert_eq!(refused.bytes, 900);
        allowance.take(u64::MAX, || 0, || None).unwrap();
    }
}
