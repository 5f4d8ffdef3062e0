//! Which code is mapped where: the program and the libraries that it has loaded.
#![expect(unsafe_code, reason = "reads what the loader reports")]

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::sync::OnceLock;

/// A program or library that is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Module {
    /// From its first byte to its last.
    pub(crate) range: Range<usize>,
    /// Its executable segments.
    code: Vec<Range<usize>>,
    /// Subtracted from an address, it gives the address in the file.
    pub(crate) bias: usize,
    pub(crate) file: String,
}

/// How often the loader has added and removed modules. While both are unchanged, so is the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Changes(u64, u64);

/// The modules, as of the last look.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    changes: Changes,
    list: Vec<Module>,
}

impl Modules {
    pub(crate) const fn new() -> Self {
        Self {
            changes: Changes(0, 0),
            list: Vec::new(),
        }
    }

    /// The module whose code contains an address.
    pub(crate) fn of(&mut self, address: usize) -> Option<&Module> {
        self.look();
        self.list
            .iter()
            .find(|module| module.code.iter().any(|code| code.contains(&address)))
    }

    /// The bias of a file that is loaded.
    pub(crate) fn loaded(&mut self, file: &str) -> Option<usize> {
        self.look();
        let module = self.list.iter().find(|module| module.file == file)?;
        Some(module.bias)
    }

    /// Reads the list again, if something was loaded or unloaded since.
    fn look(&mut self) {
        let mut changes = Changes::default();
        each(&mut |info| {
            changes = Changes(info.dlpi_adds, info.dlpi_subs);
            false
        });
        if changes == self.changes && !self.list.is_empty() {
            return;
        }
        self.list.clear();
        each(&mut |info| {
            self.list.extend(described(info));
            true
        });
        self.changes = changes;
    }
}

/// Whether an address belongs to the library that this code is linked into.
pub(crate) fn is_own(address: usize) -> bool {
    static OWN: OnceLock<Range<usize>> = OnceLock::new();
    let own = OWN.get_or_init(|| {
        let mut own = 0..0;
        each(&mut |info| {
            let module =
                described(info).filter(|one| one.range.contains(&(is_own as *const () as usize)));
            if let Some(module) = module {
                own = module.range;
            }
            own.is_empty()
        });
        own
    });
    own.contains(&address)
}

/// Calls `act` for each module until it returns false.
fn each(act: &mut dyn FnMut(&libc::dl_phdr_info) -> bool) {
    type Act<'a> = &'a mut dyn FnMut(&libc::dl_phdr_info) -> bool;
    extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: the pointer to `act` that is passed below, not used otherwise meanwhile.
        let act = unsafe { &mut *data.cast::<Act<'_>>() };
        // SAFETY: the loader passes a description that is valid during this call.
        let info = unsafe { &*info };
        c_int::from(!act(info))
    }
    let mut act: Act<'_> = act;
    // SAFETY: the callback gets the pointer to `act`, which outlives the call, and does not unwind.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut act).cast()) };
}

fn described(info: &libc::dl_phdr_info) -> Option<Module> {
    let headers = if info.dlpi_phdr.is_null() {
        &[]
    } else {
        // SAFETY: the loader's description says how many headers there are.
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
    };
    let bias = usize::try_from(info.dlpi_addr).ok()?;
    let parts = headers
        .iter()
        .filter(|header| header.p_type == libc::PT_LOAD);
    let parts: Vec<(Range<usize>, bool)> = parts
        .filter_map(|header| {
            let start = bias.wrapping_add(usize::try_from(header.p_vaddr).ok()?);
            let end = start.checked_add(usize::try_from(header.p_memsz).ok()?)?;
            Some((start..end, header.p_flags & libc::PF_X != 0))
        })
        .collect();
    let start = parts.iter().map(|(part, _)| part.start).min()?;
    let end = parts.iter().map(|(part, _)| part.end).max()?;
    let runs = parts.into_iter().filter(|(_, runs)| *runs);
    Some(Module {
        range: start..end,
        code: runs.map(|(part, _)| part).collect(),
        bias,
        file: file_of(info),
    })
}

/// The file of a module. The loader has no name for the program itself.
fn file_of(info: &libc::dl_phdr_info) -> String {
    if !info.dlpi_name.is_null() {
        // SAFETY: the loader gives a NUL-terminated name that is valid during this call.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) };
        if !name.is_empty() {
            return name.to_string_lossy().into_owned();
        }
    }
    let program = std::env::current_exe().unwrap_or_default();
    program.to_string_lossy().into_owned()
}

/// An address as file and offset, in the form that `addr2line` takes.
///
/// Asks only the loader and takes no lock of ours: sinks call it, and they run under the lock of `numbers`.
pub fn describe(address: u64) -> String {
    let Some(module) = usize::try_from(address).ok().and_then(module) else {
        return format!("{address:#x}");
    };
    // Addresses of a program that is not position-independent are those of its file.
    let base = if is_fixed(&module) {
        0
    } else {
        module.dli_fbase.addr() as u64
    };
    let offset = address - base;
    if module.dli_fname.is_null() {
        return format!("{address:#x}");
    }
    // SAFETY: the loader returns a NUL-terminated name that lives as long as the module.
    let file = unsafe { CStr::from_ptr(module.dli_fname) }.to_string_lossy();
    let name = file.rsplit('/').next().unwrap_or(&file);
    format!("{name}+{offset:#x}")
}

/// Whether a module is linked for fixed addresses, by `e_type` of its ELF header.
fn is_fixed(module: &libc::Dl_info) -> bool {
    const TYPE_OFFSET: usize = 16;
    const FIXED: u16 = 2;
    let start = module.dli_fbase.cast::<u8>().cast_const();
    // SAFETY: a module begins with its ELF header, which the loader has mapped; the field is in it.
    let field = unsafe { start.add(TYPE_OFFSET) };
    // SAFETY: as above.
    let kind = unsafe { field.cast::<u16>().read_unaligned() };
    kind == FIXED
}

/// The first address of the module that contains an address; 0 if no module does.
pub fn module_of(address: usize) -> usize {
    module(address).map_or(0, |module| module.dli_fbase.addr())
}

/// What the loader knows of the module that contains an address.
fn module(address: usize) -> Option<libc::Dl_info> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: dladdr accepts any address and fills the structure only on success.
    let known = unsafe { libc::dladdr(std::ptr::without_provenance(address), &raw mut info) };
    (known != 0).then_some(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_code_is_found_and_data_is_not() {
        let code = is_own as *const () as usize;
        assert!(is_own(code));
        let mut modules = Modules::new();
        let module = modules.of(code).expect("the test itself");
        assert!(module.range.contains(&code));
        assert!(std::path::Path::new(&module.file).exists());
        let on_the_stack = 0_u64;
        assert_eq!(modules.of((&raw const on_the_stack).addr()), None);
        let libc = modules.of(libc::getpid as *const () as usize);
        assert!(libc.is_some_and(|module| module.file.contains("libc")));
        assert!(!is_own(libc::getpid as *const () as usize));
    }

    #[test]
    fn addresses_are_described_by_file_and_offset() {
        let code = is_own as *const () as usize;
        let program = std::env::current_exe().unwrap();
        let program = program.file_name().unwrap().to_string_lossy();
        let text = describe(code as u64);
        assert!(text.starts_with(&format!("{program}+0x")), "{text}");
        assert_ne!(module_of(code), 0);
        assert_eq!(describe(0x10), "0x10");
        assert_eq!(module_of(0x10), 0);
    }
}
