//! `acl/ops/acl_cblas.h`: products of matrices and vectors.

enums! {
    /// How a matrix is read: as it is, transposed, or in the blocked layout.
    aclTransType {
        ACL_TRANS_N = 0,
        ACL_TRANS_T = 1,
        ACL_TRANS_NZ = 2,
        ACL_TRANS_NZ_T = 3,
    }

    /// Precision of the intermediate sums.
    aclComputeType {
        ACL_COMPUTE_HIGH_PRECISION = 0,
        ACL_COMPUTE_LOW_PRECISION = 1,
    }
}
