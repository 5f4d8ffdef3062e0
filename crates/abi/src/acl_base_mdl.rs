//! `acl/acl_base_mdl.h`: tensor descriptions: element type, dimensions and format of one operand of
//! an operator or model.

defines! {
    // Numbers in one row of a shape range or value range: lowest, highest.
    usize {
        ACL_TENSOR_SHAPE_RANGE_NUM = 2,
        ACL_TENSOR_VALUE_RANGE_NUM = 2,
    }

    // What `aclGetTensorDescNumDims` returns when the rank is unknown (the first dimension is -2).
    u64 {
        ACL_UNKNOWN_RANK = 0xFFFFFFFFFFFFFFFE,
    }
}

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclTensorDesc
}
