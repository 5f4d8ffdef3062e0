//! `acl/acl_op.h`: single operators: attributes, execution, user kernels.

use core::ffi::{c_int, c_void};

use crate::acl_base_mdl::aclTensorDesc;
use crate::acl_base_rt::aclError;

enums! {
    /// Engine that should run an operator.
    aclopEngineType {
        ACL_ENGINE_SYS = 0,
        ACL_ENGINE_AICORE = 1,
        ACL_ENGINE_VECTOR = 2,
    }
}

/// Frees the data of a kernel when the runtime needs it no more.
pub type aclDataDeallocator = Option<unsafe extern "C-unwind" fn(data: *mut c_void, length: usize)>;

/// Chooses the kernel of an operator for the given tensors.
pub type aclopCompileFunc = Option<
    unsafe extern "C-unwind" fn(
        numInputs: c_int,
        inputDesc: *const *const aclTensorDesc,
        numOutputs: c_int,
        outputDesc: *const *const aclTensorDesc,
        opAttr: *const aclopAttr,
        kernelDesc: *mut aclopKernelDesc,
    ) -> aclError,
>;

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclopAttr
    /// The C object of the same name, only ever behind a pointer.
    aclopHandle
    /// The C object of the same name, only ever behind a pointer.
    aclopKernelDesc
}
