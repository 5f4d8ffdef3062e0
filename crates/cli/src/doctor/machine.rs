//! Checks of the machine: how much memory a program may have, and how the kernel grants it.
//!
//! Reading and judging are separate: judging takes text, and is tested with text.

use std::fs;
use std::path::{Path, PathBuf};

use millpond::{Config, describe_devices};

use super::{Check, bytes};

const CAPACITY_HINT: &str =
    "use a smaller device: MILLPOND_CAPACITY=4G, or millpond run --capacity 4G";

/// The default of Linux; the mappings of a device stay below half of it.
const USUAL_MAP_COUNT: u64 = 65_530;

pub(super) fn checks() -> Vec<Check> {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let auxv = fs::read("/proc/self/auxv").unwrap_or_default();
    vec![
        devices(),
        memory(
            available(&meminfo),
            group_room(&groups, Path::new("/sys/fs/cgroup")),
        ),
        overcommit(number_in("/proc/sys/vm/overcommit_memory")),
        map_count(number_in("/proc/sys/vm/max_map_count")),
        address_space(&limits),
        page_size(&auxv),
    ]
}

/// What the devices are made of.
fn devices() -> Check {
    let name = "devices";
    let config = Config::from_env().map_err(|error| error.to_string());
    match config.and_then(|config| describe_devices(&config)) {
        Ok(mut found) => {
            found.dedup();
            Check::ok(name, found.join("; "))
        }
        Err(problem) => Check::missing(name, problem, "unset MILLPOND_DEVICE, or set it to host"),
    }
}

fn number_in(path: &str) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// `MemAvailable` of /proc/meminfo, in bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The memory left in the tightest control group of this process, in bytes. `None` means no limit.
///
/// Version 2 has one line `0::/path` and the files `memory.max` and `memory.current`; version 1 a line
/// `N:...,memory,...:/path`, `memory.limit_in_bytes` and `memory.usage_in_bytes`. A limit may be
/// set in any folder above. Inside a container the path is often not visible; then the root counts.
fn group_room(groups: &str, mount: &Path) -> Option<u64> {
    /// Version 1 writes "no limit" as a number close to the largest.
    const NO_LIMIT: u64 = 1 << 60;

    let mut room: Option<u64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (base, limit, usage) = if controllers.is_empty() {
            (mount.to_path_buf(), "memory.max", "memory.current")
        } else if controllers.split(',').any(|name| name == "memory") {
            (
                mount.join("memory"),
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
            )
        } else {
            continue;
        };
        for folder in folders_up_to(&base, path) {
            let read = |name: &str| {
                fs::read_to_string(folder.join(name))
                    .ok()?
                    .trim()
                    .parse::<u64>()
                    .ok()
            };
            if let (Some(limit), Some(usage)) = (read(limit), read(usage))
                && limit < NO_LIMIT
            {
                let left = limit.saturating_sub(usage);
                room = Some(room.map_or(left, |room| room.min(left)));
            }
        }
    }
    room
}

/// `base/a/b`, `base/a`, `base` for the path `/a/b`.
fn folders_up_to(base: &Path, path: &str) -> Vec<PathBuf> {
    let inner = base.join(path.trim_start_matches('/'));
    inner
        .ancestors()
        .take_while(|folder| folder.starts_with(base))
        .map(Path::to_path_buf)
        .collect()
}

fn memory(available: Option<u64>, group: Option<u64>) -> Check {
    const LITTLE: u64 = 1 << 30;
    let name = "memory";
    let Some(least) = available.into_iter().chain(group).min() else {
        return Check::note(name, "could not be read", "check that /proc is mounted");
    };
    let machine = available.map_or_else(|| "unknown".to_owned(), bytes);
    let found = match group {
        Some(room) => format!(
            "{machine} available, {} left in this control group",
            bytes(room)
        ),
        None => format!("{machine} available"),
    };
    if least < LITTLE {
        return Check::note(name, found, CAPACITY_HINT);
    }
    Check::ok(name, found)
}

fn overcommit(policy: Option<u64>) -> Check {
    let name = "overcommit";
    match policy {
        Some(0) => Check::ok(name, "0 (the kernel decides for each request)"),
        Some(1) => Check::ok(name, "1 (every request is granted)"),
        Some(2) => Check::note(
            name,
            "2 (strict): large requests may be refused although memory is free",
            CAPACITY_HINT,
        ),
        _ => Check::note(
            name,
            "vm.overcommit_memory could not be read",
            "check that /proc is mounted",
        ),
    }
}

fn map_count(limit: Option<u64>) -> Check {
    let name = "mappings";
    match limit {
        Some(limit) if limit >= USUAL_MAP_COUNT => {
            Check::ok(name, format!("vm.max_map_count {limit}"))
        }
        Some(limit) => Check::note(
            name,
            format!("vm.max_map_count {limit} is below the usual {USUAL_MAP_COUNT}"),
            format!("sysctl vm.max_map_count={USUAL_MAP_COUNT}"),
        ),
        None => Check::note(
            name,
            "vm.max_map_count could not be read",
            "check that /proc is mounted",
        ),
    }
}

/// The soft limit of the line `Max address space` in /proc/self/limits.
fn address_space(limits: &str) -> Check {
    let name = "address space";
    let soft = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))
        .and_then(|rest| rest.split_whitespace().next());
    match soft.map(|text| (text, text.parse::<u64>())) {
        Some(("unlimited", _)) => Check::ok(name, "unlimited"),
        Some((_, Ok(limit))) => Check::note(
            name,
            format!(
                "limited to {}; a device reserves twice its memory",
                bytes(limit)
            ),
            "ulimit -v unlimited, or a smaller MILLPOND_CAPACITY",
        ),
        _ => Check::note(
            name,
            "the limit could not be read",
            "check that /proc is mounted",
        ),
    }
}

/// The entry `AT_PAGESZ` of the auxiliary vector.
fn page_size(auxv: &[u8]) -> Check {
    const AT_PAGESZ: u64 = 6;
    let name = "page size";
    let size = auxv.chunks_exact(16).find_map(|entry| {
        let (key, value) = entry.split_at(8);
        let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).ok();
        (word(key)? == AT_PAGESZ).then(|| word(value))?
    });
    match size {
        Some(size) => Check::ok(name, bytes(size)),
        None => Check::note(name, "could not be read", "check that /proc is mounted"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    #[test]
    fn available_memory_is_read_from_meminfo() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:    1048576 kB\n";
        assert_eq!(available(text), Some(1 << 30));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn little_memory_is_a_note_whoever_limits_it() {
        let much = 8 << 30;
        assert_eq!(memory(Some(much), None).status, Status::Ok);
        assert_eq!(memory(Some(much), Some(1 << 20)).status, Status::Note);
        assert_eq!(memory(Some(1 << 20), None).status, Status::Note);
        assert_eq!(memory(None, None).status, Status::Note);
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let mount = std::env::temp_dir().join(format!("millpond-{}-groups", std::process::id()));
        let inner = mount.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("memory.max"), "max\n").unwrap();
        fs::write(inner.join("memory.current"), "10\n").unwrap();
        fs::write(mount.join("a/memory.max"), "1000\n").unwrap();
        fs::write(mount.join("a/memory.current"), "400\n").unwrap();
        assert_eq!(group_room("0::/a/b\n", &mount), Some(600));
        assert_eq!(group_room("0::/elsewhere\n", &mount), None);

        let old = mount.join("memory");
        fs::create_dir_all(&old).unwrap();
        fs::write(old.join("memory.limit_in_bytes"), "500\n").unwrap();
        fs::write(old.join("memory.usage_in_bytes"), "100\n").unwrap();
        // The path is not visible in here, so the root of the mount counts.
        assert_eq!(
            group_room("4:memory:/outside\n0::/a/b\n", &mount),
            Some(400)
        );
        fs::write(old.join("memory.limit_in_bytes"), "9223372036854771712\n").unwrap();
        assert_eq!(group_room("4:cpu,memory:/outside\n", &mount), None);
        fs::remove_dir_all(mount).unwrap();
    }

    #[test]
    fn limits_of_the_address_space_are_noted() {
        let line =
            |soft: &str| format!("Max cpu time  unlimited\nMax address space  {soft}  x bytes\n");
        assert_eq!(address_space(&line("unlimited")).status, Status::Ok);
        assert_eq!(address_space(&line("4294967296")).status, Status::Note);
        assert_eq!(address_space("").status, Status::Note);
    }

    #[test]
    fn kernel_policies_are_distinguished() {
        assert_eq!(overcommit(Some(0)).status, Status::Ok);
        assert_eq!(overcommit(Some(2)).status, Status::Note);
        assert_eq!(map_count(Some(65_530)).status, Status::Ok);
        assert_eq!(map_count(Some(1000)).status, Status::Note);
    }

    #[test]
    fn this_machine_has_a_page_size() {
        let auxv = fs::read("/proc/self/auxv").unwrap();
        assert_eq!(page_size(&auxv).status, Status::Ok);
        assert_eq!(page_size(&[]).status, Status::Note);
    }
}
