//! `InitInjectionMstx`: attaches a program, or a library of it, that has the functions of MSTX from
//! the header.
//!
//! It is called once for each of them, each time with another function to ask for the tables. There
//! is nothing to remember: all of them get the same functions, which are those of the linked programs,
//! so handles are valid everywhere. Other tools are searched at the first real call and not here, because
//! in the caller's state their calls might never return.
#![expect(
    unsafe_code,
    reason = "an exported C symbol that stores functions where its caller says"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use millpond_abi as abi;

use super::{chain, domains, heaps, marks};

type Getter = unsafe extern "C" fn(abi::mstxFuncModule, *mut abi::mstxFuncTable, *mut u32) -> c_int;

/// A module's functions, by their numbers from 1 on.
type Functions = [*const c_void];

/// Offers our functions for a module; whether the caller knows it.
fn offer(get: Getter, module: abi::mstxFuncModule, functions: &Functions) -> bool {
    let mut table: abi::mstxFuncTable = null_mut();
    let mut size = 0;
    // SAFETY: the caller handed this function over to be called like this.
    let answer = unsafe { get(module, &raw mut table, &raw mut size) };
    if answer != abi::MSTX_SUCCESS || table.is_null() {
        return false;
    }
    for (function, id) in functions.iter().zip(1_usize..) {
        // An older caller knows fewer functions.
        if u32::try_from(id).is_ok_and(|id| id >= size) {
            break;
        }
        // SAFETY: below the size, so inside the table.
        let entry = unsafe { table.add(id) };
        // SAFETY: as above.
        let slot = unsafe { entry.read() };
        if !slot.is_null() {
            // SAFETY: a table's entries point to places for functions.
            unsafe { slot.cast::<*const c_void>().write(*function) };
        }
    }
    true
}

/// Attaches the caller to our listener.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn InitInjectionMstx(
    getFuncTable: abi::mstxGetModuleFuncTableFunc,
) -> c_int {
    let Some(get) = getFuncTable else {
        return abi::MSTX_FAIL;
    };
    chain::attached(get as *const () as usize);
    let memory = [
        heaps::heap_register as *const c_void,
        heaps::heap_unregister as *const c_void,
        heaps::regions_register as *const c_void,
        heaps::regions_unregister as *const c_void,
        heaps::permissions_assign as *const c_void,
    ];
    let domain = [
        domains::create as *const c_void,
        domains::destroy as *const c_void,
        domains::mark as *const c_void,
        domains::range_start as *const c_void,
        domains::range_end as *const c_void,
    ];
    let core = [
        marks::mark as *const c_void,
        marks::range_start as *const c_void,
        marks::range_end as *const c_void,
        marks::get_tool_id as *const c_void,
    ];
    // Where there is no module for memory, heaps have the numbers from 4 on among the core's.
    let modern = offer(get, abi::MSTX_API_MODULE_CORE_MEM, &memory);
    let core = if modern { &core[..] } else { &core[..3] };
    let attached = offer(get, abi::MSTX_API_MODULE_CORE, core);
    let domains = offer(get, abi::MSTX_API_MODULE_CORE_DOMAIN, &domain);
    if attached || domains || modern {
        abi::MSTX_SUCCESS
    } else {
        abi::MSTX_FAIL
    }
}
const _: abi::InitInjectionMstxFn = InitInjectionMstx;
