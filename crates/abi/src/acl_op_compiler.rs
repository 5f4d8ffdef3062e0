//! `acl/acl_op_compiler.h`: compiling operators, and the options of the compiler.

enums! {
    /// Whether an operator is in the compiler's own set.
    aclopCompileType {
        ACL_COMPILE_SYS = 0,
        ACL_COMPILE_UNREGISTERED = 1,
    }

    /// Options of the compiler. Their values are texts.
    aclCompileOpt {
        ACL_PRECISION_MODE = 0,
        ACL_AICORE_NUM = 1,
        ACL_AUTO_TUNE_MODE = 2,
        ACL_OP_SELECT_IMPL_MODE = 3,
        ACL_OPTYPELIST_FOR_IMPLMODE = 4,
        ACL_OP_DEBUG_LEVEL = 5,
        ACL_DEBUG_DIR = 6,
        ACL_OP_COMPILER_CACHE_MODE = 7,
        ACL_OP_COMPILER_CACHE_DIR = 8,
        ACL_OP_PERFORMANCE_MODE = 9,
        ACL_OP_JIT_COMPILE = 10,
        ACL_OP_DETERMINISTIC = 11,
        ACL_CUSTOMIZE_DTYPES = 12,
        ACL_OP_PRECISION_MODE = 13,
        ACL_ALLOW_HF32 = 14,
        ACL_PRECISION_MODE_V2 = 15,
        ACL_OP_DEBUG_OPTION = 16,
    }

    /// Whether compiled operators serve one shape or many.
    aclOpCompileFlag {
        ACL_OP_COMPILE_DEFAULT = 0,
        ACL_OP_COMPILE_FUZZ = 1,
    }
}

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclGraphDumpOption
}
