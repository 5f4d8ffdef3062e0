//! `libascendcl.so`: the AscendCL symbols over the Millpond runtime.
//!
//! The only crate that knows the words *handle*, *current context*, *null stream* and `aclError`.
//! Every exported function does the same four things in the same order: check arguments, resolve
//! handles, call one function of the runtime, write results. It holds no lock of this crate while
//! user code runs, and no panic leaves it.
//!
//! - `boundary`: the way in and out: panics, forks, null pointers, codes, messages.
//! - `status`: which code stands for which error. One table, no wildcard.
//! - `slot`, `registry`, `handles`: what C holds, and how it is found again.
//! - `physical`: how often C holds the handle of a piece of physical memory.
//! - `caller`: where the program called from, for records. `faults`: calls that are made to fail.
//! - `environment`: the variables that the process was started with.
//! - `process`, `current`: the process-wide runtime, and each thread's context. `lasting`: the end of a thread.
//! - `loading`: what happens when the library is loaded.
//! - `check`: the checking mode, if the process was asked for it. `own_file`: files that we write beside the program.
//! - `acl`: the functions, one module per group of the headers. `acl::op` turns descriptions into requests
//!   for the table of operators, `acl::mdl` datasets into arguments of a model; how anything runs is the
//!   runtime's affair.
//! - `aclnn`: operators by function, for clients that have no other way to them: the same requests for the same table.
//! - `mstx`: what a program tells tools about its pools: marks, domains, heaps, regions, and the tools.
//! - `refused`: the functions that are not offered, generated from `compatibility.tsv`.

mod boundary;
mod caller;
mod check;
mod current;
mod environment;
mod faults;
mod handles;
mod hooks;
mod lasting;
mod loading;
mod message;
mod mstx;
mod own_file;
mod physical;
mod process;
mod registry;
mod slot;
mod status;
mod sync;

mod acl {
    mod allocator;
    mod blas {
        mod calls;
        mod product;
    }
    mod binding;
    mod callback;
    mod check;
    mod compile;
    mod context;
    mod copy;
    pub(crate) mod data_buffer;
    mod data_type;
    mod device;
    mod device_info;
    mod device_number;
    mod event;
    mod float16;
    mod init;
    mod log;
    pub(crate) mod mdl {
        mod dataset;
        mod describe;
        pub(crate) mod description;
        mod execute;
        mod file;
        mod gears;
        mod load;
        mod models;
        mod options;
        mod run;
    }
    mod memory;
    mod memory_soma;
    mod millpond;
    pub(crate) mod op {
        mod announced;
        mod attributes;
        pub(crate) mod compiled;
        mod execute;
        pub(crate) mod handle;
        mod infer;
        mod options;
        pub(crate) mod run;
        pub(crate) mod tensors;
        mod views;
    }
    mod peer;
    mod physical_memory;
    mod shareable;
    mod stream;
    mod system_option;
    mod tensor_desc;
    mod time_limit;
    mod version;
    mod virtual_memory;
}
mod aclnn {
    mod amp_update_scale;
    mod arrays;
    mod executor;
    mod flash_attention;
    mod tensor;
}
mod refused;
