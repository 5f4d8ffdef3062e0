//! The memory of a device on a GPU: addresses that were reserved once, and pages that come and go. The picture is at the top
//! of the module.
//!
//! What must always hold:
//! - A page of home is mapped exactly while the book has its handle. A window's page is mapped exactly while the book says
//!   which page of home it shows.
//! - A page goes back only when no window shows it any more: the driver keeps the memory of a handle as long as it is
//!   mapped anywhere. The pool leaves windows as they are when it takes a page back, so the page is unmapped there too.
//! - A call that fails changes nothing, except that windows may show nothing afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_cuda::{Error, Handle};
use parking_lot::Mutex;

use super::access::GpuAccess;
use super::staging::{self, Brought, Staged};
use super::system::{Cuda, Gpu};
use crate::{AddressRange, Device, DeviceError, Home, Memory, SharedPages};

/// Options of a device on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaOptions {
    /// Which GPU.
    pub gpu: u32,
    /// Bytes of addresses for pages. More than the memory that it may use, because gaps between blocks must not count.
    pub span: u64,
    /// Bytes of addresses behind those, for pages that are shown a second time.
    pub windows: u64,
    /// Bytes of each handle: a power of two, at least [`HUGE_PAGE`](crate::HUGE_PAGE). Pages are committed, given back and shown in these units.
    pub page: u64,
}

/// The memory of a device on a GPU. See the picture at the top of the module.
#[derive(Debug)]
pub struct CudaDevice {
    pub(super) cuda: Arc<Cuda>,
    gpu: Arc<Gpu>,
    view: AddressRange,
    /// To the mirror.
    distance: u64,
    home: u64,
    page: u64,
    book: Mutex<Book>,
}

/// Which pages are there and which windows show them, by number.
#[derive(Debug, Default)]
struct Book {
    pages: BTreeMap<u64, Handle>,
    /// The page that a window's page shows.
    windows: BTreeMap<u64, u64>,
    /// The windows' pages that show a page.
    shown: BTreeMap<u64, Vec<u64>>,
}

impl CudaDevice {
    /// Reserves the addresses. The GPU's memory is not used yet.
    pub fn new(cuda: &Arc<Cuda>, options: CudaOptions) -> Result<Self, DeviceError> {
        let gpu = cuda.gpu(options.gpu)?;
        let page = options.page.max(gpu.granularity());
        let whole = |bytes: u64| bytes.checked_next_multiple_of(page);
        let bytes = whole(options.span).and_then(|home| {
            let windows = options.windows / page * page;
            Some((home, home.checked_add(windows)?))
        });
        let (home, bytes) = bytes.ok_or_else(|| DeviceError::System {
            call: "cuMemAddressReserve",
            error: format!("{} bytes do not fit the address space", options.span),
        })?;
        let start = gpu.driver().reserve(bytes, page, 0)?;
        let view = AddressRange::new(start, bytes);
        let mirror = staging::mirror(bytes)
            .inspect_err(|_| drop(gpu.driver().address_free(start, bytes)))?;
        let private = (&mirror, libc::MADV_DONTNEED);
        cuda.add_place(mirror.range(), private, (&gpu, start));
        Ok(Self {
            cuda: Arc::clone(cuda),
            gpu,
            view,
            distance: mirror.range().start.wrapping_sub(start),
            home,
            page,
            book: Mutex::default(),
        })
    }

    /// The numbers of the pages that a range touches.
    fn pages(&self, range: AddressRange) -> std::ops::Range<u64> {
        let start = range.start - self.view.start;
        start / self.page..(start + range.bytes).div_ceil(self.page)
    }

    fn address(&self, page: u64) -> u64 {
        self.view.start + page * self.page
    }

    /// Lets the GPU access whole mappings.
    fn open(&self, first: u64, count: u64) -> Result<(), Error> {
        let device = [self.gpu.physical.device];
        let bytes = count * self.page;
        self.gpu
            .driver()
            .set_access(self.address(first), bytes, &device)
    }

    /// Makes and maps a page, which nobody can access yet.
    fn make(&self, page: u64) -> Result<Handle, Error> {
        let driver = self.gpu.driver();
        let handle = driver.create(self.page, self.gpu.physical)?;
        driver
            .map(self.address(page), self.page, handle)
            .inspect_err(|_| drop(driver.release(handle)))?;
        Ok(handle)
    }

    /// Unmaps and releases a page that no window shows. If the driver refuses one of both it is the same as done: the page
    /// is not used again before it was made anew, which then fails.
    fn end(&self, page: u64, handle: Handle) -> Result<(), Error> {
        let driver = self.gpu.driver();
        driver.unmap(self.address(page), self.page)?;
        driver.release(handle)
    }

    /// Makes the pages in `wanted`, each accessible. Those that were made before a failure stay in `made`.
    fn make_all(&self, wanted: &[u64], made: &mut Vec<(u64, Handle)>) -> Result<(), Error> {
        for &page in wanted {
            made.push((page, self.make(page)?));
        }
        for run in wanted.chunk_by(|page, next| *next == page + 1) {
            self.open(run[0], run.len() as u64)?;
        }
        Ok(())
    }

    /// Takes a page out of the windows that show it.
    fn hide(&self, book: &mut Book, page: u64) -> Result<(), Error> {
        while let Some(window) = book.shown.get(&page).and_then(|list| list.last().copied()) {
            self.gpu.driver().unmap(self.address(window), self.page)?;
            book.forget(window);
        }
        Ok(())
    }
}

impl Book {
    /// Nothing is mapped at a window's page any more.
    fn forget(&mut self, window: u64) {
        let Some(page) = self.windows.remove(&window) else {
            return;
        };
        if let Some(list) = self.shown.get_mut(&page) {
            list.retain(|known| *known != window);
            if list.is_empty() {
                self.shown.remove(&page);
            }
        }
    }

    fn note(&mut self, window: u64, page: u64) {
        self.windows.insert(window, page);
        self.shown.entry(page).or_default().push(window);
    }
}

impl Memory for CudaDevice {
    fn range(&self) -> AddressRange {
        self.view
    }

    fn distance(&self) -> u64 {
        self.distance
    }

    fn is_touchable(&self) -> bool {
        false
    }

    fn page(&self) -> u64 {
        self.page
    }

    fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
        let home = AddressRange::new(self.view.start, self.home);
        assert!(home.covers(range), "pages of this device");
        let mut book = self.book.lock();
        let pages = self.pages(range);
        let wanted: Vec<u64> = pages
            .filter(|page| !book.pages.contains_key(page))
            .collect();
        let mut made = Vec::with_capacity(wanted.len());
        let done = self.make_all(&wanted, &mut made);
        if let Err(cause) = done {
            for (page, handle) in made {
                drop(self.end(page, handle));
            }
            return Err(self.gpu.refused(wanted.len() as u64 * self.page, cause));
        }
        book.pages.extend(made);
        Ok(())
    }

    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
        assert!(self.view.covers(range), "pages of this device");
        let start = range.start - self.view.start;
        let inside = start.div_ceil(self.page)..(start + range.bytes) / self.page;
        let mut book = self.book.lock();
        let mut returned = 0;
        for page in inside {
            let Some(&handle) = book.pages.get(&page) else {
                continue;
            };
            self.hide(&mut book, page)?;
            self.end(page, handle)?;
            book.pages.remove(&page);
            returned += self.page;
        }
        Ok(returned)
    }

    fn windows(&self) -> u64 {
        self.view.bytes - self.home
    }

    fn show(&self, pages: AddressRange, at: u64) -> Result<(), DeviceError> {
        let place = AddressRange::new(at, pages.bytes);
        let behind = AddressRange::new(self.view.start + self.home, self.windows());
        assert!(
            behind.covers(place) && pages.bytes.is_multiple_of(self.page),
            "shows whole pages of this device in its windows"
        );
        let driver = self.gpu.driver();
        let mut book = self.book.lock();
        let windows = self.pages(place);
        let mut done = || {
            for (page, window) in self.pages(pages).zip(windows.clone()) {
                if book.windows.contains_key(&window) {
                    driver.unmap(self.address(window), self.page)?;
                    book.forget(window);
                }
                let handle = book.pages.get(&page);
                let handle = *handle.expect("a page that is shown is committed");
                driver.map(self.address(window), self.page, handle)?;
                book.note(window, page);
            }
            self.open(windows.start, windows.end - windows.start)
        };
        let shown = done();
        if let Err(cause) = shown {
            for window in windows {
                let mapped = book.windows.contains_key(&window);
                if mapped && driver.unmap(self.address(window), self.page).is_ok() {
                    book.forget(window);
                }
            }
            return Err(self.gpu.refused(pages.bytes, cause));
        }
        Ok(())
    }

    fn share(&self, range: AddressRange) -> Result<SharedPages, DeviceError> {
        assert!(self.view.covers(range), "pages of this device");
        let book = self.book.lock();
        let handles = self.pages(range).map(|page| {
            let page = book.windows.get(&page).unwrap_or(&page);
            let handle = book.pages.get(page);
            (
                *handle.expect("a page that is shared is committed"),
                self.page,
            )
        });
        self.gpu.share(handles)
    }

    fn resident(&self) -> Result<u64, DeviceError> {
        Ok(self.book.lock().pages.len() as u64 * self.page)
    }
}

impl Device for CudaDevice {
    fn describe(&self) -> String {
        self.gpu.describe()
    }

    fn home(&self) -> Home {
        Home::Gpu(self.gpu.index())
    }

    fn compute(&self, parts: &[Staged], work: &mut dyn FnMut() -> bool) -> Result<(), DeviceError> {
        self.cuda.work_alone(parts, work)
    }

    fn bring(&self, ranges: &[AddressRange]) -> Result<Option<Brought>, DeviceError> {
        self.cuda.bring(ranges).map(Some)
    }

    fn load_word(&self, at: u64) -> Result<Option<u64>, DeviceError> {
        self.cuda.load_word(at)
    }

    fn store_word(&self, at: u64, word: u64) -> Result<bool, DeviceError> {
        self.cuda.store_word(at, word)
    }

    fn gpu(&self) -> Option<GpuAccess> {
        Some(GpuAccess::new(&self.cuda, &self.gpu))
    }

    fn own_room(&self) -> Option<(u64, u64)> {
        self.gpu.memory_info().ok()
    }
}

impl Drop for CudaDevice {
    /// Unmaps and releases everything. Where the driver ends with the process, it does so itself.
    fn drop(&mut self) {
        let mirror = self.view.start.wrapping_add(self.distance);
        self.cuda.remove_place(mirror);
        let driver = self.gpu.driver();
        let book = std::mem::take(self.book.get_mut());
        let mapped = book.windows.keys().chain(book.pages.keys());
        let gone = mapped
            .map(|page| driver.unmap(self.address(*page), self.page))
            .find(|unmapped| unmapped.as_ref().is_err_and(Error::is_gone));
        if gone.is_some() {
            return;
        }
        for handle in book.pages.into_values() {
            drop(driver.release(handle));
        }
        drop(driver.address_free(self.view.start, self.view.bytes));
    }
}
