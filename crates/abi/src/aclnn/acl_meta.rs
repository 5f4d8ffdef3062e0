//! `aclnn/acl_meta.h`: operators by function: what the functions in `aclnnop/` take.

/// What the functions return: 0, or a code of `aclError`.
pub type aclnnStatus = i32;

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclTensor
    /// The C object of the same name, only ever behind a pointer.
    aclIntArray
    /// The C object of the same name, only ever behind a pointer.
    aclOpExecutor
}
