//! Brings the process back to an earlier state, for tests that run one after the other.
//!
//! What a program has left is found by kind: handles in their tables, models, blocks of memory. All of it is destroyed, in an order in which
//! nothing refers to what is gone. Settings that functions made are forgotten.
//!
//! Invariant: a reset that is refused has changed nothing.

use millpond_abi as abi;
use parking_lot::Mutex;

use crate::acl::mdl::{dataset, describe, models, options as model_options};
use crate::acl::op::{attributes, handle, options};
use crate::acl::{
    capture_mode, data_buffer, device, event, external_event, graph, init, ipc_event, module,
    notify, overflow, peer, resource_limit, stream_attribute, stream_config, system_option, tdt,
    tensor_desc, time_limit,
};
use crate::aclnn::{containers, executor, tensor};
use crate::boundary::CallError;
use crate::handles::{CONTEXTS, EVENTS, POOLS, STREAMS, pointer, withdraw};
use crate::hccl::communicators;
use crate::registry::{Kind, Registry};
use crate::{current, exceptions, hooks, message, physical, process};

/// How far a reset goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Testing,
    Devices,
    All,
}

/// One kind of thing that was left.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Left {
    kind: &'static str,
    count: u64,
    bytes: u64,
}

/// What the last reset found.
static FOUND: Mutex<Vec<Left>> = Mutex::new(Vec::new());

/// Resets, and returns how many things were left.
pub(crate) fn reset(level: Level) -> Result<u64, CallError> {
    if level > Level::Testing {
        allowed()?;
    }
    super::set_rules("").map_err(|problem| CallError::coded(abi::ACL_ERROR_FAILURE, problem))?;
    super::COUNTERS.clear();
    message::put_code(0);
    message::forget();
    if let Some(runtime) = process::known() {
        runtime.set_time(runtime.config().time);
    }
    let mut found = Vec::new();
    let mut result = Ok(());
    if level > Level::Testing {
        found = destroy_everything();
        result = reset_devices();
        forget_settings();
        if level == Level::All {
            init::forget();
        }
    }
    let count = found.iter().map(|left| left.count).sum();
    *FOUND.lock() = found;
    result.map(|()| count)
}

/// What the last reset found, as JSON.
pub(crate) fn report() -> String {
    let found = FOUND.lock();
    let kinds: serde_json::Map<String, serde_json::Value> = found
        .iter()
        .map(|left| {
            let numbers = serde_json::json!({"count": left.count, "bytes": left.bytes});
            (left.kind.to_owned(), numbers)
        })
        .collect();
    serde_json::Value::Object(kinds).to_string()
}

/// Whether the program's things may be taken away.
fn allowed() -> Result<(), CallError> {
    let refused = |why: &str| {
        Err(CallError::coded(
            abi::ACL_ERROR_FEATURE_UNSUPPORTED,
            format!("this process cannot be reset: {why}"),
        ))
    };
    if millpond::Stream::function_of_thread().is_some() {
        return refused("the call is made inside a function that a stream runs");
    }
    // Its allocator keeps blocks, its streams are made once, and both are used until the process ends.
    if is_loaded("libtorch_npu.so") {
        return refused(
            "torch_npu is loaded, and goes on using the memory and the streams that it keeps; reset faults, counts and time only \
             (MILLPOND_RESET_TESTING), or run each test in a process of its own",
        );
    }
    Ok(())
}

fn is_loaded(library: &str) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.contains(library)
}

/// Destroys what is left, and returns what that was.
fn destroy_everything() -> Vec<Left> {
    let mut found = Found::default();
    found.note("communicator", communicators::forget_all());
    found.note("graph", graph::forget_all());
    found.note("model", models::forget_all());
    found.note("stream", live_streams());
    // Those of aclrtSetDevice are no handles that a program destroys.
    let explicit = CONTEXTS.live().into_iter().filter(|handle| {
        let entry = CONTEXTS.get(*handle);
        entry.is_ok_and(|entry| !entry.primary)
    });
    found.note("context", explicit.count());
    found.memory();
    abort_streams();
    found.clear(&executor::EXECUTORS, Kind::Executor);
    found.clear(&tensor::TENSORS, Kind::Tensor);
    found.clear(&containers::TENSOR_LISTS, Kind::TensorList);
    found.clear(&containers::SCALAR_LISTS, Kind::ScalarList);
    found.clear(&containers::SCALARS, Kind::Scalar);
    found.clear(&containers::INTS, Kind::IntArray);
    found.clear(&containers::FLOATS, Kind::FloatArray);
    found.clear(&containers::BOOLS, Kind::BoolArray);
    found.clear(&handle::OPERATORS, Kind::Operator);
    found.clear(&attributes::ATTRIBUTES, Kind::OperatorAttributes);
    found.clear(&dataset::DATASETS, Kind::Dataset);
    found.clear(&describe::DESCRIPTIONS, Kind::ModelDescription);
    found.clear(&model_options::LOAD_OPTIONS, Kind::LoadOptions);
    found.clear(&model_options::RUN_OPTIONS, Kind::RunOptions);
    found.clear(&tensor_desc::TENSOR_DESCS, Kind::TensorDesc);
    found.clear(&data_buffer::DATA_BUFFERS, Kind::DataBuffer);
    found.clear(&tdt::CHANNELS, Kind::Channel);
    found.clear(&tdt::DATASETS, Kind::TensorSet);
    found.clear(&tdt::ITEMS, Kind::TensorItem);
    found.clear(&notify::NOTIFIES, Kind::Notify);
    found.clear(&notify::COUNTED, Kind::CountedNotify);
    found.clear(&ipc_event::SHARED_EVENTS, Kind::SharedEvent);
    found.clear(&external_event::EVENTS, Kind::ExternalEvent);
    found.clear(&EVENTS, Kind::Event);
    found.clear(&POOLS, Kind::MemoryPool);
    found.note("physical memory", physical::forget_all());
    found.0
}

/// Streams that the program created.
fn live_streams() -> usize {
    let live = STREAMS.live().into_iter();
    let created = live.filter(|handle| STREAMS.get(*handle).is_ok_and(|entry| !entry.is_default));
    created.count()
}

/// Drops queued work, so that nothing uses what is destroyed next.
fn abort_streams() {
    for handle in STREAMS.live() {
        if let Ok(entry) = STREAMS.get(handle) {
            entry.stream.abort();
        }
    }
}

#[derive(Debug, Default)]
struct Found(Vec<Left>);

impl Found {
    fn note(&mut self, kind: &'static str, count: usize) {
        self.note_bytes(kind, count as u64, 0);
    }

    fn note_bytes(&mut self, kind: &'static str, count: u64, bytes: u64) {
        if count > 0 {
            self.0.push(Left { kind, count, bytes });
        }
    }

    /// Destroys all handles of a kind.
    fn clear<T>(&mut self, registry: &'static Registry<T>, kind: Kind) {
        let live = registry.live();
        for handle in &live {
            drop(withdraw(registry, kind, pointer(*handle), "handle"));
        }
        self.note(kind.name(), live.len());
    }

    /// Notes memory of the devices, which their reset frees, and frees pinned memory.
    fn memory(&mut self) {
        let Some(runtime) = process::known() else {
            return;
        };
        let (mut blocks, mut bytes) = (0, 0);
        for index in used_devices() {
            if let Ok(device) = runtime.device(index) {
                let numbers = device.statistics();
                blocks += numbers.blocks;
                bytes += numbers
                    .streams
                    .iter()
                    .map(|stream| stream.bytes.current)
                    .sum::<u64>();
            }
        }
        self.note_bytes("device memory", blocks, bytes);
        let pinned = runtime.host_blocks();
        let mut bytes = 0;
        for address in &pinned {
            bytes += runtime.find_block(*address).map_or(0, |block| block.bytes);
            // Somebody else may have been faster.
            drop(runtime.free_host_at(*address));
        }
        self.note_bytes("pinned memory", pinned.len() as u64, bytes);
    }
}

/// Devices that have a context.
fn used_devices() -> Vec<i64> {
    let mut devices: Vec<i64> = CONTEXTS
        .live()
        .into_iter()
        .filter_map(|handle| {
            let entry = CONTEXTS.get(handle).ok()?;
            Some(i64::from(entry.context.device().index()))
        })
        .collect();
    devices.sort_unstable();
    devices.dedup();
    devices
}

/// Resets every device that is in use.
fn reset_devices() -> Result<(), CallError> {
    let bare = current::end_explicit_contexts();
    let mut first = Ok(());
    for index in current::active_devices() {
        first = first.and(device::reset(index, true));
    }
    for index in bare {
        first = first.and(device::release_memory(index));
    }
    current::set(None);
    first
}

/// Forgets what functions have set for the process.
fn forget_settings() {
    current::set_default_device(-1);
    capture_mode::forget();
    event::forget_limit();
    time_limit::forget();
    system_option::forget();
    resource_limit::forget_all();
    stream_attribute::forget_all();
    stream_config::forget_all();
    overflow::forget_all();
    module::forget_all();
    peer::forget();
    options::forget();
    hooks::forget_all();
    // It has been told of every failure, or never will be.
    drop(exceptions::set(None));
}
