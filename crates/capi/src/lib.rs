//! `libascendcl.so`: the AscendCL symbols over the Millpond runtime.
//!
//! The only crate that knows the current context, the null stream and `aclError`, and that creates handles.
//! Every exported function does the same four things in the same order: check arguments, resolve
//! handles, call one function of the runtime, write results. It holds no lock of this crate while
//! user code runs, and no panic leaves it.
//!
//! - `boundary`: entry and exit of every function: panics, forks, null pointers, codes, messages.
//! - `status`: the code of each error. One table, no wildcard.
//! - `registry`, `handles`: handles and what they name. Slots are a crate of their own.
//! - `physical`: reference counts of handles of physical memory.
//! - `caller`: where the program called from, for records. `injection`: fault injection.
//! - `exceptions`: functions of the program that learn of failed tasks.
//! - `environment`: the variables that the process was started with.
//! - `process`, `current`: the process-wide runtime, and each thread's context. `thread_end`: frees what a thread has when it exits.
//! - `loading`: what happens when the library is loaded.
//! - `check`: the checking mode, if it was asked for. `own_file`: files that we write in a process which may close our descriptors.
//! - `acl`: the functions, one module per group of the headers. `acl::op` turns descriptions into requests
//!   for the table of operators, `acl::mdl` datasets into arguments of a model; the runtime runs them.
//! - `aclnn`: operators by function: containers, plans and runs. `millpond-functions` has what each computes.
//! - `hccl`: communicators and operations between ranks. `millpond-collective` exchanges the bytes.
//! - `profile`: profiles: the sink that writes them, and their folders.
//! - `mstx`: annotations for tools: marks, domains, heaps, regions, and the injected tools.
//! - `sharing`: what this process shares with others, and the thread that serves it.
//! - `refused`: the functions that are not supported, generated from `compatibility.tsv`.
//!
//! Unit tests are in a module `tests` at the end of a file, or in `NAME/tests.rs` where they are long. What a C program can see
//! is tested by the programs of `tests/c`.

mod boundary;
mod caller;
mod check;
mod current;
mod environment;
mod exceptions;
mod handles;
mod hooks;
mod loading;
mod message;
mod mstx;
mod own_file;
mod physical;
mod process;
mod profile;
mod registry;
mod sharing;
mod status;
mod testing;
mod thread_end;

mod acl {
    mod allocator;
    mod blas {
        mod calls;
        mod product;
    }
    mod binding;
    mod cache;
    mod callback;
    pub(crate) mod capture_mode;
    mod check;
    mod compile;
    mod context;
    mod copy;
    mod copy_batch;
    mod copy_indirect;
    pub(crate) mod data_buffer;
    mod data_type;
    pub(crate) mod device;
    mod device_info;
    mod device_number;
    mod dvpp {
        mod channel;
        mod jpeg;
        mod options;
        mod picture;
        mod process;
        mod task;
    }
    pub(crate) mod event;
    mod exception;
    pub(crate) mod external_event;
    mod float16;
    pub(crate) mod graph;
    mod hal;
    mod host_register;
    pub(crate) mod init;
    pub(crate) mod ipc_event;
    mod ipc_memory;
    mod log;
    mod managed;
    pub(crate) mod mdl {
        mod aipp;
        pub(crate) mod dataset;
        pub(crate) mod describe;
        pub(crate) mod description;
        mod execute;
        mod file;
        mod gears;
        mod load;
        pub(crate) mod models;
        pub(crate) mod options;
        mod run;
    }
    mod memory;
    mod memory_soma;
    mod millpond;
    pub(crate) mod module;
    pub(crate) mod notify;
    pub(crate) mod overflow;
    pub(crate) mod op {
        mod announced;
        pub(crate) mod attributes;
        pub(crate) mod compiled;
        mod execute;
        pub(crate) mod handle;
        mod infer;
        mod native;
        pub(crate) mod options;
        pub(crate) mod run;
        pub(crate) mod tensors;
        mod views;
    }
    pub(crate) mod peer;
    mod physical_memory;
    mod prof;
    pub(crate) mod resource_limit;
    mod shareable;
    mod stamp;
    mod stream;
    pub(crate) mod stream_attribute;
    pub(crate) mod stream_config;
    pub(crate) mod system_option;
    pub(crate) mod tdt;
    pub(crate) mod tensor_desc;
    mod testing;
    pub(crate) mod time_limit;
    mod value;
    mod version;
    mod virtual_memory;
}
mod aclnn {
    mod arguments;
    pub(crate) mod containers;
    mod exchange;
    pub(crate) mod executor;
    mod formats;
    mod functions;
    mod status;
    pub(crate) mod tensor;
}
mod hccl {
    mod arguments;
    mod collectives;
    pub(crate) mod communicators;
    mod groups;
    pub(crate) mod launch;
    mod messages;
    mod network;
    mod rank_table;
    mod ranks;
    mod registration;
    mod settings;
    mod status;
}
mod refused;
