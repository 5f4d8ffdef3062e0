//! `acl/rt/copy.h`: moving and setting bytes.

use crate::rt::memory::aclrtMemLocation;

enums! {
    /// Direction of a copy. `ACL_MEMCPY_DEFAULT` lets the runtime find it from the addresses.
    aclrtMemcpyKind {
        ACL_MEMCPY_HOST_TO_HOST = 0,
        ACL_MEMCPY_HOST_TO_DEVICE = 1,
        ACL_MEMCPY_DEVICE_TO_HOST = 2,
        ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
        ACL_MEMCPY_DEFAULT = 4,
        ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
        ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
        ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
    }

    /// What `aclrtReduceAsync` computes.
    aclrtReduceKind {
        ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
        ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
        ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
        ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13,
    }
}

defines! {
    // Comparisons of `aclrtValueWait`.
    u32 {
        ACL_STREAM_WAIT_VALUE_GEQ = 0x00000000,
        ACL_STREAM_WAIT_VALUE_EQ = 0x00000001,
        ACL_STREAM_WAIT_VALUE_AND = 0x00000002,
        ACL_STREAM_WAIT_VALUE_NOR = 0x00000003,
    }
}

structs! {
    /// Places between which a batch copies.
    aclrtMemcpyBatchAttr {
        dstLoc: aclrtMemLocation,
        srcLoc: aclrtMemLocation,
        rsv: [u8; 16],
    }
}
