//! How much memory the machine can still give: what is available and what control groups allow, less
//! what was promised and not yet touched.
//!
//! The files are read when the allowance runs out, not at every growth: a reading is good for a
//! sixteenth of what it showed.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use crate::backing::Backing;
use crate::mapping::{free_memory, installed_memory};
use crate::{AddressRange, DeviceError};

/// A huge page.
const HUGE: u64 = 2 << 20;
const BY_GROUP: &str = "the control group's memory limit";
/// Says also that no file could be read, so that nothing is known about control groups.
const BY_FREE: &str = "the machine's free memory";

/// What the machine allows at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineMemory {
    /// Bytes that can still be taken.
    pub bytes: u64,
    /// What limits them.
    pub by: &'static str,
}

impl MachineMemory {
    /// Reads `/proc/meminfo` and the control groups of this process; where the first cannot be read
    /// (a process may have no descriptor left), asks the kernel by a call that needs no file. `None`
    /// where nothing says anything.
    pub fn now() -> Option<Self> {
        let available = fs::read_to_string("/proc/meminfo")
            .ok()
            .as_deref()
            .and_then(|text| meminfo(text, "MemAvailable:"))
            .map(|bytes| Self {
                bytes,
                by: "the machine's available memory",
            })
            .or_else(|| free_memory().map(|bytes| Self { bytes, by: BY_FREE }));
        let grouped = fs::read_to_string("/proc/self/cgroup")
            .ok()
            .as_deref()
            .and_then(|text| group_room(text, Path::new("/sys/fs/cgroup")))
            .map(|bytes| Self {
                bytes,
                by: BY_GROUP,
            });
        match (available, grouped) {
            (Some(a), Some(b)) => Some(if a.bytes <= b.bytes { a } else { b }),
            (some, None) | (None, some) => some,
        }
    }

    /// Bytes of memory that the machine has, or that the control groups of this process allow, if that is less.
    /// What is in use does not matter. `None` where nothing can be read.
    pub fn total() -> Option<u64> {
        let machine = fs::read_to_string("/proc/meminfo")
            .ok()
            .as_deref()
            .and_then(|text| meminfo(text, "MemTotal:"))
            .or_else(installed_memory);
        let group = fs::read_to_string("/proc/self/cgroup")
            .ok()
            .as_deref()
            .and_then(|text| group_limit(text, Path::new("/sys/fs/cgroup")));
        machine.into_iter().chain(group).min()
    }
}

/// A number of a meminfo text, in bytes; `name` has its colon.
fn meminfo(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The smallest room that any group from the process's own up to the root leaves.
fn group_room(own_groups: &str, root: &Path) -> Option<u64> {
    least_of_groups(own_groups, root, room_of)
}

/// The smallest limit of any group from the process's own up to the root.
fn group_limit(own_groups: &str, root: &Path) -> Option<u64> {
    least_of_groups(own_groups, root, |folder, files| {
        number(folder, files.limit)
    })
}

/// The smallest number that `measure` finds in the folder of any group from the process's own up to the root.
fn least_of_groups(
    own_groups: &str,
    root: &Path,
    measure: impl Fn(&Path, &Files) -> Option<u64>,
) -> Option<u64> {
    own_groups
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            match controllers {
                "" => Some(least_above(root, path, &VERSION_2, &measure)),
                names if names.split(',').any(|name| name == "memory") => Some(least_above(
                    &root.join("memory"),
                    path,
                    &VERSION_1,
                    &measure,
                )),
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

fn least_above(
    root: &Path,
    path: &str,
    files: &Files,
    measure: impl Fn(&Path, &Files) -> Option<u64>,
) -> Option<u64> {
    let mut folder = root.join(path.trim_start_matches('/'));
    let mut smallest: Option<u64> = None;
    loop {
        if let Some(found) = measure(&folder, files) {
            smallest = Some(smallest.map_or(found, |known| known.min(found)));
        }
        if folder == root || !folder.pop() {
            return smallest;
        }
    }
}

/// The number that a file of a group holds. "max" does not parse: there is no limit.
fn number(folder: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(folder.join(name)).ok()?;
    text.trim().parse().ok()
}

fn room_of(folder: &Path, files: &Files) -> Option<u64> {
    let limit = number(folder, files.limit)?;
    let used = number(folder, files.used)?;
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

/// Somebody who promises pages.
pub(crate) trait Promises: std::fmt::Debug + Send + Sync {
    /// Bytes promised and not given back. Changed under the ledger's lock only.
    fn committed(&self) -> &AtomicU64;
    /// Bytes that the machine holds in memory.
    fn resident(&self) -> Result<u64, DeviceError>;
}

/// What all memories of one source have promised, against what the machine can give.
///
/// One for all of them, because they share the machine's memory: each alone would grant all of it.
#[derive(Debug)]
pub struct Ledger {
    machine: fn() -> Option<MachineMemory>,
    /// What the machine allowed when the first memory was there and had promised nothing.
    first: OnceLock<Option<MachineMemory>>,
    promised: Mutex<Promised>,
    /// Mappings of pages that are shown at a second address.
    shown: AtomicU64,
}

#[derive(Debug, Default)]
struct Promised {
    allowance: Allowance,
    /// All memories that promise pages. One that was dropped promises nothing.
    known: Vec<Weak<dyn Promises>>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self::reading(MachineMemory::now)
    }
}

impl Ledger {
    pub(crate) fn reading(machine: fn() -> Option<MachineMemory>) -> Self {
        Self {
            machine,
            first: OnceLock::new(),
            promised: Mutex::default(),
            shown: AtomicU64::new(0),
        }
    }

    /// Bytes that all memories can have together, in whole huge pages: what the machine allowed when the first of them
    /// came. Later readings would count what these have taken, and what other programs do meanwhile.
    pub fn limit(&self) -> Option<u64> {
        let first = self.first.get_or_init(self.machine);
        first.map(|machine| machine.bytes / HUGE * HUGE)
    }

    /// Mappings that memories use to show pages at a second address.
    pub(crate) fn shown(&self) -> u64 {
        self.shown.load(Ordering::Relaxed)
    }

    /// Replaces `before` of these mappings by `after`; false if there would be more than `most`.
    pub(crate) fn show(&self, before: u64, after: u64, most: u64) -> bool {
        let change = |shown: u64| {
            let new = shown.saturating_sub(before) + after;
            (new <= most || after <= before).then_some(new)
        };
        let changed = self
            .shown
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
        changed.is_ok()
    }

    /// From now on, what `memory` promises counts here.
    pub(crate) fn enter<P: Promises + 'static>(&self, memory: &Arc<P>) {
        self.limit();
        let mut promised = self.promised.lock();
        promised.known.retain(|known| known.strong_count() != 0);
        let known: Weak<P> = Arc::downgrade(memory);
        promised.known.push(known);
    }

    /// Promises the pages of `part` and opens them, or refuses without any effect.
    pub(crate) fn commit(&self, backing: &Backing, part: AddressRange) -> Result<(), DeviceError> {
        self.promise(backing, part.bytes, || backing.open(part))
    }

    /// Promises `bytes` bytes of pages of `memory`, which `open` makes usable, or refuses without any
    /// effect.
    pub(crate) fn promise(
        &self,
        memory: &dyn Promises,
        bytes: u64,
        open: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let mut promised = self.promised.lock();
        let Promised { allowance, known } = &mut *promised;
        let before = *allowance;
        allowance
            .take(bytes, || outstanding(known), self.machine)
            .map_err(|machine| DeviceError::MachineFull {
                needed: bytes,
                allowed: machine.bytes,
                by: machine.by,
            })?;
        open().inspect_err(|_| *allowance = before)?;
        memory.committed().fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// `bytes` bytes that `memory` had promised went back to the machine.
    pub(crate) fn returned(&self, memory: &dyn Promises, bytes: u64) {
        let mut promised = self.promised.lock();
        let committed = memory.committed().load(Ordering::Relaxed);
        let less = committed.saturating_sub(bytes);
        memory.committed().store(less, Ordering::Relaxed);
        promised.allowance.returned(committed - less);
    }
}

/// Promised bytes that nobody has touched yet. Counted for each memory by itself: one may hold more
/// than it promised (pages that were given back and touched again), which is nothing that another
/// could use. Where nobody can say what is resident, nothing is.
fn outstanding(known: &[Weak<dyn Promises>]) -> u64 {
    known
        .iter()
        .filter_map(Weak::upgrade)
        .map(|memory| {
            let committed = memory.committed().load(Ordering::Relaxed);
            committed.saturating_sub(memory.resident().unwrap_or(0))
        })
        .fold(0, u64::saturating_add)
}

/// Bytes that may be promised before the machine is asked again.
#[derive(Debug, Default, Clone, Copy)]
struct Allowance {
    left: u64,
    /// The room at the last reading, less what was promised since.
    known: Option<MachineMemory>,
}

impl Allowance {
    /// Takes `bytes` from the allowance. `outstanding` says how many promised bytes nobody has
    /// touched yet: they will be taken from what the machine shows as available.
    fn take(
        &mut self,
        bytes: u64,
        outstanding: impl FnOnce() -> u64,
        machine: impl FnOnce() -> Option<MachineMemory>,
    ) -> Result<(), MachineMemory> {
        if bytes <= self.left {
            self.left -= bytes;
            if let Some(known) = &mut self.known {
                known.bytes = known.bytes.saturating_sub(bytes);
            }
            return Ok(());
        }
        self.left = 0;
        // Before the machine is read: pages that are touched in between count twice and not never.
        let outstanding = outstanding();
        let now = machine().map(|now| MachineMemory {
            bytes: now.bytes.saturating_sub(outstanding),
            ..now
        });
        let room = match (now, self.known) {
            // The limit of a control group holds also while its files cannot be read.
            (Some(now), Some(known)) if now.by == BY_FREE && known.by == BY_GROUP => {
                if known.bytes < now.bytes { known } else { now }
            }
            (Some(room), _) | (None, Some(room)) => room,
            (None, None) => return Ok(()),
        };
        if bytes > room.bytes {
            self.known = Some(room);
            return Err(room);
        }
        let bytes = room.bytes - bytes;
        self.known = Some(MachineMemory { bytes, ..room });
        self.left = bytes / 16;
        Ok(())
    }

    /// `bytes` bytes of promised pages went back.
    fn returned(&mut self, bytes: u64) {
        if let Some(known) = &mut self.known {
            known.bytes = known.bytes.saturating_add(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HostDevice, HostOptions, Memory, PinnedMemory, PinnedOptions, host};

    const MIB: u64 = 1 << 20;

    #[test]
    fn available_memory_is_read_in_kib() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:    1000 kB\n";
        assert_eq!(meminfo(text, "MemAvailable:"), Some(1_024_000));
        assert_eq!(meminfo(text, "MemTotal:"), Some(24_000_000 << 10));
        assert_eq!(meminfo("MemTotal: 1 kB\n", "MemAvailable:"), None);
        let words = "MemAvailable: many kB\n";
        assert_eq!(meminfo(words, "MemAvailable:"), None);
    }

    #[test]
    fn the_machine_has_at_least_what_is_available() {
        let (total, now) = (MachineMemory::total(), MachineMemory::now());
        assert!(total.unwrap() >= now.unwrap().bytes);
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
        assert_eq!(group_limit("0::/outer/inner\n", &root), Some(10_000));
        assert_eq!(group_limit("0::/elsewhere\n", &root), None);
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
    }

    #[test]
    fn without_a_reading_the_last_one_holds() {
        let machine = |bytes, by| move || Some(MachineMemory { bytes, by });
        let mut allowance = Allowance::default();
        allowance.take(u64::MAX, || 0, || None).unwrap();
        allowance.take(100, || 0, machine(1700, "test")).unwrap();
        allowance.take(100, || 0, || None).unwrap();
        assert_eq!(allowance.take(1501, || 0, || None).unwrap_err().bytes, 1500);
        allowance.returned(1);
        allowance.take(1501, || 0, || None).unwrap();

        // The kernel's own count knows nothing of control groups.
        allowance.take(700, || 0, machine(1700, BY_GROUP)).unwrap();
        let refused = allowance.take(1001, || 0, machine(1 << 40, BY_FREE));
        assert_eq!(refused.unwrap_err().bytes, 1000);
        let refused = allowance.take(1000, || 0, machine(10, BY_FREE));
        assert_eq!(refused.unwrap_err().bytes, 10);
    }

    /// A ledger of a machine that always shows 96 MiB.
    fn small() -> Arc<Ledger> {
        Arc::new(Ledger::reading(|| {
            Some(MachineMemory {
                bytes: 96 * MIB,
                by: "test",
            })
        }))
    }

    fn device(index: u32, ledger: &Arc<Ledger>) -> HostDevice {
        let options = HostOptions {
            index,
            span: 1 << 30,
            least_span: 1 << 30,
            windows: 0,
            unified: false,
        };
        HostDevice::sharing(options, ledger).unwrap()
    }

    fn pinned(ledger: &Arc<Ledger>) -> PinnedMemory {
        let options = PinnedOptions {
            index: 0,
            span: 1 << 40,
            least_span: 1 << 30,
        };
        PinnedMemory::sharing(options, ledger).unwrap()
    }

    fn part(memory: &dyn Memory, from: u64, to: u64) -> AddressRange {
        AddressRange::new(memory.range().start + from * MIB, (to - from) * MIB)
    }

    fn kernel(device: &HostDevice, from: u64, to: u64) -> AddressRange {
        let seen = part(device, from, to);
        AddressRange::new(seen.start + device.distance(), seen.bytes)
    }

    fn allowed(answer: Result<(), DeviceError>) -> u64 {
        match answer {
            Err(DeviceError::MachineFull { allowed, .. }) => allowed / MIB,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_memories_of_a_ledger_promise_the_machine_once() {
        let ledger = small();
        let (one, two) = (device(50, &ledger), device(51, &ledger));
        let pinned = pinned(&ledger);
        one.commit(part(&one, 0, 40)).unwrap();
        pinned.commit(part(&pinned, 0, 40)).unwrap();
        assert_eq!(allowed(two.commit(part(&two, 0, 40))), 16);
        assert_eq!(allowed(one.commit(part(&one, 40, 80))), 16);
        assert_eq!(allowed(pinned.commit(part(&pinned, 40, 80))), 16);

        pinned.give_back(part(&pinned, 0, 40)).unwrap();
        two.commit(part(&two, 0, 40)).unwrap();
        assert_eq!(allowed(pinned.commit(part(&pinned, 0, 40))), 16);
        drop(one);
        pinned.commit(part(&pinned, 0, 40)).unwrap();
    }

    #[test]
    fn the_limit_is_what_the_machine_allowed_at_first() {
        static READINGS: AtomicU64 = AtomicU64::new(0);
        let ledger = Arc::new(Ledger::reading(|| {
            let less = READINGS.fetch_add(1, Ordering::Relaxed);
            Some(MachineMemory {
                bytes: (97 - 10 * less) * MIB,
                by: "test",
            })
        }));
        let device = device(53, &ledger);
        device.commit(part(&device, 0, 40)).unwrap();
        assert!(READINGS.load(Ordering::Relaxed) > 1);
        assert_eq!(ledger.limit(), Some(96 * MIB));
        assert_eq!(Ledger::reading(|| None).limit(), None);
    }

    #[test]
    fn what_is_resident_anywhere_is_not_counted_twice() {
        let ledger = small();
        let device = device(52, &ledger);
        let pinned = pinned(&ledger);
        device.commit(part(&device, 0, 48)).unwrap();
        pinned.commit(part(&pinned, 0, 48)).unwrap();
        assert_eq!(allowed(device.commit(part(&device, 48, 58))), 0);
        host::tests::touch(&device, kernel(&device, 0, 4));
        assert_eq!(allowed(device.commit(part(&device, 48, 58))), 4);
        let touched = part(&pinned, 0, 4);
        host::tests::touch(&device, touched);
        assert_eq!(allowed(device.commit(part(&device, 48, 58))), 8);

        // More than was promised in one memory is no room for another.
        device.give_back(part(&device, 0, 48)).unwrap();
        host::tests::touch(&device, kernel(&device, 0, 8));
        assert_eq!(allowed(pinned.commit(part(&pinned, 48, 148))), 52);
    }

    #[test]
    fn a_commit_that_the_system_refuses_changes_nothing() {
        let ledger = small();
        let memory = pinned(&ledger);
        memory.commit(part(&memory, 0, 1)).unwrap();
        let left = ledger.promised.lock().allowance.left;
        for bytes in [MIB, 50 * MIB] {
            let askew = AddressRange::new(memory.range().start + 1, bytes);
            let error = memory.commit(askew).unwrap_err();
            assert!(matches!(error, DeviceError::System { .. }), "{error}");
            assert_eq!(ledger.promised.lock().allowance.left, left);
        }
        memory.commit(part(&memory, 1, 96)).unwrap();
    }
}
