//! The host device: the machine's own memory, kept where the program cannot touch it.
//!
//! ```text
//!   addresses that programs hold            addresses where work runs
//!   ┌──────────────────────────┐            ┌──────────────────────────┐
//!   │ device view (PROT_NONE)  │── + D ────▶│ kernel view (read/write) │──▶ sparse file in memory
//!   └──────────────────────────┘            └──────────────────────────┘    offset = address - start
//! ```
//!
//! A program that dereferences a device pointer faults, as it does with a real device; work adds the
//! constant distance D and finds the bytes. In unified mode D is 0 and the two are one mapping.
//!
//! What must always hold:
//! - Nothing in the file is aliased: file offset = address. Scattered mappings would end at the
//!   system's limit on their number, after which malloc and thread creation fail too.
//! - A forked child does not get the kernel view (it would write into its parent's memory).
//! - Only committed pages of the kernel view can be touched at all.
//! - Pages beyond what the machine can give are refused by [`Memory::commit`], so that a program
//!   gets an error and not the kernel's out-of-memory killer.
#![expect(
    unsafe_code,
    reason = "the trait's own unsafe functions: bytes at given addresses"
)]

use std::sync::Arc;

use crate::backing::{self, Backing};
use crate::machine::{Ledger, Promises};
use crate::mapping::{Mapping, SparseFile};
use crate::{AddressRange, Device, DeviceError, HUGE_PAGE, Memory, Mover, os_page};

/// The first address that is tried for device 0: far from where programs, their heaps and the usual
/// tools put things, so that device addresses are the same from run to run and easy to recognise.
const FIRST_BASE: u64 = 0x1000_0000_0000;
/// Distance between the bases that are tried for two devices, if their views fit.
const BASE_STEP: u64 = 0x0100_0000_0000;

/// What a host device is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostOptions {
    /// Which device this is: decides the address that is tried first.
    pub index: u32,
    /// Bytes of address space to reserve; more than the capacity, because pages of a real device
    /// may lie anywhere and gaps between blocks must not count.
    pub span: u64,
    /// The least that is still useful.
    pub least_span: u64,
    /// One view for program and work: the program may touch device memory.
    pub unified: bool,
}

/// The machine's own memory, posing as a device's. See the module's picture.
#[derive(Debug)]
pub struct HostDevice {
    /// Device view first, kernel view behind it; in unified mode one view.
    backing: Arc<Backing>,
    view: AddressRange,
    distance: u64,
    ledger: Arc<Ledger>,
    note: Option<String>,
}

impl HostDevice {
    /// Reserves the views. Nothing is resident afterwards. Nobody else's promises are counted: see
    /// [`HostDevice::sharing`].
    pub fn new(options: HostOptions) -> Result<Self, DeviceError> {
        Self::sharing(options, &Arc::default())
    }

    /// As [`HostDevice::new`], with promises that count together with all others in `ledger`.
    pub fn sharing(options: HostOptions, ledger: &Arc<Ledger>) -> Result<Self, DeviceError> {
        let step = options
            .span
            .saturating_mul(2)
            .checked_next_power_of_two()
            .map_or(u64::MAX, |step| step.max(BASE_STEP));
        let wanted = FIRST_BASE.checked_add(step.saturating_mul(u64::from(options.index)));
        let mut device = backing::reserve(options.span, options.least_span, |span| {
            Self::with_span(span, wanted, options.unified, ledger)
        })?;
        ledger.enter(&device.backing);
        let span = device.view.bytes;
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
        wanted: Option<u64>,
        unified: bool,
        ledger: &Arc<Ledger>,
    ) -> Result<Self, DeviceError> {
        let file = SparseFile::new(span)?;
        let views = if unified { 1 } else { 2 };
        // One huge page more, so that the view can start at a multiple of a huge page.
        let mapping = Mapping::new(views * span + HUGE_PAGE, wanted)?;
        let start = mapping.range().start.next_multiple_of(HUGE_PAGE);
        let distance = if unified { 0 } else { span };
        mapping.overlay(start + distance - mapping.range().start, &file)?;
        let kernel_view = AddressRange::new(start + distance, span);
        mapping.advise(kernel_view, libc::MADV_DONTFORK)?;
        // The rest is advice in the true sense: small core files, fewer page faults.
        for advice in [libc::MADV_DONTDUMP, libc::MADV_HUGEPAGE] {
            drop(mapping.advise(kernel_view, advice));
        }
        Ok(Self {
            view: AddressRange::new(start, span),
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

    fn resident(&self) -> Result<u64, DeviceError> {
        self.backing.resident()
    }
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
    fn a_span_beyond_all_address_space_is_no_overflow() {
        let device = HostDevice::new(HostOptions {
            index: 3,
            span: u64::MAX,
            least_span: 1 << 30,
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
