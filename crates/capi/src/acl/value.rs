//! `acl/rt/copy.h`: words in memory that streams write and wait for.
//!
//! The runtime sees what streams and calls write. For what it does not see, stores of the program to pinned memory and writes of
//! other processes, the thread of the hub looks at the words from time to time, as long as something waits.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond::Comparison;
use millpond_abi as abi;

use crate::boundary::{bad_value, entry, not_null};
use crate::sharing::{self, Hub, Waited};
use crate::{current, process};

/// Whether the hub looks at words.
static LOOKING: AtomicBool = AtomicBool::new(false);

/// Lets the hub look at words until nothing waits for one.
fn keep_looking(hub: &Hub) {
    if LOOKING.swap(true, Ordering::SeqCst) {
        return;
    }
    let look = || {
        // A wait that begins after the look starts this again.
        LOOKING.store(false, Ordering::SeqCst);
        let waits = process::known().is_some_and(millpond::Runtime::look_at_words);
        let goes_on = waits && !LOOKING.swap(true, Ordering::SeqCst);
        (!goes_on).then_some(Waited::Done)
    };
    hub.when(None, look, None, |_| {});
}

/// Writes eight bytes when the stream reaches the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtValueWrite(
    devAddr: *mut c_void,
    value: u64,
    flag: u32,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtValueWrite", || {
        let address = not_null(devAddr, "devAddr")?;
        if flag != 0 {
            return bad_value("flag", flag, "it must be 0");
        }
        current::on_stream(stream, "stream", |stream| {
            Ok(stream.write_word("aclrtValueWrite", address, value)?)
        })
    })
}
const _: abi::aclrtValueWriteFn = aclrtValueWrite;

/// Makes a stream wait until eight bytes compare with a value.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtValueWait(
    devAddr: *mut c_void,
    value: u64,
    flag: u32,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtValueWait", || {
        let address = not_null(devAddr, "devAddr")?;
        let comparison = match flag {
            abi::ACL_STREAM_WAIT_VALUE_GEQ => Comparison::GreaterOrEqual,
            abi::ACL_STREAM_WAIT_VALUE_EQ => Comparison::Equal,
            abi::ACL_STREAM_WAIT_VALUE_AND => Comparison::And,
            abi::ACL_STREAM_WAIT_VALUE_NOR => Comparison::Nor,
            other => {
                return bad_value(
                    "flag",
                    other,
                    "it must be one of ACL_STREAM_WAIT_VALUE_GEQ, _EQ, _AND and _NOR",
                );
            }
        };
        let hub = sharing::hub()?;
        current::on_stream(stream, "stream", |stream| {
            stream.wait_word("aclrtValueWait", address, (comparison, value), move || {
                keep_looking(hub);
            })?;
            Ok(())
        })
    })
}
const _: abi::aclrtValueWaitFn = aclrtValueWait;
