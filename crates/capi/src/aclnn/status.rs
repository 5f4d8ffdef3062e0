//! The codes of operators by function, and the way in and out of each.

use millpond_abi as abi;
use millpond_functions::{Reason, Refusal};

use crate::boundary::{self, CallError, Cause};

/// Runs the body of an exported function; failures get the codes of these functions.
#[inline(always)]
pub(super) fn entry(
    function: &'static str,
    body: impl FnOnce() -> Result<(), CallError>,
) -> abi::aclnnStatus {
    let mut body = Some(body);
    boundary::shared_entry(function, &mut || match body.take() {
        Some(body) => body().map_err(coded),
        None => Ok(()),
    })
}

/// A fault with the code that these functions return for it.
#[cold]
fn coded(fault: CallError) -> CallError {
    let code = match fault.cause() {
        Cause::Null { .. } => abi::ACLNN_ERR_PARAM_NULLPTR,
        Cause::BadValue { .. } | Cause::Handle { .. } => abi::ACLNN_ERR_PARAM_INVALID,
        Cause::Code { .. } | Cause::FailsLater => return fault,
        Cause::Forked | Cause::Panicked { .. } => abi::ACLNN_ERR_INNER,
        Cause::NoContext
        | Cause::OtherContext { .. }
        | Cause::TooMany { .. }
        | Cause::Runtime(_) => abi::ACLNN_ERR_RUNTIME_ERROR,
    };
    CallError::coded(code, fault.to_string())
}

impl From<Refusal> for CallError {
    #[cold]
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.reason {
            Reason::Missing => abi::ACLNN_ERR_PARAM_NULLPTR,
            Reason::Invalid | Reason::Unsupported => abi::ACLNN_ERR_PARAM_INVALID,
        };
        Self::coded(code, refusal.text)
    }
}
