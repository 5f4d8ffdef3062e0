//! The host device: the machine's own memory, kept where the program cannot touch it.
//!
//! ```text
//!   addresses that programs hold            addresses where work runs
//!   ┌──────────────────────────┐            ┌──────────────────────────┐
//!   │ device view (PROT_NONE)  │── + D ────▶│ kernel view (read/write) │──▶ sparse file in memory
//!   ├──────────────────────────┤            ├──────────────────────────┤    offset = address - start
//!   │ windows (PROT_NONE)      │── + D ────▶│ windows (read/write)     │──▶ pages of the same file, in any order
//!   └──────────────────────────┘            └──────────────────────────┘
//! ```
//!
//! A program that dereferences a device pointer faults, as it does with a real device; work adds the
//! constant distance D and finds the bytes. In unified mode D is 0 and the two are one mapping.
//!
//! What must always hold:
//! - Before the windows, file offset = address. In the windows, a page of the file is mapped a second time, and only the
//!   pool above decides which, so that a byte belongs to one block at a time.
//! - Windows use at most a quarter of the mappings that the system allows a process: beyond its limit, malloc and thread
//!   creation fail too. Beyond the quarter, [`Memory::show`] refuses and the pool works without further windows.
//! - A forked child does not get the kernel view (it would write into its parent's memory).
//! - Only committed pages of the kernel view can be touched at all.
//! - Pages beyond what the machine can give are refused by [`Memory::commit`], so that a program
//!   gets an error and not the kernel's out-of-memory killer.
#![expect(
    unsafe_code,
    reason = "the trait's own unsafe functions: bytes at given addresses"
)]

use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::backing::{self, Backing, Wish};
use crate::machine::{Ledger, Promises};
use crate::mapping::{Mapping, SparseFile, allowed_mappings};
use crate::{
    AddressRange, Device, DeviceError, FilePart, HUGE_PAGE, Memory, Mover, PagesOf, SharedPages,
    os_page, pages,
};

/// The first address that is tried for device 0: far from where programs, their heaps and the usual
/// tools put things, so that device addresses are the same from run to run and easy to recognise.
const FIRST_BASE: u64 = 0x1000_0000_0000;
/// Distance between the bases that are tried for two devices, if their views fit.
const BASE_STEP: u64 = 0x0100_0000_0000;

/// Options of a host device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostOptions {
    /// Which device this is: decides the address that is tried first.
    pub index: u32,
    /// Bytes of address space to reserve; more than the capacity, because pages of a real device
    /// may be anywhere and gaps between blocks must not count.
    pub span: u64,
    /// The smallest useful number of bytes.
    pub least_span: u64,
    /// Bytes of address space behind those, for pages that are shown at a second address. Where address space is
    /// restricted there are none.
    pub windows: u64,
    /// One view for program and work: the program may touch device memory.
    pub unified: bool,
}

/// A device in the machine's own memory. See the picture at the top of the module.
#[derive(Debug)]
pub struct HostDevice {
    /// Device view first, kernel view behind it; in unified mode one view.
    backing: Arc<Backing>,
    /// What programs see, with the windows at its end.
    view: AddressRange,
    windows: u64,
    /// The page that each page of the windows shows, plus one; 0 for none.
    shown: Mutex<Vec<u32>>,
    most_mappings: u64,
    distance: u64,
    ledger: Arc<Ledger>,
    note: Option<String>,
}

impl HostDevice {
    /// Reserves the views. Nothing is resident afterwards. Promises of other memories are not counted:
    /// see [`HostDevice::sharing`].
    pub fn new(options: HostOptions) -> Result<Self, DeviceError> {
        Self::sharing(options, &Arc::default())
    }

    /// As [`HostDevice::new`], with promises that count together with all others in `ledger`.
    pub fn sharing(options: HostOptions, ledger: &Arc<Ledger>) -> Result<Self, DeviceError> {
        let windows = options.windows / HUGE_PAGE * HUGE_PAGE;
        let step = options
            .span
            .saturating_add(windows)
            .saturating_mul(2)
            .checked_next_power_of_two()
            .map_or(u64::MAX, |step| step.max(BASE_STEP));
        let wanted = FIRST_BASE.checked_add(step.saturating_mul(u64::from(options.index)));
        let wish = Wish {
            what: &format!("device {}", options.index),
            span: options.span,
            least: options.least_span,
            views: if options.unified { 1 } else { 2 },
        };
        let with_span =
            |span, windows| Self::with_span(span, windows, wanted, options.unified, ledger);
        let roomy = options.span.checked_next_multiple_of(HUGE_PAGE);
        let roomy = roomy.filter(|_| windows > 0 && backing::has_plenty());
        let roomy = roomy.and_then(|span| with_span(span, windows).ok());
        let mut device = match roomy.filter(|_| backing::has_plenty()) {
            Some(device) => device,
            None => backing::reserve(&wish, |span| with_span(span, 0))?,
        };
        ledger.enter(&device.backing);
        let span = device.view.bytes - device.windows;
        if span < options.span {
            device.note = Some(format!(
                "device {} got {span} bytes of address space instead of {}: something restricts this \
                 process (ulimit -v, valgrind, a sanitizer)",
                options.index, options.span
            ));
        }
        Ok(device)
    }

    fn with_span(
        span: u64,
        windows: u64,
        wanted: Option<u64>,
        unified: bool,
        ledger: &Arc<Ledger>,
    ) -> Result<Self, DeviceError> {
        let file = SparseFile::new(span)?;
        let views = if unified { 1 } else { 2 };
        let too_large = || DeviceError::System {
            call: "mmap",
            error: format!("{span} bytes do not fit the address space"),
        };
        let whole = span.checked_add(windows).ok_or_else(too_large)?;
        // One huge page more, so that the view can start at a multiple of a huge page.
        let total = whole
            .checked_mul(views)
            .and_then(|bytes| bytes.checked_add(HUGE_PAGE))
            .ok_or_else(too_large)?;
        let mapping = Mapping::new(total, wanted)?;
        let start = mapping.range().start.next_multiple_of(HUGE_PAGE);
        let distance = if unified { 0 } else { whole };
        mapping.overlay(start + distance - mapping.range().start, &file)?;
        let kernel_view = AddressRange::new(start + distance, span);
        mapping.advise(kernel_view, libc::MADV_DONTFORK)?;
        // The rest is advice in the true sense: small core files, fewer page faults.
        for advice in [libc::MADV_DONTDUMP, libc::MADV_HUGEPAGE] {
            drop(mapping.advise(kernel_view, advice));
        }
        Ok(Self {
            view: AddressRange::new(start, whole),
            windows,
            shown: Mutex::default(),
            most_mappings: allowed_mappings() / 4,
            backing: Arc::new(Backing::new(mapping, kernel_view, Some(file))),
            distance,
            ledger: Arc::clone(ledger),
            note: None,
        })
    }

    /// Where work touches `range` of the device view.
    fn kernel(&self, range: AddressRange) -> AddressRange {
        AddressRange::new(range.start + self.distance, range.bytes)
    }
}

impl Memory for HostDevice {
    fn range(&self) -> AddressRange {
        self.view
    }

    fn distance(&self) -> u64 {
        self.distance
    }

    fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
        assert!(self.view.covers(range), "pages of this device");
        self.ledger.commit(&self.backing, self.kernel(range))
    }

    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
        assert!(self.view.covers(range), "pages of this device");
        let Some(whole) = range.whole_pages(os_page()) else {
            return Ok(0);
        };
        let before = self.backing.resident()?;
        self.backing.give_back(self.kernel(whole))?;
        self.ledger.returned(&*self.backing, whole.bytes);
        // The pages are gone by now, whatever becomes of the count.
        Ok(before.saturating_sub(self.backing.resident().unwrap_or(before)))
    }

    fn windows(&self) -> u64 {
        self.windows
    }

    fn show(&self, pages: AddressRange, at: u64) -> Result<(), DeviceError> {
        let home = self.view.bytes - self.windows;
        let place = AddressRange::new(at, pages.bytes);
        let behind = AddressRange::new(self.view.start + home, self.windows);
        assert!(
            AddressRange::new(self.view.start, home).covers(pages) && behind.covers(place),
            "shows pages of this device in its windows"
        );
        let mut shown = self.shown.lock();
        let slots = number(at - behind.start)..number(place.end() - behind.start);
        if shown.len() < slots.end {
            shown.resize(slots.end, 0);
        }
        let first = u32::try_from((pages.start - self.view.start) / HUGE_PAGE);
        let first = first.map_err(|_| DeviceError::TooManyMappings { limit: 0 })?;
        let old = shown[slots.clone()].to_vec();
        let before = borders(&shown, &slots);
        for (slot, page) in shown[slots.clone()].iter_mut().zip(first + 1..) {
            *slot = page;
        }
        let after = borders(&shown, &slots);
        let limit = self.most_mappings;
        let fits = self.ledger.show(before, after, limit);
        let done = if fits {
            let kernel = AddressRange::new(pages.start + self.distance, pages.bytes);
            self.backing.mapping().show(kernel, at + self.distance)
        } else {
            Err(DeviceError::TooManyMappings { limit })
        };
        done.inspect_err(|_| {
            // A failed call may leave nothing mapped there, which takes no more than what is counted.
            shown[slots].copy_from_slice(&old);
            if fits {
                self.ledger.show(after, before, u64::MAX);
            }
        })
    }

    fn share(&self, range: AddressRange) -> Result<SharedPages, DeviceError> {
        assert!(self.view.covers(range), "pages of this device");
        let home = self.view.bytes - self.windows;
        let mut parts = Vec::new();
        let shown = self.shown.lock();
        let mut at = range.start - self.view.start;
        let end = range.end() - self.view.start;
        while at < end {
            let part = if at < home {
                FilePart {
                    offset: at,
                    bytes: end.min(home) - at,
                }
            } else {
                let inside = at - home;
                let page = shown.get(number(inside)).copied().unwrap_or(0);
                let page = page.checked_sub(1).ok_or_else(|| DeviceError::System {
                    call: "dup",
                    error: format!("no page is shown at {:#x}", self.view.start + at),
                })?;
                let skipped = inside % HUGE_PAGE;
                FilePart {
                    offset: u64::from(page) * HUGE_PAGE + skipped,
                    bytes: (HUGE_PAGE - skipped).min(end - at),
                }
            };
            pages::add(&mut parts, part);
            at += part.bytes;
        }
        drop(shown);
        let file = self.backing.duplicate()?;
        Ok(SharedPages {
            source: PagesOf::File(file),
            parts,
        })
    }

    fn resident(&self) -> Result<u64, DeviceError> {
        self.backing.resident()
    }
}

impl Drop for HostDevice {
    fn drop(&mut self) {
        let shown = self.shown.lock();
        let all = borders(&shown, &(0..shown.len()));
        self.ledger.show(all, 0, u64::MAX);
    }
}

/// How many mappings begin at these slots of the windows or right behind them: pages that are neighbours in the file share
/// one.
fn borders(shown: &[u32], slots: &Range<usize>) -> u64 {
    let at = |slot: Option<usize>| slot.and_then(|slot| shown.get(slot)).copied().unwrap_or(0);
    let begins = |&slot: &usize| match (at(slot.checked_sub(1)), at(Some(slot))) {
        (0, page) => page != 0,
        (before, page) => page != before + 1,
    };
    (slots.start..=slots.end).filter(begins).count() as u64
}

/// The number of a huge page.
fn number(bytes: u64) -> usize {
    length(bytes / HUGE_PAGE)
}

impl Mover for HostDevice {
    unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        let (to, from) = (pointer(to), pointer(from).cast_const());
        // SAFETY: the caller promises that both ranges are mapped and that `to` is writable;
        // `copy` allows them to overlap.
        unsafe { std::ptr::copy(from, to, length(bytes)) };
        Ok(())
    }

    unsafe fn fill(&self, to: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller promises that the range is mapped and writable.
        unsafe { std::ptr::write_bytes(pointer(to), value, length(bytes)) };
        Ok(())
    }

    unsafe fn fill_words(&self, to: u64, value: u32, count: u64) -> Result<(), DeviceError> {
        let first = std::ptr::with_exposed_provenance_mut::<u32>(length(to));
        // SAFETY: the caller promises a mapped, writable range of `count` words at a multiple of 4.
        let words = unsafe { std::slice::from_raw_parts_mut(first, length(count)) };
        words.fill(value.to_le());
        Ok(())
    }
}

impl Device for HostDevice {
    fn note(&self) -> Option<String> {
        self.note.clone()
    }
}

fn pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap_or(usize::MAX))
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Makes a committed range, given as work sees it, resident.
    pub(crate) fn touch(device: &HostDevice, range: AddressRange) {
        // SAFETY: tests pass ranges that they committed and that nobody else knows.
        unsafe { device.fill(range.start, 7, range.bytes) }.unwrap();
    }

    fn device(unified: bool) -> HostDevice {
        HostDevice::new(HostOptions {
            index: 40,
            span: 1 << 36,
            least_span: 1 << 30,
            windows: 1 << 30,
            unified,
        })
        .unwrap()
    }

    #[test]
    fn nothing_is_resident_until_touched_and_pages_go_back() {
        let device = device(false);
        assert_eq!(device.resident().unwrap(), 0);
        let part = AddressRange::new(device.range().start, 8 << 20);
        device.commit(part).unwrap();
        assert_eq!(device.resident().unwrap(), 0);
        // SAFETY: the range was committed and nobody else knows this device.
        unsafe { device.fill(part.start + device.distance(), 7, part.bytes) }.unwrap();
        assert!(device.resident().unwrap() >= part.bytes);
        assert_eq!(device.give_back(part).unwrap(), device_bytes(part));
        assert_eq!(device.resident().unwrap(), 0);
    }

    fn device_bytes(range: AddressRange) -> u64 {
        range.whole_pages(os_page()).map_or(0, |whole| whole.bytes)
    }

    #[test]
    fn the_views_lie_apart_and_a_unified_device_has_one() {
        let apart = device(false);
        assert_eq!(apart.distance(), apart.range().bytes);
        assert_eq!(apart.range().start % HUGE_PAGE, 0);
        assert_eq!(device(true).distance(), 0);
    }

    #[test]
    fn a_window_shows_the_bytes_of_its_pages_and_they_read_back_at_home() {
        for unified in [false, true] {
            let device = device(unified);
            let start = device.range().start;
            let window = device.range().end() - device.windows();
            let page = |number: u64| AddressRange::new(start + number * HUGE_PAGE, HUGE_PAGE);
            let work = |address: u64| address + device.distance();
            device
                .commit(AddressRange::new(start, 4 * HUGE_PAGE))
                .unwrap();
            // Pages 3, 0 and 1 side by side; the last two are neighbours in the file too.
            device.show(page(3), window).unwrap();
            device
                .show(AddressRange::new(start, 2 * HUGE_PAGE), window + HUGE_PAGE)
                .unwrap();
            let shown = AddressRange::new(work(window), 3 * HUGE_PAGE);
            touch(&device, shown);
            // SAFETY: the pages are committed and nobody else knows this device.
            unsafe { device.fill(work(window) + HUGE_PAGE - 1, 9, 2) }.unwrap();
            let byte = |address: u64| {
                // SAFETY: as above.
                unsafe { pointer(work(address)).read_volatile() }
            };
            assert_eq!(byte(start + 4 * HUGE_PAGE - 1), 9, "the end of page 3");
            assert_eq!(
                (byte(start), byte(start + 1)),
                (9, 7),
                "the start of page 0"
            );
            assert_eq!(byte(start + 2 * HUGE_PAGE - 1), 7);
            assert_eq!(byte(start + 2 * HUGE_PAGE), 0, "page 2 is not shown");
            // The look at page 2 made one page of the system's own resident.
            assert_eq!(
                device.resident().unwrap(),
                3 * HUGE_PAGE + crate::mapping::real_page()
            );
            // A forked child gets neither place ("dc" in the flags that the system shows).
            let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
            let entry = smaps.split(&format!("{:x}-", work(window))).nth(1).unwrap();
            let flags = entry.lines().find(|line| line.starts_with("VmFlags:"));
            assert!(flags.unwrap().contains(" dc"), "{flags:?}");
            // Other pages in the same place.
            device.show(page(2), window).unwrap();
            assert_eq!(byte(window + 5), 0);
            assert_eq!(byte(start + 3 * HUGE_PAGE), 7, "page 3 keeps its bytes");
            // Pages go back although a window still shows them.
            device.give_back(page(0)).unwrap();
            assert_eq!(byte(start), 0);
        }
    }

    #[test]
    fn windows_take_a_quarter_of_the_mappings_and_give_them_back() {
        let ledger = Arc::new(Ledger::default());
        let options = HostOptions {
            index: 42,
            span: 1 << 30,
            least_span: 1 << 30,
            windows: 1 << 30,
            unified: false,
        };
        let mut device = HostDevice::sharing(options, &ledger).unwrap();
        device.most_mappings = 8;
        let start = device.range().start;
        let window = device.range().end() - device.windows();
        let part = AddressRange::new(start, 64 * HUGE_PAGE);
        device.commit(part).unwrap();
        let show = |slot: u64, page: u64, pages: u64| {
            let pages = AddressRange::new(start + page * HUGE_PAGE, pages * HUGE_PAGE);
            device.show(pages, window + slot * HUGE_PAGE)
        };
        show(0, 10, 20).unwrap();
        assert_eq!(ledger.shown(), 2, "the run, and what is behind it");
        // Every second page from elsewhere splits it.
        show(1, 40, 1).unwrap();
        show(3, 40, 1).unwrap();
        show(5, 40, 1).unwrap();
        assert_eq!(ledger.shown(), 8);
        let error = show(7, 40, 1).unwrap_err();
        assert_eq!(error, DeviceError::TooManyMappings { limit: 8 });
        assert_eq!(ledger.shown(), 8);
        // What makes it whole again is always allowed.
        show(0, 10, 20).unwrap();
        assert_eq!(ledger.shown(), 2);
        drop(device);
        assert_eq!(ledger.shown(), 0);
    }

    #[test]
    fn pages_that_the_program_locked_go_back_too() {
        let device = device(false);
        let part = AddressRange::new(device.range().start, 1 << 20);
        device.commit(part).unwrap();
        let first = pointer(part.start + device.distance());
        // SAFETY: locks one committed page, which adds no rights and takes none.
        let answer = unsafe { libc::mlock(first.cast(), 1) };
        assert_eq!(answer, 0);
        assert!(device.resident().unwrap() > 0);
        assert!(device.give_back(part).unwrap() > 0);
        assert_eq!(device.resident().unwrap(), 0);
    }

    #[test]
    fn a_span_beyond_all_address_space_does_not_overflow() {
        let device = HostDevice::new(HostOptions {
            index: 3,
            span: u64::MAX,
            least_span: 1 << 30,
            windows: 1 << 30,
            unified: false,
        })
        .unwrap();
        assert!(device.range().bytes >= 1 << 30);
        assert!(device.note().is_some());
    }

    #[test]
    fn growth_beyond_the_machine_is_refused_and_changes_nothing() {
        let device = HostDevice::new(HostOptions {
            index: 41,
            span: 1 << 46,
            least_span: 1 << 30,
            windows: 1 << 30,
            unified: true,
        })
        .unwrap();
        let everything = AddressRange::new(device.range().start, device.range().bytes);
        let error = device.commit(everything).unwrap_err();
        assert!(matches!(error, DeviceError::MachineFull { .. }), "{error}");
        device
            .commit(AddressRange::new(everything.start, 1 << 20))
            .unwrap();
    }
}
