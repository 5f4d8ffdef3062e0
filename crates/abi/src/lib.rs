//! The Rust twin of Millpond's C headers: integers, `repr(C)` structs and function types. No code.
//!
//! One module per header, with the header's name and the C names inside; everything is also
//! reachable from the root, so that `abi::aclrtMallocFn` reads like C. Types and constants are
//! written by hand. The function types in [`functions`] are generated from the headers by
//! `cargo xtask generate`.
//!
//! C enumerations are integers here: C may combine their values with `|` or pass numbers that have
//! no name, and both have a meaning. Callbacks are `Option`s, so that a null pointer is a case.
//!
//! That the twin equals the headers is proved by the tests of `millpond-capi`, which ask a C
//! compiler for every value, size and offset in [`constants`] and [`layouts`].

#![no_std]
#![forbid(unsafe_code)]
#![allow(
    non_camel_case_types,
    non_upper_case_globals,
    non_snake_case,
    reason = "names are the C names"
)]
#![allow(
    clippy::unreadable_literal,
    reason = "codes are written as people quote them"
)]

#[macro_use]
mod twin;

pub mod acl_base_mdl;
pub mod acl_base_rt;
pub mod acl_mdl;
pub mod acl_op;
pub mod acl_op_compiler;
pub mod acl_prof;
pub mod acl_rt_allocator;
pub mod acl_rt_memory_soma;
pub mod acl_tdt;
pub mod binding;
pub mod check;
pub mod compile;
pub mod functions;
pub mod millpond;
pub mod mstx_init_defs;
pub mod mstx_types;
pub mod testing;

/// The headers under `aclnn/`. Those under `aclnnop/` declare only functions.
pub mod aclnn {
    pub mod acl_meta;
}

/// The headers under `driver/`.
pub mod driver {
    pub mod ascend_hal;
}

/// The headers under `hccl/`. `hccl.h` declares only functions.
pub mod hccl {
    pub mod hccl_types;
}

/// The headers under `acl/error_codes/`.
pub mod error_codes {
    pub mod ge_error_codes;
    pub mod rt_error_codes;
}

/// The headers under `acl/ops/`. `acl_dvpp.h` and two of its parts declare only functions.
pub mod ops {
    pub mod acl_cblas;

    /// The headers under `acl/ops/dvpp/`, the parts of `acl_dvpp.h`.
    pub mod dvpp {
        pub mod types;
        pub mod video;
    }
}

/// The headers under `acl/rt/`, the parts of `acl_rt.h`. `context.h` declares only functions.
pub mod rt {
    pub mod cache;
    pub mod callback;
    pub mod copy;
    pub mod device;
    pub mod device_info;
    pub mod event;
    pub mod graph;
    pub mod host_memory;
    pub mod init;
    pub mod ipc;
    pub mod kernel;
    pub mod memory;
    pub mod notify;
    pub mod reserved;
    pub mod resource_limit;
    pub mod stream;
    pub mod virtual_memory;
}

// skipped acl_tdt_queue.h, acl_dump.h, acl_platform.h, ops/acl_fv.h: out of
// scope. The functions of the first three are refused by name.

pub use acl_base_mdl::*;
pub use acl_base_rt::*;
pub use acl_mdl::*;
pub use acl_op::*;
pub use acl_op_compiler::*;
pub use acl_prof::*;
pub use acl_rt_allocator::*;
pub use acl_rt_memory_soma::*;
pub use acl_tdt::*;
pub use aclnn::acl_meta::*;
pub use binding::*;
pub use check::*;
pub use compile::*;
pub use driver::ascend_hal::*;
pub use error_codes::ge_error_codes::*;
pub use error_codes::rt_error_codes::*;
pub use functions::*;
pub use hccl::hccl_types::*;
pub use millpond::*;
pub use mstx_init_defs::*;
pub use mstx_types::*;
pub use ops::acl_cblas::*;
pub use ops::dvpp::types::*;
pub use ops::dvpp::video::*;
pub use rt::cache::*;
pub use rt::callback::*;
pub use rt::copy::*;
pub use rt::device::*;
pub use rt::device_info::*;
pub use rt::event::*;
pub use rt::graph::*;
pub use rt::host_memory::*;
pub use rt::init::*;
pub use rt::ipc::*;
pub use rt::kernel::*;
pub use rt::memory::*;
pub use rt::notify::*;
pub use rt::reserved::*;
pub use rt::resource_limit::*;
pub use rt::stream::*;
pub use rt::virtual_memory::*;
pub use testing::*;
pub use twin::Layout;

/// Every integer constant of the headers, with its value.
pub fn constants() -> impl Iterator<Item = (&'static str, i128)> {
    [
        acl_base_rt::ENUMS,
        acl_mdl::ENUMS,
        acl_op::ENUMS,
        acl_op_compiler::ENUMS,
        acl_prof::ENUMS,
        acl_rt_memory_soma::ENUMS,
        acl_tdt::ENUMS,
        check::ENUMS,
        testing::ENUMS,
        hccl::hccl_types::ENUMS,
        mstx_init_defs::ENUMS,
        mstx_types::ENUMS,
        ops::acl_cblas::ENUMS,
        ops::dvpp::types::ENUMS,
        rt::cache::ENUMS,
        rt::callback::ENUMS,
        rt::copy::ENUMS,
        rt::device::ENUMS,
        rt::device_info::ENUMS,
        rt::event::ENUMS,
        rt::host_memory::ENUMS,
        rt::init::ENUMS,
        rt::ipc::ENUMS,
        rt::kernel::ENUMS,
        rt::memory::ENUMS,
        rt::graph::ENUMS,
        rt::notify::ENUMS,
        rt::reserved::ENUMS,
        rt::resource_limit::ENUMS,
        rt::stream::ENUMS,
        rt::virtual_memory::ENUMS,
        acl_base_mdl::DEFINES,
        acl_base_rt::DEFINES,
        acl_mdl::DEFINES,
        acl_prof::DEFINES,
        aclnn::acl_meta::DEFINES,
        driver::ascend_hal::DEFINES,
        hccl::hccl_types::DEFINES,
        error_codes::ge_error_codes::DEFINES,
        error_codes::rt_error_codes::DEFINES,
        millpond::DEFINES,
        mstx_types::DEFINES,
        rt::copy::DEFINES,
        rt::device_info::DEFINES,
        rt::event::DEFINES,
        rt::host_memory::DEFINES,
        rt::init::DEFINES,
        rt::ipc::DEFINES,
        rt::graph::DEFINES,
        rt::notify::DEFINES,
        rt::reserved::DEFINES,
        rt::stream::DEFINES,
        rt::virtual_memory::DEFINES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Every struct and union of the headers whose fields C programs see.
pub fn layouts() -> impl Iterator<Item = Layout> {
    [
        acl_mdl::STRUCTS,
        acl_rt_memory_soma::STRUCTS,
        binding::STRUCTS,
        check::STRUCTS,
        compile::STRUCTS,
        hccl::hccl_types::STRUCTS,
        hccl::hccl_types::UNIONS,
        millpond::STRUCTS,
        mstx_types::STRUCTS,
        rt::copy::STRUCTS,
        rt::device_info::STRUCTS,
        rt::host_memory::STRUCTS,
        rt::init::STRUCTS,
        rt::ipc::STRUCTS,
        rt::kernel::STRUCTS,
        rt::memory::STRUCTS,
        rt::memory::UNIONS,
        rt::graph::STRUCTS,
        rt::notify::STRUCTS,
        rt::stream::STRUCTS,
        rt::stream::UNIONS,
        rt::virtual_memory::STRUCTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
