//! The import tables of loaded modules: finds entries in them and replaces them.
//!
//! The dynamic section of each module says which functions it imports and where it keeps their addresses. An entry
//! is replaced only if it points to the system's function, or is not resolved yet: another function with the same
//! name is not ours to replace.
#![expect(
    unsafe_code,
    reason = "reads the tables of loaded modules and writes entries of them"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A function that is replaced.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static CStr,
    /// The function itself.
    pub real: usize,
    /// What is called instead.
    pub replacement: usize,
}

#[cfg(target_arch = "x86_64")]
mod kinds {
    pub(crate) const PLAIN: u64 = 1;
    pub(crate) const DATA: u64 = 6;
    pub(crate) const CALL: u64 = 7;
}
#[cfg(target_arch = "aarch64")]
mod kinds {
    pub(crate) const PLAIN: u64 = 257;
    pub(crate) const DATA: u64 = 1025;
    pub(crate) const CALL: u64 = 1026;
}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod kinds {
    // None: nothing is replaced.
    pub(crate) const PLAIN: u64 = u64::MAX;
    pub(crate) const DATA: u64 = u64::MAX;
    pub(crate) const CALL: u64 = u64::MAX;
}

/// Modules that are not changed: the system's library itself, and tools between it and the program.
const LEFT_ALONE: [&str; 8] = [
    "/libc.so",
    "/libc-",
    "/ld-",
    "/libpthread",
    "linux-vdso",
    "/libasan",
    "/libtsan",
    "/liblsan",
];

/// The address of a function; 0 if there is none.
pub fn find(name: &CStr) -> usize {
    // SAFETY: the name ends.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    found.addr()
}

/// A number that changes when a module is loaded.
pub fn loaded() -> u64 {
    extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, to: *mut c_void) -> c_int {
        // SAFETY: the loader passes what it knows of a module.
        let adds = unsafe { (*info).dlpi_adds };
        // SAFETY: the pointer that was passed below.
        unsafe { *to.cast::<u64>() = adds };
        1
    }

    let mut adds = 0_u64;
    // SAFETY: the function gets back the pointer, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut adds).cast()) };
    adds
}

/// Modules whose tables were examined: large ones take a while.
#[derive(Debug, Default)]
pub struct Done {
    /// Where their headers are.
    modules: Vec<usize>,
    /// How many had been unloaded: others may be at their addresses.
    unloaded: u64,
}

impl Done {
    /// None yet.
    pub const fn new() -> Self {
        Self {
            modules: Vec::new(),
            unloaded: 0,
        }
    }

    /// Whether a module is new; marks it as known.
    fn is_new(&mut self, info: &libc::dl_phdr_info) -> bool {
        if self.unloaded != info.dlpi_subs {
            self.unloaded = info.dlpi_subs;
            self.modules.clear();
        }
        let place = info.dlpi_phdr.addr();
        let known = self.modules.contains(&place);
        if !known {
            self.modules.push(place);
        }
        !known
    }
}

/// Replaces entries in all modules that were not examined before, except our own; returns how many.
pub fn replace(entries: &[Entry], done: &mut Done) -> u32 {
    extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, to: *mut c_void) -> c_int {
        // SAFETY: the loader passes what it knows of a module.
        let info = unsafe { &*info };
        // SAFETY: the pointer that was passed below, to what is used only here meanwhile.
        let (entries, done, count) = unsafe { &mut *to.cast::<(&[Entry], &mut Done, u32)>() };
        if done.is_new(info)
            && let Some(module) = Module::of(info)
        {
            *count += module.replace(entries);
        }
        0
    }
    let mut passed = (entries, done, 0);
    // SAFETY: the function gets back the pointer, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut passed).cast()) };
    passed.2
}

/// The address of a function in the first loaded library whose file name starts with `library`; 0 if there is none.
pub fn find_in(library: &str, name: &CStr) -> usize {
    extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, to: *mut c_void) -> c_int {
        // SAFETY: the loader passes what it knows of a module.
        let path = unsafe { (*info).dlpi_name };
        // SAFETY: the pointer that was passed below, to what is used only here meanwhile.
        let (library, found) = unsafe { &mut *to.cast::<(&str, Option<CString>)>() };
        if path.is_null() {
            return 0;
        }
        // SAFETY: the loader's names end and live as long as the module.
        let path = unsafe { CStr::from_ptr(path) };
        let text = path.to_string_lossy();
        let file = text.rsplit('/').next().unwrap_or_default();
        if !file.starts_with(*library) {
            return 0;
        }
        *found = Some(path.to_owned());
        1
    }
    let mut passed = (library, None::<CString>);
    // SAFETY: the function gets back the pointer, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut passed).cast()) };
    let Some(path) = passed.1 else { return 0 };
    // SAFETY: a name that ends; nothing is loaded that was not.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return 0;
    }
    // The library stays loaded: the handle is not closed.
    // SAFETY: an open library, and a name that ends.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    found.addr()
}

/// A loaded module, as far as its dynamic section says.
#[derive(Default)]
struct Module {
    base: usize,
    /// From its first byte to its last.
    range: Range<usize>,
    /// The part that is read-only after relocation.
    sealed: Range<usize>,
    symbols: usize,
    texts: usize,
    /// Tables of relocations.
    calls: Range<usize>,
    others: Range<usize>,
}

/// A relocation with an addend (`Elf64_Rela`).
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

/// A symbol that a module imports or exports.
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

impl Module {
    fn of(info: &libc::dl_phdr_info) -> Option<Self> {
        let name = if info.dlpi_name.is_null() {
            c""
        } else {
            // SAFETY: the loader's names end and live as long as the module.
            unsafe { CStr::from_ptr(info.dlpi_name) }
        };
        let name = name.to_string_lossy();
        if LEFT_ALONE.iter().any(|known| name.contains(known)) {
            return None;
        }
        let base = address(info.dlpi_addr);
        let count = usize::from(info.dlpi_phnum);
        // SAFETY: the loader says that so many headers are there.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, count) };
        let mut module = Self {
            base,
            range: Range {
                start: usize::MAX,
                end: 0,
            },
            ..Self::default()
        };
        let mut dynamic = 0;
        for header in headers {
            let start = base.wrapping_add(address(header.p_vaddr));
            let end = start.wrapping_add(address(header.p_memsz));
            match header.p_type {
                libc::PT_LOAD => {
                    module.range.start = module.range.start.min(start);
                    module.range.end = module.range.end.max(end);
                }
                libc::PT_DYNAMIC => dynamic = start,
                // The loader seals whole pages: what shares the last one with other data stays writable.
                libc::PT_GNU_RELRO => {
                    module.sealed = start / page() * page()..end / page() * page();
                }
                _ => {}
            }
        }
        // Calls of our own library mean the system's functions.
        let own = (Self::of as fn(&libc::dl_phdr_info) -> Option<Self>) as usize;
        if dynamic == 0 || module.range.contains(&own) {
            return None;
        }
        module.read_dynamic(dynamic);
        (module.symbols != 0 && module.texts != 0).then_some(module)
    }

    fn read_dynamic(&mut self, dynamic: usize) {
        const NULL: u64 = 0;
        const CALLS_BYTES: u64 = 2;
        const TEXTS: u64 = 5;
        const SYMBOLS: u64 = 6;
        const OTHERS: u64 = 7;
        const OTHERS_BYTES: u64 = 8;
        const CALLS: u64 = 23;
        /// How many of the others come first and have no name.
        const OTHERS_NAMELESS: u64 = 0x6fff_fff9;
        let (mut calls, mut calls_bytes) = (0, 0);
        let (mut others, mut others_bytes, mut nameless) = (0, 0, 0);
        let mut at = dynamic;
        loop {
            // SAFETY: the section is an array of pairs that ends with a null tag.
            let [tag, value] = unsafe { read::<[u64; 2]>(at) };
            at += size_of::<[u64; 2]>();
            let value = address(value);
            match tag {
                NULL => break,
                TEXTS => self.texts = self.settled(value),
                SYMBOLS => self.symbols = self.settled(value),
                CALLS => calls = self.settled(value),
                CALLS_BYTES => calls_bytes = value,
                OTHERS => others = self.settled(value),
                OTHERS_BYTES => others_bytes = value,
                OTHERS_NAMELESS => nameless = value,
                _ => {}
            }
        }
        if calls != 0 {
            self.calls = calls..calls + calls_bytes;
        }
        if others != 0 {
            let skipped = (nameless * size_of::<Relocation>()).min(others_bytes);
            self.others = others + skipped..others + others_bytes;
        }
    }

    /// An address of the dynamic section. Some loaders write it in as it is, others leave the module's own.
    fn settled(&self, value: usize) -> usize {
        if value < self.base {
            self.base + value
        } else {
            value
        }
    }

    fn replace(&self, entries: &[Entry]) -> u32 {
        let mut count = 0;
        for table in [&self.calls, &self.others] {
            for at in table.clone().step_by(size_of::<Relocation>()) {
                // SAFETY: an entry of the module's own table.
                let place = unsafe { read::<Relocation>(at) };
                let (symbol, kind) = (address(place.info >> 32), place.info & 0xffff_ffff);
                let plain = kind == kinds::PLAIN && place.addend == 0;
                if symbol == 0 || !(plain || kind == kinds::DATA || kind == kinds::CALL) {
                    continue;
                }
                if let Some(entry) = self.entry(symbol, entries) {
                    let slot = self.base.wrapping_add(address(place.offset));
                    count += u32::from(self.put(slot, entry));
                }
            }
        }
        count
    }

    /// The replacement for what a module takes from others under this number.
    fn entry<'a>(&self, symbol: usize, entries: &'a [Entry]) -> Option<&'a Entry> {
        // SAFETY: the table of places names symbols that are there.
        let symbol = unsafe { read::<Symbol>(self.symbols + symbol * size_of::<Symbol>()) };
        // What it has itself is its own.
        if symbol.section != 0 {
            return None;
        }
        let name = self.texts + symbol.name as usize;
        let name = std::ptr::with_exposed_provenance::<c_char>(name);
        // SAFETY: names end, and are there as long as the module.
        let name = unsafe { CStr::from_ptr(name) };
        entries.iter().find(|entry| entry.name == name)
    }

    /// Answers whether the entry was replaced.
    fn put(&self, slot: usize, entry: &Entry) -> bool {
        if !slot.is_multiple_of(align_of::<usize>()) || !self.range.contains(&slot) {
            return false;
        }
        let place = std::ptr::with_exposed_provenance_mut::<usize>(slot);
        // SAFETY: an aligned word of the module, which everybody reads as a whole.
        let word = unsafe { AtomicUsize::from_ptr(place) };
        let now = word.load(Ordering::Relaxed);
        // One that is not settled leads back into the module, to whoever settles it.
        let leads_there = now == entry.real || self.range.contains(&now);
        if now == entry.replacement || !leads_there {
            return false;
        }
        let sealed = self.sealed.contains(&slot);
        if sealed && !protect(slot, libc::PROT_READ | libc::PROT_WRITE) {
            return false;
        }
        word.store(entry.replacement, Ordering::Release);
        if sealed {
            protect(slot, libc::PROT_READ);
        }
        true
    }
}

/// The size of a page of the system.
fn page() -> usize {
    // SAFETY: takes a number and returns one.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(4096)
}

fn protect(slot: usize, rights: c_int) -> bool {
    let page = page();
    let start = std::ptr::with_exposed_provenance_mut::<c_void>(slot / page * page);
    // SAFETY: the page of an entry that the loader has sealed; it is sealed again afterwards.
    unsafe { libc::mprotect(start, page, rights) == 0 }
}

/// # Safety
/// The value is there, and any bytes are valid for it.
unsafe fn read<T>(at: usize) -> T {
    let place = std::ptr::with_exposed_provenance::<T>(at);
    // SAFETY: as the caller promises.
    unsafe { place.read_unaligned() }
}

fn address(value: u64) -> usize {
    usize::try_from(value).unwrap_or(0)
}
