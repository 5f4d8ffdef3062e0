//! `acl/rt/stream.h`: attributes of streams.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashMap;

use millpond_abi as abi;
use parking_lot::Mutex;

use super::overflow::{self, Wishes};
use super::stream::{LEAST_PRIORITY, failure_mode, look};
use crate::boundary::{self, CallError, bad_value, entry, out};

/// What programs set, by the numbers of streams, which are never reused.
static SET: Mutex<Option<HashMap<u64, Attributes>>> = Mutex::new(None);

/// Forgets what the program has set.
pub(crate) fn forget_all() {
    *SET.lock() = None;
}

#[derive(Debug, Clone, Copy, Default)]
struct Attributes {
    failure_mode: u64,
    priority: Option<u32>,
    tag: u32,
    cache_operators: u32,
    wishes: Wishes,
}

/// Drops what was set for a stream that ends.
pub(super) fn forget(stream: u64) {
    if let Some(set) = &mut *SET.lock() {
        set.remove(&stream);
    }
}

/// The priority that was set after the stream was created.
pub(super) fn priority(stream: u64) -> Option<u32> {
    SET.lock().as_ref()?.get(&stream)?.priority
}

/// The failure mode of a stream was set.
pub(super) fn note_failure_mode(stream: u64, mode: u64) {
    change(stream, |it| it.failure_mode = mode);
}

/// What a stream wants of results that are too large.
pub(super) fn wishes(stream: u64) -> Wishes {
    let set = SET.lock();
    let known = set.as_ref().and_then(|set| set.get(&stream));
    known.map_or_else(Wishes::default, |known| known.wishes)
}

/// Changes it.
pub(super) fn change_wishes(stream: u64, wish: impl FnOnce(&mut Wishes)) {
    change(stream, |it| wish(&mut it.wishes));
}

fn change(stream: u64, change: impl FnOnce(&mut Attributes)) {
    change(
        SET.lock()
            .get_or_insert_default()
            .entry(stream)
            .or_default(),
    );
}

/// Checks the value of a switch.
pub(super) fn check_switch(argument: &'static str, value: u32) -> Result<(), CallError> {
    if value > 1 {
        return bad_value(argument, value, "it must be 0 (off) or 1 (on)");
    }
    Ok(())
}

/// Sets an attribute of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetStreamAttribute(
    stream: abi::aclrtStream,
    stmAttrType: abi::aclrtStreamAttr,
    value: *mut abi::aclrtStreamAttrValue,
) -> abi::aclError {
    entry("aclrtSetStreamAttribute", || {
        // SAFETY: the header's contract for the arguments.
        let value = unsafe { boundary::read(value, "value") }?;
        // SAFETY: all members are integers, and every value of them is valid.
        let wide = unsafe { value.failureMode };
        // SAFETY: as above.
        let narrow = unsafe { value.userCustomTag };
        let id = look(stream, millpond::Stream::id)?;
        match stmAttrType {
            abi::ACL_STREAM_ATTR_FAILURE_MODE => failure_mode(stream, wide),
            abi::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK => {
                check_switch("value->overflowSwitch", narrow)?;
                overflow::switch(id, narrow);
                Ok(())
            }
            abi::ACL_STREAM_ATTR_USER_CUSTOM_TAG => {
                change(id, |it| it.tag = narrow);
                Ok(())
            }
            abi::ACL_STREAM_ATTR_CACHE_OP_INFO => {
                check_switch("value->cacheOpInfoSwitch", narrow)?;
                change(id, |it| it.cache_operators = narrow);
                Ok(())
            }
            abi::ACL_STREAM_ATTR_PRIORITY => {
                if narrow > LEAST_PRIORITY {
                    return bad_value(
                        "value->streamPriority",
                        narrow,
                        "it must be in the range that aclrtDeviceGetStreamPriorityRange returns",
                    );
                }
                change(id, |it| it.priority = Some(narrow));
                Ok(())
            }
            other => bad_value(
                "stmAttrType",
                other,
                "it must be a value of aclrtStreamAttr",
            ),
        }
    })
}
const _: abi::aclrtSetStreamAttributeFn = aclrtSetStreamAttribute;

/// Reads an attribute of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetStreamAttribute(
    stream: abi::aclrtStream,
    stmAttrType: abi::aclrtStreamAttr,
    value: *mut abi::aclrtStreamAttrValue,
) -> abi::aclError {
    entry("aclrtGetStreamAttribute", || {
        let out = out!(value);
        let (id, created) = look(stream, |stream| (stream.id(), stream.priority()))?;
        let set = SET.lock().as_ref().and_then(|set| set.get(&id).copied());
        let set = set.unwrap_or_default();
        let number = match stmAttrType {
            abi::ACL_STREAM_ATTR_FAILURE_MODE => set.failure_mode,
            abi::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK => u64::from(set.wishes.notes),
            abi::ACL_STREAM_ATTR_USER_CUSTOM_TAG => u64::from(set.tag),
            abi::ACL_STREAM_ATTR_CACHE_OP_INFO => u64::from(set.cache_operators),
            abi::ACL_STREAM_ATTR_PRIORITY => u64::from(set.priority.unwrap_or(created)),
            other => {
                return bad_value(
                    "stmAttrType",
                    other,
                    "it must be a value of aclrtStreamAttr",
                );
            }
        };
        // The other members are 32 bits wide; the low half of this one is where they are.
        let mut value = abi::aclrtStreamAttrValue { reserve: [0; 4] };
        if stmAttrType == abi::ACL_STREAM_ATTR_FAILURE_MODE {
            value.failureMode = number;
        } else {
            value.userCustomTag = u32::try_from(number).unwrap_or(0);
        }
        out.write(value);
        Ok(())
    })
}
const _: abi::aclrtGetStreamAttributeFn = aclrtGetStreamAttribute;
