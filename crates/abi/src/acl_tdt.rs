//! `acl/acl_tdt.h`: channels that carry tensors.

enums! {
    /// What an item is: a tensor, or a mark between tensors.
    acltdtTensorType {
        ACL_TENSOR_DATA_UNDEFINED = -1,
        ACL_TENSOR_DATA_TENSOR = 0,
        ACL_TENSOR_DATA_END_OF_SEQUENCE = 1,
        ACL_TENSOR_DATA_ABNORMAL = 2,
        ACL_TENSOR_DATA_SLICE_TENSOR = 3,
        ACL_TENSOR_DATA_END_TENSOR = 4,
    }
}

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    acltdtDataItem
    /// The C object of the same name, only ever behind a pointer.
    acltdtDataset
    /// The C object of the same name, only ever behind a pointer.
    acltdtChannelHandle
}
