//! `acl/rt/graph.h`: graphs, captured from streams.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashMap;
use std::ffi::c_char;
use std::io::Write as _;

use millpond::{
    CaptureStatus, Condition, ConditionKind, Graph, GraphError, NodeDescription, Stream, TaskGroup,
};
use millpond_abi as abi;
use parking_lot::Mutex;

use super::capture_mode;
use super::device::timeout_of;
use crate::boundary::{CallError, bad_value, entry, out, text};
use crate::current;
use crate::handles::{self, mint, pointer, resolve, withdraw, word};
use crate::registry::{HandleGuard, Kind, Registry};

static GRAPHS: Registry<Entry> = Registry::new(Kind::Graph);
static GROUPS: Registry<TaskGroup> = Registry::new(Kind::TaskGroup);
static CONDITIONS: Registry<Condition> = Registry::new(Kind::Condition);

/// The handle of a graph, by its number. A graph has its handle from the beginning of its capture.
static HANDLES: Mutex<Option<HashMap<u64, u64>>> = Mutex::new(None);

/// What a handle names.
#[derive(Debug)]
struct Entry {
    graph: Graph,
    /// Handles that end with it.
    owned: Mutex<Owned>,
}

#[derive(Debug, Default)]
struct Owned {
    groups: Vec<u64>,
    conditions: Vec<u64>,
    branches: Vec<u64>,
}

fn find(modelRI: abi::aclmdlRI) -> Result<HandleGuard<'static, Entry>, CallError> {
    resolve(&GRAPHS, Kind::Graph, modelRI, "modelRI")
}

/// Mints the handle of a graph.
fn register(graph: &Graph) -> Result<u64, CallError> {
    let handle = mint(
        &GRAPHS,
        Kind::Graph,
        Entry {
            graph: graph.clone(),
            owned: Mutex::default(),
        },
    )?;
    let mut handles = HANDLES.lock();
    handles.get_or_insert_default().insert(graph.id(), handle);
    Ok(handle)
}

fn handle_of(graph: &Graph) -> u64 {
    let handles = HANDLES.lock();
    let handles = handles.as_ref();
    handles
        .and_then(|handles| handles.get(&graph.id()))
        .copied()
        .unwrap_or(0)
}

/// Destroys all graphs, and returns how many there were.
pub(crate) fn forget_all() -> usize {
    let live = GRAPHS.live();
    for handle in &live {
        drop(forget(*handle));
    }
    live.len()
}

/// Ends a graph's handle, and the handles that belong to it.
fn forget(handle: u64) -> Result<(), CallError> {
    let gone = withdraw(&GRAPHS, Kind::Graph, pointer(handle), "modelRI")?;
    if let Some(handles) = HANDLES.lock().as_mut() {
        handles.remove(&gone.graph.id());
    }
    let owned = std::mem::take(&mut *gone.owned.lock());
    for group in owned.groups {
        drop(withdraw(&GROUPS, Kind::TaskGroup, pointer(group), "handle"));
    }
    for condition in owned.conditions {
        drop(withdraw(
            &CONDITIONS,
            Kind::Condition,
            pointer(condition),
            "handle",
        ));
    }
    // The program may have destroyed them itself.
    for branch in owned.branches {
        drop(forget(branch));
    }
    Ok(())
}

fn known_mode(mode: abi::aclmdlRICaptureMode) -> Result<(), CallError> {
    let modes = abi::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL..=abi::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    if modes.contains(&mode) {
        return Ok(());
    }
    bad_value(
        "mode",
        mode,
        "it must be 0 (global), 1 (thread local) or 2 (relaxed)",
    )
}

/// The stream of a capture, which is not a default stream.
fn on_own_stream<T>(
    stream: abi::aclrtStream,
    act: impl FnOnce(&Stream) -> Result<T, CallError>,
) -> Result<T, CallError> {
    let is_default = stream.is_null() || handles::stream(stream, "stream")?.is_default;
    if is_default {
        return Err(millpond::Error::from(GraphError::DefaultStream).into());
    }
    current::on_stream(stream, "stream", act)
}

/// Begins to capture a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureBegin(
    stream: abi::aclrtStream,
    mode: abi::aclmdlRICaptureMode,
) -> abi::aclError {
    entry("aclmdlRICaptureBegin", || {
        known_mode(mode)?;
        on_own_stream(stream, |stream| {
            let graph = stream.begin_capture()?;
            capture_mode::begin(&graph, stream, mode);
            register(&graph).map(drop)
        })
    })
}
const _: abi::aclmdlRICaptureBeginFn = aclmdlRICaptureBegin;

/// Begins to capture a stream into a branch of a condition.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureToModelRIBegin(
    stream: abi::aclrtStream,
    modelRI: abi::aclmdlRI,
    mode: abi::aclmdlRICaptureMode,
) -> abi::aclError {
    entry("aclmdlRICaptureToModelRIBegin", || {
        known_mode(mode)?;
        let graph = find(modelRI)?;
        on_own_stream(stream, |stream| {
            stream.begin_capture_to(&graph.graph)?;
            capture_mode::begin(&graph.graph, stream, mode);
            Ok(())
        })
    })
}
const _: abi::aclmdlRICaptureToModelRIBeginFn = aclmdlRICaptureToModelRIBegin;

/// Whether a stream is being captured, and into which graph.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureGetInfo(
    stream: abi::aclrtStream,
    status: *mut abi::aclmdlRICaptureStatus,
    modelRI: *mut abi::aclmdlRI,
) -> abi::aclError {
    entry("aclmdlRICaptureGetInfo", || {
        let outs = (out!(status), out!(modelRI));
        // A default stream is never captured.
        let (is, graph) = if stream.is_null() {
            current::with(|_| Ok(()))?;
            (CaptureStatus::None, None)
        } else {
            handles::stream(stream, "stream")?.stream.capture_status()
        };
        outs.0.write(match is {
            CaptureStatus::None => abi::ACL_MODEL_RI_CAPTURE_STATUS_NONE,
            CaptureStatus::Active => abi::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
            CaptureStatus::Invalidated => abi::ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED,
        });
        outs.1.write(pointer(graph.as_ref().map_or(0, handle_of)));
        Ok(())
    })
}
const _: abi::aclmdlRICaptureGetInfoFn = aclmdlRICaptureGetInfo;

/// Ends a capture.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureEnd(
    stream: abi::aclrtStream,
    modelRI: *mut abi::aclmdlRI,
) -> abi::aclError {
    entry("aclmdlRICaptureEnd", || {
        let out = out!(modelRI);
        on_own_stream(stream, |stream| {
            let (_, graph) = stream.capture_status();
            capture_mode::check_thread(stream.id())?;
            let ended = stream.end_capture();
            let goes_on = matches!(
                ended,
                Err(millpond::Error::Graph(
                    GraphError::NotCaptured { .. }
                        | GraphError::OtherStream { .. }
                        | GraphError::BranchCaptured
                ))
            );
            let handle = graph.as_ref().map_or(0, handle_of);
            if !goes_on {
                capture_mode::end(stream.id());
                if ended.is_err() {
                    drop(forget(handle));
                }
            }
            ended?;
            out.write(pointer(handle));
            Ok(())
        })
    })
}
const _: abi::aclmdlRICaptureEndFn = aclmdlRICaptureEnd;

/// Exchanges the mode of the calling thread.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureThreadExchangeMode(
    mode: *mut abi::aclmdlRICaptureMode,
) -> abi::aclError {
    entry("aclmdlRICaptureThreadExchangeMode", || {
        let out = out!(mode);
        // SAFETY: not NULL; the header's contract for the rest.
        let wanted = unsafe { mode.read() };
        known_mode(wanted)?;
        out.write(capture_mode::exchange(wanted));
        Ok(())
    })
}
const _: abi::aclmdlRICaptureThreadExchangeModeFn = aclmdlRICaptureThreadExchangeMode;

/// Launches a graph.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRIExecuteAsync(
    modelRI: abi::aclmdlRI,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclmdlRIExecuteAsync", || {
        let graph = find(modelRI)?;
        current::on_stream(stream, "stream", |stream| Ok(graph.graph.launch(stream)?))
    })
}
const _: abi::aclmdlRIExecuteAsyncFn = aclmdlRIExecuteAsync;

/// Launches a graph on the default stream and waits for it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRIExecute(
    modelRI: abi::aclmdlRI,
    timeout: i32,
) -> abi::aclError {
    entry("aclmdlRIExecute", || {
        let graph = find(modelRI)?;
        let limit = timeout_of(timeout)?;
        current::on_stream(std::ptr::null_mut(), "stream", |stream| {
            graph.graph.launch(stream)?;
            Ok(stream.synchronize_within(limit)?)
        })
    })
}
const _: abi::aclmdlRIExecuteFn = aclmdlRIExecute;

/// Ends the use of a graph.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRIDestroy(modelRI: abi::aclmdlRI) -> abi::aclError {
    entry("aclmdlRIDestroy", || {
        if find(modelRI)?.graph.is_capturing() {
            return Err(millpond::Error::from(GraphError::NotReady).into());
        }
        forget(word(modelRI))
    })
}
const _: abi::aclmdlRIDestroyFn = aclmdlRIDestroy;

/// The number of a graph.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRIGetId(
    modelRI: abi::aclmdlRI,
    modelRIId: *mut u32,
) -> abi::aclError {
    entry("aclmdlRIGetId", || {
        let out = out!(modelRIId);
        let id = find(modelRI)?.graph.id();
        out.write(u32::try_from(id & u64::from(u32::MAX)).unwrap_or(u32::MAX));
        Ok(())
    })
}
const _: abi::aclmdlRIGetIdFn = aclmdlRIGetId;

/// Begins a task group.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureTaskGrpBegin(
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclmdlRICaptureTaskGrpBegin", || {
        on_own_stream(stream, |stream| Ok(stream.begin_group()?))
    })
}
const _: abi::aclmdlRICaptureTaskGrpBeginFn = aclmdlRICaptureTaskGrpBegin;

/// Ends a task group.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureTaskGrpEnd(
    stream: abi::aclrtStream,
    handle: *mut abi::aclrtTaskGrp,
) -> abi::aclError {
    entry("aclmdlRICaptureTaskGrpEnd", || {
        let out = out!(handle);
        on_own_stream(stream, |stream| {
            let group = stream.end_group()?;
            let minted = mint(&GROUPS, Kind::TaskGroup, group)?;
            if let (_, Some(graph)) = stream.capture_status()
                && let Ok(entry) = find(pointer(handle_of(&graph)))
            {
                entry.owned.lock().groups.push(minted);
            }
            out.write(pointer(minted));
            Ok(())
        })
    })
}
const _: abi::aclmdlRICaptureTaskGrpEndFn = aclmdlRICaptureTaskGrpEnd;

/// Begins to update a task group.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureTaskUpdateBegin(
    stream: abi::aclrtStream,
    handle: abi::aclrtTaskGrp,
) -> abi::aclError {
    entry("aclmdlRICaptureTaskUpdateBegin", || {
        let group = resolve(&GROUPS, Kind::TaskGroup, handle, "handle")?;
        current::on_stream(stream, "stream", |stream| Ok(stream.begin_update(&group)?))
    })
}
const _: abi::aclmdlRICaptureTaskUpdateBeginFn = aclmdlRICaptureTaskUpdateBegin;

/// Ends the update.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICaptureTaskUpdateEnd(
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclmdlRICaptureTaskUpdateEnd", || {
        current::on_stream(stream, "stream", |stream| Ok(stream.end_update()?))
    })
}
const _: abi::aclmdlRICaptureTaskUpdateEndFn = aclmdlRICaptureTaskUpdateEnd;

/// Makes a condition of a graph.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICondHandleCreate(
    modelRI: abi::aclmdlRI,
    defaultLaunchValue: u32,
    flag: u32,
    handle: *mut abi::aclmdlRICondHandle,
) -> abi::aclError {
    entry("aclmdlRICondHandleCreate", || {
        let out = out!(handle);
        if flag > abi::ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT {
            return bad_value("flag", flag, "it must be 0 or 1 (assign the initial value)");
        }
        let graph = find(modelRI)?;
        let initial = (flag != 0).then_some(defaultLaunchValue);
        let condition = current::with(|entry| {
            let device = entry.context.device();
            Ok(graph.graph.create_condition(device, initial)?)
        })?;
        let minted = mint(&CONDITIONS, Kind::Condition, condition)?;
        graph.owned.lock().conditions.push(minted);
        out.write(pointer(minted));
        Ok(())
    })
}
const _: abi::aclmdlRICondHandleCreateFn = aclmdlRICondHandleCreate;

/// Where the value of a condition is.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRICondHandleGetCondPtr(
    handle: abi::aclmdlRICondHandle,
    devPtr: *mut *mut u64,
) -> abi::aclError {
    entry("aclmdlRICondHandleGetCondPtr", || {
        let out = out!(devPtr);
        let condition = resolve(&CONDITIONS, Kind::Condition, handle, "handle")?;
        out.write(pointer(condition.address()).cast());
        Ok(())
    })
}
const _: abi::aclmdlRICondHandleGetCondPtrFn = aclmdlRICondHandleGetCondPtr;

/// Captures a task that runs one of several graphs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRIAddCondTask(
    params: abi::aclmdlRICondTaskParams,
    stream: abi::aclrtStream,
    flags: u32,
) -> abi::aclError {
    entry("aclmdlRIAddCondTask", || {
        const MOST: u32 = 1024;
        let condition = resolve(&CONDITIONS, Kind::Condition, params.handle, "params.handle")?;
        let (kind, most) = match params.r#type {
            abi::ACL_MODEL_RI_COND_TASK_TYPE_IF => (ConditionKind::If, 2),
            abi::ACL_MODEL_RI_COND_TASK_TYPE_WHILE => (ConditionKind::While, 1),
            abi::ACL_MODEL_RI_COND_TASK_TYPE_SWITCH => (ConditionKind::Switch, MOST),
            other => {
                return bad_value(
                    "params.type",
                    other,
                    "it must be 0 (if), 1 (while) or 2 (switch)",
                );
            }
        };
        if params.size == 0 || params.size > most {
            return bad_value(
                "params.size",
                params.size,
                "an if has 1 or 2 branches, a while 1, a switch 1 to 1,024",
            );
        }
        if params.modelRIArray.is_null() {
            return Err(CallError::null("params.modelRIArray"));
        }
        if flags != 0 {
            return bad_value("flags", flags, "it must be 0");
        }
        on_own_stream(stream, |stream| {
            let branches = stream.condition(&condition, kind, params.size as usize)?;
            let (_, parent) = stream.capture_status();
            let parent = parent.as_ref().map_or(0, handle_of);
            let parent = find(pointer(parent))?;
            for (index, branch) in branches.iter().enumerate() {
                let handle = register(branch)?;
                parent.owned.lock().branches.push(handle);
                // SAFETY: the header's contract: the array has `size` places.
                let place = unsafe { params.modelRIArray.add(index) };
                // SAFETY: as above.
                unsafe { place.write(pointer(handle)) };
            }
            Ok(())
        })
    })
}
const _: abi::aclmdlRIAddCondTaskFn = aclmdlRIAddCondTask;

/// The tasks of a graph as a Chrome trace: a row for each captured stream, in the order of capture. Times are places, not durations.
fn json(graph: &Graph) -> String {
    let nodes = graph.describe();
    let nodes = nodes.iter().enumerate();
    let tasks: Vec<String> = nodes
        .map(|(index, node)| task_json(graph.id(), index, node))
        .collect();
    format!("[\n{}\n]\n", tasks.join(",\n"))
}

fn task_json(graph: u64, index: usize, node: &NodeDescription) -> String {
    let (lane, kind) = (node.lane, node.kind);
    let name = match node.event {
        Some(event) if kind == "event wait" => format!("EVENT_WAIT_{event}"),
        Some(event) => format!("EVENT_RECORD_{event}"),
        None => node.name.to_owned(),
    };
    let memory: Vec<String> = node
        .touches
        .iter()
        .map(|touch| {
            let access = match (touch.reads, touch.writes) {
                (true, true) => "read and write",
                (_, true) => "write",
                _ => "read",
            };
            format!("\"{:#x}: {} bytes, {access}\"", touch.address, touch.bytes)
        })
        .collect();
    format!(
        "  {{\"name\": \"{name}\", \"ph\": \"X\", \"pid\": \"graph {graph}\", \"tid\": \"stream{lane}\", \"ts\": {index}, \"dur\": 0.8, \
         \"args\": {{\"Task Type\": \"{kind}\", \"Stream Id\": {lane}, \"Task Id\": {index}, \"Memory\": [{}]}}}}",
        memory.join(", ")
    )
}

/// Prints the tasks of a graph.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRIDebugPrint(modelRI: abi::aclmdlRI) -> abi::aclError {
    entry("aclmdlRIDebugPrint", || {
        let graph = find(modelRI)?;
        // A program that has closed its error output wants no text.
        drop(std::io::stderr().write_all(json(&graph.graph).as_bytes()));
        Ok(())
    })
}
const _: abi::aclmdlRIDebugPrintFn = aclmdlRIDebugPrint;

/// Writes the tasks of a graph to a file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlRIDebugJsonPrint(
    modelRI: abi::aclmdlRI,
    path: *const c_char,
    _flags: u32,
) -> abi::aclError {
    entry("aclmdlRIDebugJsonPrint", || {
        // SAFETY: the header's contract for this argument.
        let path = unsafe { text(path, "path") }?;
        let graph = find(modelRI)?;
        std::fs::write(&path, json(&graph.graph)).map_err(|error| {
            CallError::coded(
                abi::ACL_ERROR_INVALID_FILE,
                format!("{path} cannot be written: {error}"),
            )
        })
    })
}
const _: abi::aclmdlRIDebugJsonPrintFn = aclmdlRIDebugJsonPrint;
