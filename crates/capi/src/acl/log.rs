//! `aclAppLog`: lines that the program writes to the log.
#![expect(
    unsafe_code,
    reason = "an exported C symbol that jumps to a C function"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int};

use millpond_abi as abi;

unsafe extern "C" {
    /// `src/app_log.c`.
    fn millpond_app_log(
        level: c_int,
        func: *const c_char,
        file: *const c_char,
        line: u32,
        fmt: *const c_char,
        ...
    );
}

/// Writes a line to the log. The arguments of `fmt` follow, as for `printf`.
///
/// Rust cannot define a function with a variable number of arguments, so this one leaves registers
/// and stack as they are and jumps to the C function that can.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn aclAppLog(
    _logLevel: abi::aclLogLevel,
    _func: *const c_char,
    _file: *const c_char,
    _line: u32,
    _fmt: *const c_char,
) {
    #[cfg(target_arch = "x86_64")]
    core::arch::naked_asm!("jmp {}", sym millpond_app_log);
    #[cfg(target_arch = "aarch64")]
    core::arch::naked_asm!("b {}", sym millpond_app_log);
    #[cfg(target_arch = "riscv64")]
    core::arch::naked_asm!("tail {}", sym millpond_app_log);
}
