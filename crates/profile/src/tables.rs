//! The tables, with the columns that readers of profiles look for.

use std::collections::BTreeMap;

use millpond_trace::{Position, TaskKind};

use crate::collect::{Mark, Profile, Task};
use crate::microseconds;
use crate::timeline::level;

/// What is not known.
const UNKNOWN: &str = "N/A";

/// A table: the beginning of its file's name, the names of its columns, and its rows.
pub type Table = (&'static str, &'static [&'static str], Vec<Vec<String>>);

/// All tables. Those about calls and operators are always there, the others only with rows.
pub fn tables(profile: &Profile) -> Vec<Table> {
    let mut tables = vec![
        ("op_summary", OPERATORS, operators(profile)),
        ("op_statistic", TYPES, types(profile)),
        ("task_time", TASKS, tasks(profile)),
        ("api_statistic", CALLS, calls(profile)),
        ("msprof_tx", MARKS, marks(profile)),
        ("npu_mem", MEMORY, memory(profile)),
    ];
    tables.retain(|(name, _, rows)| *name == "api_statistic" || !rows.is_empty());
    tables
}

const OPERATORS: &[&str] = &[
    "Device_id",
    "Model ID",
    "Task ID",
    "Stream ID",
    "Op Name",
    "OP Type",
    "OP State",
    "Task Type",
    "Task Start Time(us)",
    "Task Duration(us)",
    "Task Wait Time(us)",
];
const TYPES: &[&str] = &[
    "Device_id",
    "OP Type",
    "Core Type",
    "Count",
    "Total Time(us)",
    "Min Time(us)",
    "Avg Time(us)",
    "Max Time(us)",
    "Ratio(%)",
];
const TASKS: &[&str] = &[
    "Device_id",
    "kernel_name",
    "kernel_type",
    "stream_id",
    "task_id",
    "task_time(us)",
    "task_start(us)",
    "task_stop(us)",
];
const CALLS: &[&str] = &[
    "Device_id",
    "Level",
    "API Name",
    "Time(us)",
    "Count",
    "Avg(us)",
    "Min(us)",
    "Max(us)",
    "Variance",
];
const MARKS: &[&str] = &[
    "pid",
    "tid",
    "category",
    "event_type",
    "payload_type",
    "payload_value",
    "Start_time(us)",
    "End_time(us)",
    "message_type",
    "message",
    "domain",
    "Device Start_time(us)",
    "Device End_time(us)",
];
const MEMORY: &[&str] = &[
    "Device_id",
    "event",
    "ddr(KB)",
    "hbm(KB)",
    "memory(KB)",
    "timestamp(us)",
];

/// What ran a task. There are no cores of an NPU.
pub(crate) fn kernel_type(task: &Task) -> &'static str {
    match task.kind {
        TaskKind::Compute if task.is_communication() => "COMMUNICATION",
        TaskKind::Compute => "HOST_CPU",
        TaskKind::Copy => "MEMCPY_ASYNC",
        TaskKind::Fill => "MEMSET_ASYNC",
        TaskKind::RecordEvent => "EVENT_RECORD",
        TaskKind::WaitEvent => "EVENT_WAIT",
        TaskKind::ResetEvent => "EVENT_RESET",
        TaskKind::HostFunction => "HOST_FUNC",
        TaskKind::Report => "CALLBACK",
    }
}

/// The type of an operator: its function without the prefix, or its name.
fn type_of(task: &Task) -> &str {
    if task.model != 0 {
        return "Model";
    }
    task.name.strip_prefix("aclnn").unwrap_or(&task.name)
}

fn place(position: Option<Position>) -> (String, String) {
    match position {
        Some(position) => (position.stream.to_string(), position.task.to_string()),
        None => (UNKNOWN.to_owned(), UNKNOWN.to_owned()),
    }
}

fn profiled(profile: &Profile) -> impl Iterator<Item = &Task> {
    let tasks = profile.tasks.iter();
    tasks.filter(|task| profile.devices.contains(&task.device))
}

fn operators(profile: &Profile) -> Vec<Vec<String>> {
    let tasks = profiled(profile).filter(|task| task.is_operator());
    tasks
        .map(|task| {
            let (stream, number) = place(task.position);
            let model = match task.model {
                0 => UNKNOWN.to_owned(),
                model => model.to_string(),
            };
            vec![
                task.device.to_string(),
                model,
                number,
                stream,
                task.name.clone(),
                type_of(task).to_owned(),
                UNKNOWN.to_owned(),
                kernel_type(task).to_owned(),
                microseconds(task.began),
                microseconds(task.ended - task.began),
                microseconds(task.idle),
            ]
        })
        .collect()
}

/// How often something happened, and how long it took.
#[derive(Debug, Default, Clone)]
struct Statistic {
    count: u64,
    total: u64,
    least: u64,
    most: u64,
    /// Of squares of nanoseconds.
    squares: f64,
}

impl Statistic {
    #[expect(clippy::cast_precision_loss, reason = "only for the variance")]
    fn add(&mut self, nanoseconds: u64) {
        self.least = match self.count {
            0 => nanoseconds,
            _ => self.least.min(nanoseconds),
        };
        self.count += 1;
        self.total += nanoseconds;
        self.most = self.most.max(nanoseconds);
        self.squares += (nanoseconds as f64).powi(2);
    }

    fn average(&self) -> u64 {
        self.total / self.count.max(1)
    }

    /// In square microseconds.
    #[expect(clippy::cast_precision_loss, reason = "only for the variance")]
    fn variance(&self) -> f64 {
        let count = self.count.max(1) as f64;
        let mean = self.total as f64 / count;
        (self.squares / count - mean * mean).max(0.0) / 1e6
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio in percent")]
fn types(profile: &Profile) -> Vec<Vec<String>> {
    let mut found: BTreeMap<(u32, &str, &str), Statistic> = BTreeMap::new();
    let mut totals: BTreeMap<u32, u64> = BTreeMap::new();
    for task in profiled(profile).filter(|task| task.is_operator()) {
        let took = task.ended - task.began;
        let key = (task.device, type_of(task), kernel_type(task));
        found.entry(key).or_default().add(took);
        *totals.entry(task.device).or_default() += took;
    }
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.sort_by_key(|((device, ..), one)| (*device, std::cmp::Reverse(one.total)));
    let rows = rows.into_iter();
    rows.map(|((device, kind, core), one)| {
        let all = totals.get(&device).copied().unwrap_or(0).max(1);
        vec![
            device.to_string(),
            kind.to_owned(),
            core.to_owned(),
            one.count.to_string(),
            microseconds(one.total),
            microseconds(one.least),
            microseconds(one.average()),
            microseconds(one.most),
            format!("{:.3}", one.total as f64 * 100.0 / all as f64),
        ]
    })
    .collect()
}

fn tasks(profile: &Profile) -> Vec<Vec<String>> {
    let tasks = profiled(profile);
    tasks
        .map(|task| {
            let (stream, number) = place(task.position);
            vec![
                task.device.to_string(),
                task.name.clone(),
                kernel_type(task).to_owned(),
                stream,
                number,
                microseconds(task.ended - task.began),
                microseconds(task.began),
                microseconds(task.ended),
            ]
        })
        .collect()
}

fn calls(profile: &Profile) -> Vec<Vec<String>> {
    let mut found: BTreeMap<(&str, &str), Statistic> = BTreeMap::new();
    for call in &profile.calls {
        let key = (level(&call.name), call.name.as_str());
        let took = call.ended.saturating_sub(call.began);
        found.entry(key).or_default().add(took);
    }
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.sort_by_key(|(_, one)| std::cmp::Reverse(one.total));
    let rows = rows.into_iter();
    rows.map(|((level, name), one)| {
        vec![
            "host".to_owned(),
            level.to_owned(),
            name.to_owned(),
            microseconds(one.total),
            one.count.to_string(),
            microseconds(one.average()),
            microseconds(one.least),
            microseconds(one.most),
            format!("{:.3}", one.variance()),
        ]
    })
    .collect()
}

/// How a mark was made, as the table names it.
fn event_type(mark: &Mark) -> &'static str {
    match mark.call.as_str() {
        "aclprofPush" => "push/pop",
        _ if mark.ended.is_some() => "start/end",
        _ => "marker",
    }
}

fn marks(profile: &Profile) -> Vec<Vec<String>> {
    let marks = profile.marks.iter();
    marks
        .map(|mark| {
            let device = mark.on_stream.map_or_else(
                || (UNKNOWN.to_owned(), UNKNOWN.to_owned()),
                |(_, _, from, to)| (microseconds(from), microseconds(to)),
            );
            vec![
                profile.process.to_string(),
                mark.thread.to_string(),
                UNKNOWN.to_owned(),
                event_type(mark).to_owned(),
                UNKNOWN.to_owned(),
                UNKNOWN.to_owned(),
                microseconds(mark.began),
                microseconds(mark.ended.unwrap_or(mark.began)),
                UNKNOWN.to_owned(),
                mark.message.clone(),
                mark.domain.clone(),
                device.0,
                device.1,
            ]
        })
        .collect()
}

fn memory(profile: &Profile) -> Vec<Vec<String>> {
    let changes = profile.memory.iter();
    changes
        .map(|change| {
            vec![
                change.device.to_string(),
                "APP".to_owned(),
                UNKNOWN.to_owned(),
                UNKNOWN.to_owned(),
                (change.bytes / 1024).to_string(),
                microseconds(change.time),
            ]
        })
        .collect()
}
