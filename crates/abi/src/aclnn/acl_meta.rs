//! `aclnn/acl_meta.h`: operators by function: what the functions in `aclnnop/` take.

/// What the functions return: 0, or one of the codes below.
pub type aclnnStatus = i32;

defines! {
    aclnnStatus {
        ACLNN_SUCCESS = 0,
        ACLNN_ERR_PARAM_NULLPTR = 161001,
        ACLNN_ERR_PARAM_INVALID = 161002,
        ACLNN_ERR_RUNTIME_ERROR = 361001,
        ACLNN_ERR_INNER = 561000,
        ACLNN_ERR_INNER_NULLPTR = 561103,
    }
}

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclTensor
    /// The C object of the same name, only ever behind a pointer.
    aclIntArray
    /// The C object of the same name, only ever behind a pointer.
    aclScalar
    /// The C object of the same name, only ever behind a pointer.
    aclFloatArray
    /// The C object of the same name, only ever behind a pointer.
    aclBoolArray
    /// The C object of the same name, only ever behind a pointer.
    aclTensorList
    /// The C object of the same name, only ever behind a pointer.
    aclScalarList
    /// The C object of the same name, only ever behind a pointer.
    aclOpExecutor
}
