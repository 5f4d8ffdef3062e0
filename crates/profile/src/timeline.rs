//! The trace, in the JSON form that Perfetto and Chrome open.
//!
//! Three groups of lanes for the calls, the streams and what the devices did; the program's own lanes, of a framework's profiler for
//! example, are in other files with the same times. An arrow leads from each launching call to its task.

use serde_json::{Value, json};

use crate::collect::{Profile, Task};
use crate::microseconds;
use crate::overlap::{Interval, Overlap};

/// Groups of lanes, in the order in which they are shown.
#[derive(Debug, Clone, Copy)]
enum Group {
    Calls = 1,
    Marks = 2,
    Streams = 3,
    Overlap = 4,
    Memory = 5,
}

/// The number of a group in the trace. That of the process is left to the program's own trace.
fn number(profile: &Profile, group: Group, device: u32) -> u64 {
    let device = u64::from(device.min(31));
    u64::from(profile.process) << 10 | (group as u64) << 5 | device
}

/// The events of the trace.
pub fn timeline(profile: &Profile) -> Vec<Value> {
    let mut events = Vec::new();
    calls(profile, &mut events);
    marks(profile, &mut events);
    for &device in &profile.devices {
        streams(profile, device, &mut events);
        overlap(profile, device, &mut events);
        memory(profile, device, &mut events);
    }
    events
}

fn named(events: &mut Vec<Value>, pid: u64, name: &str, label: &str, group: Group) {
    let about = [
        ("process_name", json!({ "name": name })),
        ("process_labels", json!({ "labels": label })),
        (
            "process_sort_index",
            json!({ "sort_index": 10 + group as u64 }),
        ),
    ];
    for (what, args) in about {
        events.push(json!({ "name": what, "pid": pid, "tid": 0, "ph": "M", "args": args }));
    }
}

fn lane(events: &mut Vec<Value>, pid: u64, tid: u64, name: &str) {
    for (what, args) in [
        ("thread_name", json!({ "name": name })),
        ("thread_sort_index", json!({ "sort_index": tid })),
    ] {
        events.push(json!({ "name": what, "pid": pid, "tid": tid, "ph": "M", "args": args }));
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations have far fewer digits than a number can hold"
)]
fn duration(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1000.0
}

fn slice(name: &str, pid: u64, tid: u64, (from, to): Interval, args: &Value) -> Value {
    json!({
        "name": name, "pid": pid, "tid": tid, "ph": "X",
        "ts": microseconds(from), "dur": duration(from, to), "args": args,
    })
}

/// The level of a function, as tables and traces name it.
pub(crate) fn level(function: &str) -> &'static str {
    if function.starts_with("Hccl") {
        "Hccl"
    } else {
        "AscendCL"
    }
}

fn calls(profile: &Profile, events: &mut Vec<Value>) {
    let pid = number(profile, Group::Calls, 0);
    named(events, pid, "CANN", "CPU", Group::Calls);
    for (thread, name) in &profile.threads {
        let calls = profile.calls.iter().any(|call| call.thread == *thread);
        // Threads of the runtime queue what branches of graphs do.
        let launches = || profile.tasks.iter().any(|task| task.thread == *thread);
        if calls || launches() {
            lane(
                events,
                pid,
                u64::from(*thread),
                &format!("Thread {thread} ({name})"),
            );
        }
    }
    for call in &profile.calls {
        let level = level(&call.name);
        let args = json!({ "level": level, "api": call.name, "returned": call.code });
        let name = format!("{level}@{}", call.name);
        let interval = (call.began, call.ended);
        events.push(slice(&name, pid, u64::from(call.thread), interval, &args));
    }
    for (index, task) in profile.tasks.iter().enumerate() {
        if task.position.is_some() && profile.devices.contains(&task.device) {
            let (to, tid) = (number(profile, Group::Streams, task.device), lane_of(task));
            for (ph, pid, tid, time) in [
                ("s", pid, u64::from(task.thread), task.queued),
                ("f", to, tid, task.began),
            ] {
                events.push(json!({
                    "name": "acl_to_npu", "cat": "HostToDevice", "id": (index + 1).to_string(), "ph": ph,
                    "bp": "e", "pid": pid, "tid": tid, "ts": microseconds(time),
                }));
            }
        }
    }
}

fn marks(profile: &Profile, events: &mut Vec<Value>) {
    if profile.marks.is_empty() {
        return;
    }
    let pid = number(profile, Group::Marks, 0);
    named(events, pid, "MSTX", "CPU", Group::Marks);
    for mark in &profile.marks {
        let args = json!({ "domain": mark.domain, "call": mark.call });
        let ended = mark.ended.unwrap_or(mark.began);
        let tid = u64::from(mark.thread);
        events.push(slice(&mark.message, pid, tid, (mark.began, ended), &args));
    }
}

/// The lane of a task among those of its device: its stream, or for work inside a call the thread.
fn lane_of(task: &Task) -> u64 {
    /// Above the numbers of streams.
    const INSIDE: u64 = 1 << 32;
    match task.position {
        Some(position) => position.stream,
        None => INSIDE + u64::from(task.thread),
    }
}

fn streams(profile: &Profile, device: u32, events: &mut Vec<Value>) {
    let pid = number(profile, Group::Streams, device);
    let label = format!("NPU {device}");
    named(events, pid, "Ascend Hardware", &label, Group::Streams);
    let tasks = || profile.tasks.iter().filter(|task| task.device == device);
    let mut lanes: Vec<(u64, String)> = tasks()
        .map(|task| match task.position {
            Some(position) => (lane_of(task), format!("Stream {}", position.stream)),
            None => (
                lane_of(task),
                format!("Inside calls of thread {}", task.thread),
            ),
        })
        .collect();
    lanes.sort();
    lanes.dedup();
    for (tid, name) in lanes {
        lane(events, pid, tid, &name);
    }
    for task in tasks() {
        let mut args = json!({
            "Task Type": crate::tables::kernel_type(task),
            "Launched by": task.call,
            "Bytes written": task.bytes,
        });
        if let Some(position) = task.position {
            args["Stream Id"] = json!(position.stream);
            args["Task Id"] = json!(position.task);
        }
        if task.model != 0 {
            args["Model Id"] = json!(task.model);
        }
        if let Some(failure) = &task.failure {
            args["Failed"] = json!(failure);
        }
        let interval = (task.began, task.ended);
        events.push(slice(&task.name, pid, lane_of(task), interval, &args));
    }
    for mark in &profile.marks {
        if let Some((on, stream, from, to)) = mark.on_stream
            && on == device
        {
            let args = json!({ "domain": mark.domain, "call": mark.call });
            events.push(slice(&mark.message, pid, stream, (from, to), &args));
        }
    }
}

fn overlap(profile: &Profile, device: u32, events: &mut Vec<Value>) {
    let found = Overlap::of(profile, device);
    let pid = number(profile, Group::Overlap, device);
    let label = format!("NPU {device}");
    named(events, pid, "Overlap Analysis", &label, Group::Overlap);
    let lanes = [
        ("Communication", &found.communication),
        ("Communication(Not Overlapped)", &found.alone),
        ("Computing", &found.computing),
        ("Free", &found.free),
    ];
    for (tid, (name, intervals)) in (0..).zip(lanes) {
        lane(events, pid, tid, name);
        for interval in intervals {
            events.push(slice(name, pid, tid, *interval, &json!({})));
        }
    }
}

fn memory(profile: &Profile, device: u32, events: &mut Vec<Value>) {
    let pid = number(profile, Group::Memory, device);
    let mut changes = profile.memory.iter().filter(|use_| use_.device == device);
    let Some(first) = changes.next() else {
        return;
    };
    let label = format!("NPU {device}");
    named(events, pid, "Memory", &label, Group::Memory);
    for change in std::iter::once(first).chain(changes) {
        events.push(json!({
            "name": "APP memory (KB)", "pid": pid, "tid": 0, "ph": "C",
            "ts": microseconds(change.time), "args": { "KB": change.bytes / 1024 },
        }));
    }
}
