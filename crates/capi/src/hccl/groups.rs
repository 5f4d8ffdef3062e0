//! Groups: operations that a thread calls between `HcclGroupStart` and `HcclGroupEnd` are queued together.
#![expect(unsafe_code, reason = "exported C symbols")]
#![allow(non_snake_case, reason = "names are the C names")]

use std::cell::RefCell;

use millpond_abi as abi;

use super::launch::{Operation, Parts, check_side_by_side, queue};
use super::status;
use crate::boundary::CallError;

/// The group that a thread has begun.
#[derive(Default)]
struct Opened {
    depth: u32,
    operations: Vec<Operation>,
}

thread_local! {
    static GROUP: RefCell<Opened> = RefCell::default();
}

/// Puts an operation into the thread's group; returns it if there is none.
pub(super) fn add(operation: Operation) -> Option<Operation> {
    GROUP.with_borrow_mut(|opened| {
        if opened.depth == 0 {
            return Some(operation);
        }
        opened.operations.push(operation);
        None
    })
}

/// Begins a group.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn HcclGroupStart() -> abi::HcclResult {
    status::entry("HcclGroupStart", || {
        GROUP.with_borrow_mut(|opened| opened.depth += 1);
        Ok(())
    })
}
const _: abi::HcclGroupStartFn = HcclGroupStart;

/// Ends a group. The outermost end queues its operations, all or none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn HcclGroupEnd() -> abi::HcclResult {
    status::entry("HcclGroupEnd", || {
        let operations = GROUP.with_borrow_mut(|opened| match opened.depth {
            0 => Err(CallError::coded(
                abi::HCCL_E_PARA,
                "this thread has no open group: call HcclGroupStart first",
            )),
            1 => {
                opened.depth = 0;
                Ok(std::mem::take(&mut opened.operations))
            }
            _ => {
                opened.depth -= 1;
                Ok(Vec::new())
            }
        })?;
        check_side_by_side(&operations)?;
        queue("HcclGroupEnd", operations, Parts::Lines)
    })
}
const _: abi::HcclGroupEndFn = HcclGroupEnd;
