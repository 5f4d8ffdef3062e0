//! Which code lies where: the program and the libraries that it has loaded.
#![expect(unsafe_code, reason = "reads what the loader shows")]

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::sync::OnceLock;

/// A program or library in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Module {
    /// From its first byte to its last.
    pub(super) range: Range<usize>,
    /// The parts of it that can be run.
    code: Vec<Range<usize>>,
    /// What to subtract from an address to get one of the file.
    pub(super) bias: usize,
    pub(super) file: String,
}

/// How often the loader has added and removed modules: the same numbers mean the same modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Changes(u64, u64);

/// What is loaded, as it was when it was last looked at.
#[derive(Debug, Default)]
pub(super) struct Modules {
    changes: Changes,
    list: Vec<Module>,
}

impl Modules {
    pub(super) const fn new() -> Self {
        Self {
            changes: Changes(0, 0),
            list: Vec::new(),
        }
    }

    /// The module that an address of code lies in.
    pub(super) fn of(&mut self, address: usize) -> Option<&Module> {
        self.look();
        self.list
            .iter()
            .find(|module| module.code.iter().any(|code| code.contains(&address)))
    }

    /// Looks again, if something was loaded or unloaded since.
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

/// Whether an address lies in this library.
pub(super) fn is_own(address: usize) -> bool {
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

/// Calls `act` for each module until it answers false.
fn each(act: &mut dyn FnMut(&libc::dl_phdr_info) -> bool) {
    type Act<'a> = &'a mut dyn FnMut(&libc::dl_phdr_info) -> bool;
    extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: the pointer to `act` that is passed below, used by nobody else meanwhile.
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

/// The program itself has no name there.
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
}
