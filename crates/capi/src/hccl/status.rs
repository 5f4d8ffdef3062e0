//! The results of HCCL functions, and the way in and out of each.

use millpond_abi as abi;
use millpond_collective::MeetingError;

use crate::boundary::{self, CallError, Cause};

/// Runs the body of an exported function; failures get the codes of these functions.
#[inline(always)]
pub(super) fn entry(
    function: &'static str,
    body: impl FnOnce() -> Result<(), CallError>,
) -> abi::HcclResult {
    boundary::entry(function, || body().map_err(coded))
}

#[cold]
fn coded(fault: CallError) -> CallError {
    let code = match fault.cause() {
        Cause::Null { .. } => abi::HCCL_E_PTR,
        Cause::BadValue { .. } | Cause::Handle { .. } => abi::HCCL_E_PARA,
        Cause::Code { .. } | Cause::FailsLater => return fault,
        Cause::Forked | Cause::Panicked { .. } => abi::HCCL_E_INTERNAL,
        // Memory that the program named and that is not there.
        Cause::Runtime(_) if fault.code() == abi::ACL_ERROR_RT_PARAM_INVALID => abi::HCCL_E_PARA,
        Cause::NoContext
        | Cause::OtherContext { .. }
        | Cause::TooMany { .. }
        | Cause::Runtime(_) => abi::HCCL_E_RUNTIME,
    };
    CallError::coded(code, fault.to_string())
}

impl From<MeetingError> for CallError {
    #[cold]
    fn from(error: MeetingError) -> Self {
        let code = match error {
            MeetingError::TimedOut(_) => abi::HCCL_E_TIMEOUT,
            MeetingError::Inconsistent(_) => abi::HCCL_E_PARA,
            MeetingError::Ended(_) => abi::HCCL_E_REMOTE,
            MeetingError::System(_) => abi::HCCL_E_SYSCALL,
            MeetingError::Network(_) => abi::HCCL_E_TCP_CONNECT,
            MeetingError::Port(_) => abi::HCCL_E_NETWORK,
            MeetingError::Unavailable(_) => abi::HCCL_E_UNAVAIL,
        };
        Self::coded(code, error.to_string())
    }
}

/// A communicator that is of no use any more.
#[cold]
pub(super) fn broken(why: String) -> CallError {
    CallError::coded(abi::HCCL_E_REMOTE, why)
}

/// Something that HCCL itself does not do.
#[cold]
pub(super) fn unsupported(text: impl Into<String>) -> CallError {
    CallError::coded(abi::HCCL_E_NOT_SUPPORT, text)
}

/// The results and their names.
const NAMES: [(abi::HcclResult, &std::ffi::CStr); 23] = [
    (abi::HCCL_SUCCESS, c"HCCL_SUCCESS"),
    (abi::HCCL_E_PARA, c"HCCL_E_PARA"),
    (abi::HCCL_E_PTR, c"HCCL_E_PTR"),
    (abi::HCCL_E_MEMORY, c"HCCL_E_MEMORY"),
    (abi::HCCL_E_INTERNAL, c"HCCL_E_INTERNAL"),
    (abi::HCCL_E_NOT_SUPPORT, c"HCCL_E_NOT_SUPPORT"),
    (abi::HCCL_E_NOT_FOUND, c"HCCL_E_NOT_FOUND"),
    (abi::HCCL_E_UNAVAIL, c"HCCL_E_UNAVAIL"),
    (abi::HCCL_E_SYSCALL, c"HCCL_E_SYSCALL"),
    (abi::HCCL_E_TIMEOUT, c"HCCL_E_TIMEOUT"),
    (abi::HCCL_E_OPEN_FILE_FAILURE, c"HCCL_E_OPEN_FILE_FAILURE"),
    (abi::HCCL_E_TCP_CONNECT, c"HCCL_E_TCP_CONNECT"),
    (abi::HCCL_E_ROCE_CONNECT, c"HCCL_E_ROCE_CONNECT"),
    (abi::HCCL_E_TCP_TRANSFER, c"HCCL_E_TCP_TRANSFER"),
    (abi::HCCL_E_ROCE_TRANSFER, c"HCCL_E_ROCE_TRANSFER"),
    (abi::HCCL_E_RUNTIME, c"HCCL_E_RUNTIME"),
    (abi::HCCL_E_DRV, c"HCCL_E_DRV"),
    (abi::HCCL_E_PROFILING, c"HCCL_E_PROFILING"),
    (abi::HCCL_E_CCE, c"HCCL_E_CCE"),
    (abi::HCCL_E_NETWORK, c"HCCL_E_NETWORK"),
    (abi::HCCL_E_AGAIN, c"HCCL_E_AGAIN"),
    (abi::HCCL_E_REMOTE, c"HCCL_E_REMOTE"),
    (abi::HCCL_E_SUSPENDING, c"HCCL_E_SUSPENDING"),
];

/// The name of a result.
pub(super) fn name(code: abi::HcclResult) -> &'static std::ffi::CStr {
    let known = NAMES.iter().find(|(known, _)| *known == code);
    known.map_or(c"unknown HcclResult", |(_, name)| name)
}
