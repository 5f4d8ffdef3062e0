//! Runs the C programs of `tests/c`: each is compiled against `include/`, linked with the
//! `libascendcl.so` that was built beside this test, and run in a process of its own.
//!
//! A program passes if it leaves with status 0 within its time limit. Programs that enqueue work
//! run once under every scheduling policy, because correct programs have to get the same results
//! under all of them.
//!
//! What can be changed from outside:
//!
//! | variable | effect |
//! | --- | --- |
//! | `CC`, `CXX` | the compilers (`cc`, `c++`) |
//! | `MILLPOND_TEST_CC`, `MILLPOND_TEST_CXX` | compilers, if not `CC` and `CXX` |
//! | `MILLPOND_TEST_CFLAGS` | more compiler flags, for example `-fsanitize=address` |
//! | `MILLPOND_TEST_WRAPPER` | a command that runs the program, for example `valgrind -q --error-exitcode=99` |
//! | `MILLPOND_TEST_LIB_DIR` | the folder that holds `libascendcl.so` |
//! | `MILLPOND_TEST_DEVICE` | `cuda`: the programs run on GPUs, except for those of [`HOST_ONLY`] |
//! | `MILLPOND_TEST_PAGE` | the bytes that the pages of the system seem to have |
//! | `MILLPOND_CUDA_DRIVER` | then the driver; `standin` for the stand-in, which needs no GPU |
//! | `MILLPOND_ONNXRUNTIME` | the engine; without it the repository's own environment |
//!
//! Programs find the models of `support/models.rs` in the folder that `TEST_MODELS` names. A program that
//! needs another file of `tests/c/parts` names it in its first lines, after `also:`. In a value of the
//! environment `@NAME.so` stands for a library that is made of `parts/NAME.c`.

#![expect(
    clippy::unwrap_used,
    reason = "a test harness stops at the first surprise"
)]

#[path = "support/findings.rs"]
mod findings;
#[path = "support/library.rs"]
mod library;
#[path = "support/models.rs"]
mod models;

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use library::{library_dir, repository};

/// After this a program counts as hanging. Nothing that works comes near it, however busy the machine is.
const LIMIT: Duration = Duration::from_mins(10);

/// What `LeakSanitizer` says when its own search stops at a thread that is just ending; the engine's
/// threads do. It says nothing about the program, so the program runs again; where the search never
/// ends well (some machines), the last run is without it, and says so.
const TOOL_FAILED: &str = "LeakSanitizer has encountered a fatal error";
const TOOL_RETRIES: u32 = 3;

/// Programs that end, or fork, while threads of theirs and ours run. `LeakSanitizer` cannot stop those, and takes for a leak
/// what they hold.
const END_AMID_THREADS: [&str; 4] = [
    "static_objects.cpp",
    "ways_to_end.cpp",
    "fork_after_looking.c",
    "fork_in_first_call.c",
];

/// Files of programs that are about the machine's own memory, or about a part of the runtime that GPUs do not have, and why.
const HOST_ONLY: &[(&str, &str)] = &[
    ("check_guards.c", "its memory has no guards"),
    (
        "fork_after_looking.c",
        "a child of a process that has asked the driver cannot use it",
    ),
    ("resident_memory.c", "its pages are not this machine's"),
    ("virtual_capacity.c", "it has the memory that it has"),
];

/// The scheduling policies under which a program runs, one process each.
type Policies = &'static [&'static str];
/// For programs that enqueue nothing, or whose subject is not order.
const DEFAULT: Policies = &[""];
const ALL: Policies = &["eager", "latest", "seed=1", "seed=7"];

/// What a program is linked with.
#[derive(Clone, Copy, PartialEq)]
enum Link {
    /// `-lascendcl`, found again at run time.
    Library,
    /// Nothing of ours: the program opens the library itself.
    Nothing,
}

struct Case {
    /// The name of the test.
    test: &'static str,
    /// The file below `tests/c`.
    file: &'static str,
    policies: Policies,
    link: Link,
    env: &'static [(&'static str, &'static str)],
}

/// One `#[test]` per line: name, file, policies, environment.
macro_rules! programs {
    ($($test:ident, $file:literal, $policies:ident, $link:ident, [$($key:literal = $value:literal),*];)*) => {
        const CASES: &[Case] = &[$(Case {
            test: stringify!($test),
            file: $file,
            policies: $policies,
            link: Link::$link,
            env: &[$(($key, $value)),*],
        }),*];
        $(
            #[test]
            fn $test() {
                check(CASES.iter().find(|case| case.test == stringify!($test)).unwrap());
            }
        )*
    };
}

programs! {
    // Life of the process.
    lifecycle, "lifecycle.c", DEFAULT, Library, [];
    config_file, "config_file.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "2"];
    without_init, "without_init.c", DEFAULT, Library, [];
    after_finalize, "after_finalize.c", ALL, Library, [];
    exit_with_work_pending, "exit_with_work_pending.c", ALL, Library, [];
    atexit_calls, "atexit_calls.c", ALL, Library, [];
    static_objects, "static_objects.cpp", ALL, Library, [];
    static_objects_leave_a_global, "static_objects.cpp", DEFAULT, Library, ["LEAVES" = "global"];
    static_objects_leave_a_thread, "static_objects.cpp", DEFAULT, Library, ["LEAVES" = "worker"];
    static_library, "static_library.c", ALL, Library, ["PLUGIN" = "@static_plugin.so"];
    static_library_preloaded, "static_library.c", DEFAULT, Library,
        ["PLUGIN" = "@static_plugin.so", "LD_PRELOAD" = "@static_plugin.so"];
    static_library_constructs, "static_library.c", DEFAULT, Library,
        ["PLUGIN" = "@static_plugin.so", "CONSTRUCTS" = "1"];
    static_library_constructs_first, "static_library.c", DEFAULT, Library,
        ["PLUGIN" = "@static_plugin.so", "LD_PRELOAD" = "@static_plugin.so", "CONSTRUCTS" = "1"];
    static_library_leaves, "static_library.c", DEFAULT, Library,
        ["PLUGIN" = "@static_plugin.so", "LEAVES" = "1"];
    ways_to_end, "ways_to_end.cpp", ALL, Library, [];
    fork_in_use, "fork.c", ALL, Library, [];
    fork_before_use, "fork_before_use.c", DEFAULT, Library, [];
    fork_in_first_call, "fork_in_first_call.c", DEFAULT, Library, [];
    fork_after_looking, "fork_after_looking.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    dlopen_program, "dlopen_program.c", DEFAULT, Nothing, [];
    preloaded_hook, "preloaded_hook.c", DEFAULT, Nothing, ["LD_PRELOAD" = "@next_hook.so"];
    cxx_program, "cxx_program.cpp", ALL, Library, [];
    versions_and_log, "versions_and_log.c", DEFAULT, Library, ["MILLPOND_PROFILE" = "ascend910b4"];
    errors, "errors.c", DEFAULT, Library, [];
    errors_environment, "errors_environment.c", DEFAULT, Library, [];
    refusals, "refusals.c", DEFAULT, Library, [];
    records, "records.c", DEFAULT, Library, [];
    stacks, "stacks.c", DEFAULT, Library, ["MILLPOND_CHECK" = "1", "MILLPOND_CHECK_STACKS" = "6"];
    faults, "faults.c", DEFAULT, Library,
        ["MILLPOND_FAULT" = "aclInit:nth=1; aclrtMalloc:nth=3:code=207001; aclrtFree:every=2; aclCreateDataBuffer:nth=1"];
    testing, "testing.c", ALL, Library, [];
    testing_environment, "testing_environment.c", ALL, Library, [];
    wrong_input, "wrong_input.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "1"];

    // Devices and contexts.
    device, "device.c", ALL, Library, [];
    hccl_threads, "hccl_threads.c", ALL, Library, ["MILLPOND_DEVICES" = "8"];
    hccl_groups, "hccl_groups.c", ALL, Library, ["MILLPOND_DEVICES" = "3"];
    hccl_graphs, "hccl_graphs.c", ALL, Library, ["MILLPOND_DEVICES" = "3"];
    hccl_matmul, "hccl_matmul.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    hccl_experts, "hccl_experts.c", ALL, Library, ["MILLPOND_DEVICES" = "4"];
    hccl_experts_processes, "hccl_experts.c", ALL, Library, ["MILLPOND_DEVICES" = "4", "PROCESSES" = "1"];
    hccl_errors, "hccl_errors.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    hccl_processes, "hccl_processes.c", ALL, Library, [];
    hccl_many_processes, "hccl_processes.c", DEFAULT, Library, ["RANKS" = "64"];
    hccl_killed, "hccl_processes.c", ALL, Library, ["KILLS" = "5"];
    several_devices, "several_devices.c", ALL, Library, ["MILLPOND_DEVICES" = "4", "MILLPOND_CAPACITY" = "1G"];
    visible_devices_limit, "visible_devices.c", DEFAULT, Library,
        ["MILLPOND_DEVICES" = "4", "ASCEND_RT_VISIBLE_DEVICES" = "1", "EXPECTED_COUNT" = "1"];
    visible_devices_remap, "visible_devices.c", DEFAULT, Library,
        ["MILLPOND_DEVICES" = "4", "ASCEND_RT_VISIBLE_DEVICES" = "0,3", "EXPECTED_COUNT" = "2"];
    visible_devices_none, "visible_devices.c", DEFAULT, Library,
        ["MILLPOND_DEVICES" = "4", "ASCEND_RT_VISIBLE_DEVICES" = "", "EXPECTED_COUNT" = "0"];
    visible_devices_blank, "visible_devices.c", DEFAULT, Library,
        ["MILLPOND_DEVICES" = "4", "ASCEND_RT_VISIBLE_DEVICES" = "0 ,1", "EXPECTED_COUNT" = "1"];
    visible_devices_descend, "visible_devices.c", DEFAULT, Library,
        ["MILLPOND_DEVICES" = "4", "ASCEND_RT_VISIBLE_DEVICES" = "3,0", "EXPECTED_COUNT" = "0"];
    visible_devices_change, "visible_devices_change.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "4"];
    device_numbers, "device_numbers.c", DEFAULT, Library,
        ["MILLPOND_DEVICES" = "4", "ASCEND_RT_VISIBLE_DEVICES" = "1,3"];
    stream_says_device, "stream_says_device.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    context, "context.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "2"];
    without_context, "without_context.c", DEFAULT, Library, [];

    // Memory.
    malloc_table, "malloc_table.c", DEFAULT, Library, [];
    malloc_cfg, "malloc_cfg.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "2"];
    malloc_host, "malloc_host.c", ALL, Library, [];
    free_errors, "free_errors.c", DEFAULT, Library, [];
    free_while_queued, "free_while_queued.c", ALL, Library, [];
    oom, "oom.c", DEFAULT, Library, ["MILLPOND_CAPACITY" = "64M"];
    virtual_capacity, "virtual_capacity.c", DEFAULT, Library, ["MILLPOND_CAPACITY" = "1T"];
    device_view_faults, "device_view_faults.c", DEFAULT, Library, [];
    unified_mode, "unified_mode.c", ALL, Library, ["MILLPOND_RUN_MODE" = "device"];
    resident_memory, "resident_memory.c", DEFAULT, Library, [];
    copies, "copies.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    copies_async, "copies_async.c", ALL, Library, [];

    // Stream-ordered pools.
    mem_pool, "mem_pool.c", ALL, Library, ["MILLPOND_CAPACITY" = "256M"];
    mem_pool_unified, "mem_pool.c", DEFAULT, Library,
        ["MILLPOND_CAPACITY" = "256M", "MILLPOND_RUN_MODE" = "device"];
    mem_pool_errors, "mem_pool_errors.c", DEFAULT, Library,
        ["MILLPOND_CAPACITY" = "64M", "MILLPOND_DEVICES" = "2"];
    record_use, "record_use.c", ALL, Library, [];
    statistics, "statistics.c", DEFAULT, Library, ["MILLPOND_CAPACITY" = "256M"];

    // Virtual memory.
    // A device that the machine can back: otherwise memory of the host is not free for it either.
    virtual_memory, "virtual_memory.c", ALL, Library, ["MILLPOND_CAPACITY" = "1G"];
    // The device has all of its GPU, so what is free is what the driver says and what the pool keeps.
    virtual_memory_whole, "virtual_memory.c", DEFAULT, Library,
        ["MILLPOND_CAPACITY" = "1G", "STANDIN_MEMORY" = "1073741824"];
    virtual_memory_unified, "virtual_memory.c", DEFAULT, Library,
        ["MILLPOND_CAPACITY" = "1G", "MILLPOND_RUN_MODE" = "device"];
    virtual_memory_queued, "virtual_memory_queued.c", ALL, Library, [];
    virtual_memory_errors, "virtual_memory_errors.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "2"];
    virtual_memory_sharing, "virtual_memory_sharing.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "2"];
    // Between processes.
    ipc_memory, "ipc_memory.c", ALL, Library, [];
    ipc_memory_killed, "ipc_memory.c", ALL, Library, ["SCENES" = "killed"];
    ipc_events, "ipc_events.c", ALL, Library, [];
    ipc_events_killed, "ipc_events.c", ALL, Library, ["SCENES" = "killed"];
    ipc_physical, "ipc_physical.c", DEFAULT, Library, [];
    ipc_physical_killed, "ipc_physical.c", DEFAULT, Library, ["SCENES" = "killed"];
    graph, "graph.c", ALL, Library, [];
    graph_decode, "graph_decode.c", ALL, Library, [];
    graph_kinds, "graph_kinds.c", ALL, Library, [];
    graph_rules, "graph_rules.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    notify, "notify.c", ALL, Library, [];
    notify_killed, "notify.c", ALL, Library, ["SCENES" = "killed"];
    host_register, "host_register.c", ALL, Library, [];
    peer_access, "peer_access.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "3"];
    values, "values.c", ALL, Library, [];
    copies_batch, "copies_batch.c", ALL, Library, [];
    channels, "channels.c", DEFAULT, Library, ["MILLPOND_DEVICES" = "2"];
    pictures, "pictures.c", ALL, Library, [];
    pictures_side_by_side, "pictures_side_by_side.c", ALL, Library, [];
    pictures_that_overlap, "pictures_side_by_side.c", DEFAULT, Library, ["OVERLAP" = "1"];
    profiling, "profiling.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    profiling_graphs, "profiling_graphs.c", ALL, Library, [];
    attributes, "attributes.c", DEFAULT, Library, ["MILLPOND_CAPACITY" = "256M"];
    exceptions, "exceptions.c", ALL, Library, [];
    managed, "managed.c", ALL, Library, ["MILLPOND_DEVICES" = "2", "MILLPOND_CAPACITY" = "1G"];
    overflow, "overflow.c", ALL, Library, [];
    cache, "cache.c", ALL, Library, [];
    reduce, "reduce.c", ALL, Library, ["MILLPOND_DEVICES" = "2"];
    virtual_memory_host, "virtual_memory_host.c", DEFAULT, Library, [];

    // Streams, events, callbacks.
    streams, "streams.c", ALL, Library, [];
    many_streams, "many_streams.c", ALL, Library, [];
    events, "events.c", ALL, Library, [];
    event_edges, "event_edges.c", ALL, Library, [];
    event_pool, "event_pool.c", ALL, Library, [];
    callbacks, "callbacks.c", ALL, Library, [];
    host_functions, "host_functions.c", ALL, Library, [];
    host_functions_meet, "host_functions_meet.c", ALL, Library, [];
    state_callbacks, "state_callbacks.c", DEFAULT, Library, [];
    threads, "threads.c", ALL, Library, [];
    lost_causes, "lost_causes.c", ALL, Library, ["MILLPOND_CAPACITY" = "64M"];
    no_threads, "no_threads.c", ALL, Library, [];

    // The checking mode.
    // Its children end by signals and by force, with a thread of ours that the leak search cannot stop.
    check_mode, "check_mode.c", DEFAULT, Library,
        ["ASAN_OPTIONS" = "detect_leaks=0:handle_segv=0:handle_sigbus=0:allocator_may_return_null=1"];
    check_api, "check_api.c", DEFAULT, Library, [];
    check_guards, "check_guards.c", DEFAULT, Library, [];
    // As check_mode.
    check_stall, "check_stall.c", DEFAULT, Library, ["ASAN_OPTIONS" = "detect_leaks=0"];
    check_source, "check_source.c", DEFAULT, Library, [];
    check_host_touch, "check_host_touch.c", DEFAULT, Library, [];
    check_workspace, "check_workspace.c", DEFAULT, Library, [];
    check_sleep, "check_sleep.c", DEFAULT, Library, [];
    check_end, "check_end.c", DEFAULT, Library, [];
    check_model_rows, "check_model_rows.c", DEFAULT, Library, [];
    check_model_memory, "check_model_memory.c", DEFAULT, Library, [];
    check_pinned, "check_pinned.c", DEFAULT, Library, ["LATER" = "@pinned_later.so"];
    check_pinned_edges, "check_pinned_edges.c", DEFAULT, Library, [];
    binding, "binding.c", DEFAULT, Library, [];

    // Objects.
    allocator, "allocator.c", DEFAULT, Library, [];
    data_buffer, "data_buffer.c", DEFAULT, Library, [];
    tensor_desc, "tensor_desc.c", DEFAULT, Library, [];
    fp16, "fp16.c", DEFAULT, Library, [];
    data_types, "data_types.c", DEFAULT, Library, [];
    bad_handles, "bad_handles.c", DEFAULT, Library, [];
    op_attr, "op_attr.c", DEFAULT, Library, [];
    dataset, "dataset.c", DEFAULT, Library, [];

    // Models.
    mdl_desc, "mdl_desc.c", DEFAULT, Library, [];
    mdl_bad_files, "mdl_bad_files.c", DEFAULT, Library, [];
    mdl_compile, "mdl_compile.c", DEFAULT, Library, [];
    classify, "classify.c", ALL, Library, [];
    mdl_static, "mdl_static.c", ALL, Library, [];
    mdl_dynamic, "mdl_dynamic.c", ALL, Library, [];
    mdl_gears, "mdl_gears.c", ALL, Library, [];
    mdl_threads, "mdl_threads.c", ALL, Library, [];
    mdl_output_unknown, "mdl_output_unknown.c", ALL, Library, [];
    special_files, "special_files.c", DEFAULT, Library, [];

    // Operators.
    aclnn_attention, "aclnn_attention.c", ALL, Library, [];
    aclnn_client, "aclnn_client.cpp", ALL, Library, [];
    aclnn_interface, "aclnn_interface.c", ALL, Library, [];
    kernel_threads_one, "kernel_threads.c", ALL, Library, ["MILLPOND_THREADS" = "1", "EXPECTED_HELPERS" = "0"];
    kernel_threads_three, "kernel_threads.c", ALL, Library, ["MILLPOND_THREADS" = "3", "EXPECTED_HELPERS" = "2"];
    op_execute, "op_execute.c", ALL, Library, [];
    op_checks, "op_checks.c", DEFAULT, Library, [];
    op_allocator, "op_allocator.c", ALL, Library, [];
    op_shapes, "op_shapes.c", ALL, Library, [];
    op_values, "op_values.c", ALL, Library, [];
    op_native, "op_native.c", ALL, Library, [];
    op_npu_folder, "op_npu_folder.c", DEFAULT, Library, [];
    blas, "blas.c", ALL, Library, [];
    no_engine, "no_engine.c", DEFAULT, Library, ["MILLPOND_ONNXRUNTIME" = "/there/is/none"];

    // MSTX: linked with the library.
    mstx_no_tool, "mstx_no_tool.c", DEFAULT, Library, [];
    mstx_no_tool_bogus_path, "mstx_no_tool.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "/there/is/none.so"];
    mstx_no_tool_refusal, "mstx_no_tool.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_refuses.so"];
    mstx_records, "mstx_records.c", ALL, Library, ["MILLPOND_RECORDS" = "mstx_records.txt"];
    mstx_garbage, "mstx_garbage.c", DEFAULT, Library, ["MILLPOND_RECORDS" = "mstx_garbage.txt"];
    mstx_dialects, "mstx_dialects.c", DEFAULT, Library,
        ["MILLPOND_RECORDS" = "mstx_dialects.txt", "TASK_QUEUE_ENABLE" = "0"];
    mstx_dialects_queued, "mstx_dialects.c", DEFAULT, Library,
        ["MILLPOND_RECORDS" = "mstx_dialects_queued.txt", "TASK_QUEUE_ENABLE" = "1"];
    mstx_tool_id_checked, "mstx_tool_id.c", DEFAULT, Library,
        ["MILLPOND_CHECK" = "1", "EXPECTED_ID" = "0x1002"];
    mstx_tool_id_injected, "mstx_tool_id.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so", "EXPECTED_ID" = "0x1111"];
    mstx_chain, "mstx_chain.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so:@mstx_tool_two.so", "TOOL_ONE" = "@mstx_tool_one.so",
         "TOOL_TWO" = "@mstx_tool_two.so", "MILLPOND_RECORDS" = "mstx_chain.txt"];
    mstx_chain_unheard, "mstx_chain.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "/there/is/none.so:@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so",
         "MILLPOND_MSTX_TOOLS" = "@mstx_tool_two.so", "TOOL_TWO" = "@mstx_tool_two.so"];
    mstx_one_tool, "mstx_one_tool.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_one_tool_recorded, "mstx_one_tool.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so",
         "MILLPOND_RECORDS" = "mstx_one_tool.txt"];
    mstx_linked_preload, "mstx_global_tool.c", DEFAULT, Library,
        ["LD_PRELOAD" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_linked_global, "mstx_global_tool.c", DEFAULT, Library,
        ["OPEN_GLOBALLY" = "1", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_linked_bogus_path_global, "mstx_global_tool.c", DEFAULT, Library,
        ["OPEN_GLOBALLY" = "1", "TOOL_ONE" = "@mstx_tool_one.so",
         "MSTX_INJECTION_PATH" = "/there/is/none.so"];
    mstx_reentry, "mstx_reentry.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_calls.so", "TOOL_ONE" = "@mstx_tool_calls.so"];
    mstx_threads, "mstx_threads.c", DEFAULT, Library,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so",
         "MILLPOND_RECORDS" = "mstx_threads.txt"];

    // MSTX: from the header.
    mstx_chained_by_tool, "mstx_chained_by_tool.c", DEFAULT, Library,
        ["LD_PRELOAD" = "@mstx_tool_hands_on.so", "TOOL_ONE" = "@mstx_tool_hands_on.so",
         "MILLPOND_RECORDS" = "mstx_chained_by_tool.txt"];
    mstx_header_no_tool, "mstx_header_only.c", DEFAULT, Nothing, [];
    mstx_header_path, "mstx_header_only.c", DEFAULT, Nothing,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_header_preload, "mstx_header_only.c", DEFAULT, Nothing,
        ["LD_PRELOAD" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_header_bogus_path_preload, "mstx_header_only.c", DEFAULT, Nothing,
        ["LD_PRELOAD" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so",
         "MSTX_INJECTION_PATH" = "/there/is/none.so"];
    mstx_header_global, "mstx_header_only.c", DEFAULT, Nothing,
        ["OPEN_GLOBALLY" = "1", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_header_refusal, "mstx_header_only.c", DEFAULT, Nothing,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_refuses.so"];
    mstx_header_reentry, "mstx_header_only.c", DEFAULT, Nothing,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_calls.so", "TOOL_ONE" = "@mstx_tool_calls.so"];
    mstx_header_attaches, "mstx_header_attaches.c", DEFAULT, Library,
        ["MILLPOND_RECORDS" = "mstx_header_attaches.txt", "PLUGIN" = "@mstx_plugin.so"];
    mstx_header_attaches_and_chains, "mstx_header_attaches.c", DEFAULT, Library,
        ["MILLPOND_RECORDS" = "mstx_header_chains.txt", "PLUGIN" = "@mstx_plugin.so",
         "MILLPOND_MSTX_TOOLS" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_header_local, "mstx_header_local.c", DEFAULT, Nothing,
        ["MILLPOND_RECORDS" = "mstx_header_local.txt"];
    mstx_cxx, "mstx_cxx.cpp", DEFAULT, Nothing,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so"];
    mstx_disabled, "mstx_disabled.c", DEFAULT, Nothing,
        ["MSTX_INJECTION_PATH" = "@mstx_tool_one.so", "TOOL_ONE" = "@mstx_tool_one.so"];
}

#[test]
fn every_program_has_a_case() {
    let listed: BTreeSet<&str> = CASES.iter().map(|case| case.file).collect();
    let present: BTreeSet<String> = fs::read_dir(sources())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| [".c", ".cpp"].iter().any(|ending| name.ends_with(ending)))
        // `machines.rs` runs it, on several of them.
        .filter(|name| name != "hccl_machines.c")
        .collect();
    assert_eq!(listed, present.iter().map(String::as_str).collect());
}

#[test]
fn the_program_of_the_page_about_mstx_runs_and_is_heard() {
    let page = fs::read_to_string(repository().join("docs/mstx.md")).unwrap();
    let program = page.split("```c\n").nth(1).unwrap();
    let program = program.split("```").next().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("mstx_page")
        .join(manner());
    fs::create_dir_all(&folder).unwrap();
    let source = folder.join("program.c");
    fs::write(&source, program).unwrap();
    let records = folder.join("records.txt");
    drop(fs::remove_file(&records));
    let case = Case {
        test: "mstx_page",
        file: source.to_str().unwrap().to_owned().leak(),
        policies: DEFAULT,
        link: Link::Library,
        env: vec![(
            "MILLPOND_RECORDS",
            &*records.to_str().unwrap().to_owned().leak(),
        )]
        .leak(),
    };
    if compile(&case).is_none() {
        return;
    }
    check(&case);
    let records = fs::read_to_string(records).unwrap_or_default();
    for line in ["region 1 unregistered", "heap 1 unregistered"] {
        assert!(records.contains(line), "{line} is not in:\n{records}");
    }
}

/// Compiles the program of a case and runs it once per policy.
fn check(case: &Case) {
    if preloads_in_vain(case) {
        say(&format!(
            "skip: {}: nothing else can be preloaded",
            case.test
        ));
        return;
    }
    if on_gpu()
        && let Some(why) = host_only(case)
    {
        say(&format!("skip on a GPU: {}: {why}", case.test));
        return;
    }
    let Some(program) = compile(case) else {
        return;
    };
    // Under valgrind the first policy has to do: it is some thirty times slower.
    let policies = if wrapped() {
        &case.policies[..1]
    } else {
        case.policies
    };
    for policy in policies {
        let title = if policy.is_empty() {
            case.test.to_owned()
        } else {
            format!("{} [MILLPOND_SCHEDULE={policy}]", case.test)
        };
        let mut run = run(case, &program, policy);
        for attempt in 1..=TOOL_RETRIES {
            if !run.output.contains(TOOL_FAILED) {
                break;
            }
            let last = attempt == TOOL_RETRIES;
            let how = if last {
                "without the leak search"
            } else {
                "once more"
            };
            say(&format!("{title}: {how}, because {TOOL_FAILED}"));
            run = if last {
                let mut options = env::var_os("ASAN_OPTIONS").unwrap_or_default();
                options.push(":detect_leaks=0");
                run_with(case, &program, policy, &[("ASAN_OPTIONS", &options)])
            } else {
                self::run(case, &program, policy)
            };
        }
        for line in run.output.lines().filter(|line| line.starts_with("skip:")) {
            say(&format!("{title}: {line}"));
        }
        match run.status {
            Some(status) if status.success() => {}
            Some(status) => panic!("{title}: {status}\n{}", run.output),
            None => panic!(
                "{title}: still running after {} s, so it was killed: a hang\n{}",
                LIMIT.as_secs(),
                run.output
            ),
        }
    }
    if !relaxed() {
        check_findings(case, &program);
    }
}

/// Runs the program once more, checked: what is found is what `tests/c/findings.tsv` says, and the
/// program does not notice.
fn check_findings(case: &Case, program: &Path) {
    let expected = match findings::expected(&sources(), case.test) {
        findings::Expected::Rules(rules) => rules,
        findings::Expected::Unchecked => return,
    };
    let file = program.with_extension("findings");
    if file.exists() {
        fs::remove_file(&file).unwrap();
    }
    let checked = [
        ("MILLPOND_CHECK", OsStr::new("1")),
        ("MILLPOND_CHECK_FINDINGS", file.as_os_str()),
    ];
    let run = run_with(case, program, case.policies[0], &checked);
    assert!(
        run.status.is_some_and(|status| status.success()),
        "{} [checked]: {:?}\n{}",
        case.test,
        run.status,
        run.output
    );
    let found = findings::found(&file);
    let (begun, ended) = findings::processes(&file);
    assert_eq!(
        begun, ended,
        "{} [checked]: processes that began, and those that came to their end\n{}",
        case.test, run.output
    );
    assert_eq!(
        found, expected,
        "{} [checked]: the rules that were found broken, and those of tests/c/findings.tsv\n{}",
        case.test, run.output
    );
}

/// Whether programs run on GPUs.
fn on_gpu() -> bool {
    env::var_os("MILLPOND_TEST_DEVICE").is_some_and(|device| device == "cuda")
}

/// Why a case does not run on a GPU.
fn host_only(case: &Case) -> Option<&'static str> {
    let unified = case.env.contains(&("MILLPOND_RUN_MODE", "device"));
    let known = HOST_ONLY.iter().find(|(file, _)| *file == case.file);
    let why = known.map(|(_, why)| *why);
    why.or(unified.then_some("the program cannot touch its memory"))
}

/// The variables that let a program run on GPUs.
fn choose_gpu(command: &mut Command) {
    let driver = env::var_os("MILLPOND_CUDA_DRIVER").unwrap_or_default();
    command.env("MILLPOND_DEVICE", "cuda");
    command.env("MILLPOND_CAPACITY", "8G");
    if driver == "standin" {
        command.env("MILLPOND_CUDA_DRIVER", millpond_cuda::testing::build());
        command.env("STANDIN_MEMORY", (32_u64 << 30).to_string());
    } else if !driver.is_empty() {
        command.env("MILLPOND_CUDA_DRIVER", driver);
    }
}

/// Whether a case loads a library before everything else, and a sanitizer insists on being first.
fn preloads_in_vain(case: &Case) -> bool {
    let preloads = case.env.iter().any(|(key, _)| *key == "LD_PRELOAD");
    preloads && (sanitized() || wrapped())
}

struct Run {
    /// `None`: the time limit ended it.
    status: Option<ExitStatus>,
    /// Standard output and standard error in the order of writing.
    output: String,
}

fn run(case: &Case, program: &Path, policy: &str) -> Run {
    run_with(case, program, policy, &[])
}

fn run_with(case: &Case, program: &Path, policy: &str, more: &[(&str, &OsStr)]) -> Run {
    let mut words = setting("MILLPOND_TEST_WRAPPER");
    words.push(program.into());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);

    // What the machine sets for its own purposes must not change what a program sees.
    for (key, _) in env::vars_os() {
        let name = key.to_string_lossy();
        let ours = ["MILLPOND_", "ASCEND_", "MSTX_"];
        if ours.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(&key);
        }
    }
    if let Some(page) = env::var_os("MILLPOND_TEST_PAGE") {
        command.env("MILLPOND_TEST_PAGE", page);
    }
    let engine = env::var_os("MILLPOND_ONNXRUNTIME");
    let engine = engine.unwrap_or_else(|| repository().join(".venv").into());
    command.env("MILLPOND_ONNXRUNTIME", engine);
    command.envs(more.iter().copied());
    command.env("TEST_MODELS", models::folder());
    if sanitized() && END_AMID_THREADS.contains(&case.file) {
        let mut options = env::var_os("ASAN_OPTIONS").unwrap_or_default();
        options.push(":detect_leaks=0");
        command.env("ASAN_OPTIONS", options);
    }
    if wrapped() {
        // valgrind tracks every address, and a device of the usual size reserves many.
        command.env("MILLPOND_CAPACITY", "4G");
    }
    if on_gpu() {
        choose_gpu(&mut command);
    }
    for (key, value) in case.env {
        command.env(key, with_libraries(value, program));
    }
    if !policy.is_empty() {
        command.env("MILLPOND_SCHEDULE", policy);
    }
    if relaxed() {
        command.env("MILLPOND_TEST_RELAXED", "1");
    }

    // A file, not a pipe: a grandchild that keeps a pipe open would keep us waiting.
    let log = program.with_extension("log");
    let sink = File::create(&log).unwrap();
    let mut child = command
        .current_dir(program.parent().unwrap())
        .stdin(Stdio::null())
        .stdout(sink.try_clone().unwrap())
        .stderr(sink)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", words[0].display()));

    let end = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if Instant::now() >= end {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let output = String::from_utf8_lossy(&fs::read(&log).unwrap()).into_owned();
    Run { status, output }
}

/// The compiler of the programs. One for another processor has a variable of its own, because Cargo compiles C with `CC`.
fn compiler(variable: &str, fallback: &str) -> OsString {
    env::var_os(format!("MILLPOND_TEST_{variable}"))
        .or_else(|| env::var_os(variable))
        .unwrap_or_else(|| fallback.into())
}

/// The executable, or nothing where there is no compiler.
fn compile(case: &Case) -> Option<PathBuf> {
    let cxx = Path::new(case.file).extension() == Some(OsStr::new("cpp"));
    let (variable, fallback, standard) = if cxx {
        ("CXX", "c++", "-std=c++17")
    } else {
        ("CC", "cc", "-std=c11")
    };
    let compiler = compiler(variable, fallback);
    let libraries = library_dir();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("c_programs")
        .join(manner());
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join(case.test);

    let mut command = Command::new(&compiler);
    command
        .args([standard, "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        // Deprecated functions are part of the interface, so the programs call them too.
        .arg("-Wno-deprecated-declarations")
        .arg("-I")
        .arg(repository().join("include"))
        .args(setting("MILLPOND_TEST_CFLAGS"))
        .arg(sources().join(case.file))
        .args(more_files(case.file))
        .arg("-o")
        .arg(&program);
    if case.link == Link::Library {
        command.arg("-L").arg(&libraries).arg("-lascendcl");
    }
    // The old kind of run path, because it also holds for a dlopen that a sanitizer passes on.
    let mut rpath = OsString::from("-Wl,--disable-new-dtags,-rpath,");
    rpath.push(&libraries);
    command.arg(rpath).args(["-lpthread", "-ldl", "-lm"]);

    match command.output() {
        Ok(output) => {
            assert!(
                output.status.success(),
                "{} does not compile:\n{}",
                case.file,
                String::from_utf8_lossy(&output.stderr)
            );
            Some(program)
        }
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && env::var_os(variable).is_none() =>
        {
            say(&format!(
                "skip: {}: there is no {fallback} to compile it",
                case.test
            ));
            None
        }
        Err(error) => panic!("{}: {error}", compiler.display()),
    }
}

/// The files that a program names after `also:`.
fn more_files(file: &str) -> Vec<PathBuf> {
    let text = fs::read_to_string(sources().join(file)).unwrap();
    let named = text.lines().take(5).filter_map(|line| {
        let (_, names) = line.split_once("also:")?;
        Some(names.trim_end_matches("*/").split_whitespace())
    });
    let named = named
        .flatten()
        .map(|name| sources().join("parts").join(name));
    named.collect()
}

/// A value of the environment, with each `@NAME.so` made and replaced by its path.
fn with_libraries(value: &str, program: &Path) -> String {
    let mut parts = value.split('@');
    let mut done = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(".so").expect("@ should begin NAME.so");
        done.push_str(&library_of(name, program));
        done.push_str(rest);
    }
    done
}

/// Makes a library of a file in `parts`. Each program has its own, because tests run at once.
fn library_of(name: &str, program: &Path) -> String {
    let library = program.with_extension(format!("{name}.so"));
    let compiler = compiler("CC", "cc");
    let output = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "-I"])
        .arg(repository().join("include"))
        .args(setting("MILLPOND_TEST_CFLAGS"))
        .arg(sources().join("parts").join(format!("{name}.c")))
        .arg("-o")
        .arg(&library)
        .arg("-ldl")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{name}.c does not compile:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    library.into_os_string().into_string().unwrap()
}

/// An environment variable that holds words.
fn setting(name: &str) -> Vec<OsString> {
    env::var(name)
        .unwrap_or_default()
        .split_whitespace()
        .map(OsString::from)
        .collect()
}

/// Is anything between us and the program that slows it down and takes memory of its own?
fn wrapped() -> bool {
    !setting("MILLPOND_TEST_WRAPPER").is_empty()
}

fn relaxed() -> bool {
    wrapped() || sanitized()
}

fn sanitized() -> bool {
    setting("MILLPOND_TEST_CFLAGS")
        .iter()
        .any(|flag| flag.to_string_lossy().starts_with("-fsanitize"))
}

/// How the programs run. Each manner has a folder of its own, so that several can run at the same time.
fn manner() -> &'static str {
    if wrapped() {
        "wrapped"
    } else if sanitized() {
        "sanitized"
    } else if on_gpu() {
        "gpu"
    } else if env::var_os("MILLPOND_TEST_PAGE").is_some() {
        "pages"
    } else {
        "plain"
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c")
}

/// Past the capture of the test runner, so that a skip is seen without `--nocapture`.
fn say(line: &str) {
    io::stderr()
        .write_all(format!("{line}\n").as_bytes())
        .unwrap();
}
