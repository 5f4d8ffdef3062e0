//! From records to tables and a trace: everything that ran is there once, with its times, and what is missing is said.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use millpond_profile::{export, find};
use millpond_trace::file::{Header, Writer};
use millpond_trace::{
    Accesses, Operation, Outcome, Position, Record, Sink, Site, Space, TaskKind, Text,
};
use serde_json::Value;

/// When the profile began: by the raw clock and since 1970, in nanoseconds.
const RAW: u64 = 5_000_000_000;
const WALL: u64 = 1_700_000_000_000_000_000;

/// Writes the folder of a profile, record by record.
struct Script {
    folder: PathBuf,
    records: Vec<Record>,
    thread: u64,
    call: &'static str,
}

impl Script {
    fn new(name: &str) -> Self {
        let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export-{name}"));
        drop(fs::remove_dir_all(&parent));
        let folder = parent.join("PROF_000001_1_AB");
        fs::create_dir_all(folder.join("host/data")).unwrap();
        let info = format!(
            "{{\"collectionTimeBegin\": \"{}.{:03}\", \"clockMonotonicRaw\": \"{RAW}\"}}",
            WALL / 1000,
            WALL % 1000
        );
        fs::write(folder.join("host/start_info"), info).unwrap();
        let mut script = Self {
            folder,
            records: Vec::new(),
            thread: 1,
            call: "",
        };
        // The clock of records and the raw one agree, but for where they began.
        script.at(0, Operation::ClockSeen { raw: RAW, wall: 0 });
        script.at(
            0,
            Operation::ProfileBegan {
                switches: 3,
                devices: vec![0],
            },
        );
        script.at(
            0,
            Operation::ThreadSeen {
                thread: 1,
                system: 4242,
                name: "main".to_owned(),
            },
        );
        for (stream, device) in [(7, 0), (8, 1)] {
            let context = 1;
            let created = Operation::StreamCreated {
                stream,
                context,
                device,
            };
            script.at(0, created);
        }
        script
    }

    fn at(&mut self, nanoseconds: u64, operation: Operation) {
        self.records.push(Record {
            order: self.records.len() as u64 + 1,
            nanoseconds,
            thread: self.thread,
            site: Site {
                call: Text::Borrowed(self.call),
                ..Site::default()
            },
            operation,
        });
    }

    /// A task from `queued` to `ended`.
    fn task(&mut self, position: Position, accesses: Accesses, times: [u64; 3], outcome: Outcome) {
        let [queued, began, ended] = times;
        let enqueued = Operation::Enqueued {
            position,
            accesses,
            event: None,
            captured: None,
        };
        self.at(queued, enqueued);
        if began > 0 {
            self.at(began, Operation::TaskBegan { position });
        }
        self.at(ended, Operation::Completed { position, outcome });
    }

    fn write(&self) {
        let path = self.folder.join("host/data/records.millpond");
        let file = Writer::open(&path).unwrap();
        let header = Header {
            process: 99,
            ..Header::of_this_process()
        };
        let writer = Writer::new(file, &header).unwrap();
        for record in &self.records {
            writer.record(record);
        }
        writer.close();
        assert!(writer.problem().is_none());
    }

    fn table(&self, name: &str) -> Vec<HashMap<String, String>> {
        let path = self.output(name, "csv");
        let mut reader = csv::Reader::from_path(path).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }

    fn trace(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.output("msprof_", "json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn output(&self, begins: &str, ends: &str) -> PathBuf {
        let folder = self.folder.join("mindstudio_profiler_output");
        let found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let mut found = found.filter(|entry| {
            let name = entry.file_name().into_string().unwrap();
            name.starts_with(begins) && name.ends_with(ends)
        });
        found.next().expect("the file was written").path()
    }
}

fn operator(name: &'static str) -> Accesses {
    Accesses {
        name: Text::Borrowed(name),
        ..Accesses::none(TaskKind::Compute)
    }
}

fn on(stream: u64, task: u64) -> Position {
    Position { stream, task }
}

/// Microseconds since 1970 of a time of records.
fn time(nanoseconds: u64) -> String {
    let wall = WALL + nanoseconds;
    format!("{}.{:03}", wall / 1000, wall % 1000)
}

#[test]
fn what_ran_is_in_the_tables_once() {
    let mut script = Script::new("tables");
    script.call = "aclnnAdd";
    let done = Outcome::Done;
    script.task(
        on(7, 1),
        operator("aclnnAdd"),
        [100, 200, 1_300],
        done.clone(),
    );
    script.at(150, Operation::Returned { began: 90, code: 0 });
    script.task(
        on(7, 2),
        operator("aclnnAdd"),
        [1_350, 1_400, 1_600],
        done.clone(),
    );
    let copy = Accesses::none(TaskKind::Copy);
    // Without a beginning it began when its stream was free.
    script.task(on(7, 3), copy.clone(), [1_500, 0, 2_000], done.clone());
    // Another device was not asked for.
    script.task(on(8, 1), operator("aclnnMul"), [10, 20, 30], done.clone());
    // These did not run.
    script.task(
        on(7, 4),
        operator("aclnnSub"),
        [10, 0, 2_100],
        Outcome::Skipped,
    );
    script.task(
        on(7, 5),
        operator("aclnnSub"),
        [10, 0, 2_200],
        Outcome::Dropped,
    );
    let why = Outcome::Failed("no".to_owned());
    script.task(
        on(7, 6),
        operator("HcclAllReduce"),
        [2_000, 2_300, 2_500],
        why,
    );
    // An operator that the call ran itself, in the order of the stream.
    let inside = Operation::WorkBegan {
        device: Some(0),
        stream: Some(7),
    };
    script.at(3_000, inside);
    let place = Operation::Enqueued {
        position: on(7, 7),
        accesses: operator("MatMulV2"),
        event: None,
        captured: None,
    };
    script.at(3_400, place);
    let ended = Operation::Completed {
        position: on(7, 7),
        outcome: done.clone(),
    };
    script.at(3_410, ended);
    script.at(
        3_420,
        Operation::Returned {
            began: 2_990,
            code: 0,
        },
    );
    // A copy inside a call.
    let inside = Operation::WorkBegan {
        device: Some(0),
        stream: None,
    };
    script.at(4_000, inside);
    let moved = Operation::Moved {
        accesses: copy,
        outcome: done,
    };
    script.at(4_500, moved);
    script.write();
    let exported = export(&script.folder).unwrap();
    assert_eq!(exported.lost, Vec::<String>::new());
    assert_eq!(exported.profile.process, 99);

    let operators = script.table("op_summary");
    let row = |row: &HashMap<String, String>| {
        [
            "Op Name",
            "OP Type",
            "Task Type",
            "Task Start Time(us)",
            "Task Duration(us)",
            "Task Wait Time(us)",
        ]
        .map(|column| row[column].clone())
    };
    let rows: Vec<_> = operators.iter().map(row).collect();
    let expected = [
        ["aclnnAdd", "Add", "HOST_CPU", &time(200), "1.100", "0.000"],
        [
            "aclnnAdd",
            "Add",
            "HOST_CPU",
            &time(1_400),
            "0.200",
            "0.100",
        ],
        [
            "HcclAllReduce",
            "HcclAllReduce",
            "COMMUNICATION",
            &time(2_300),
            "0.200",
            "0.300",
        ],
        [
            "MatMulV2",
            "MatMulV2",
            "HOST_CPU",
            &time(3_000),
            "0.400",
            "0.500",
        ],
    ];
    assert_eq!(rows, expected);
    assert_eq!(script.table("task_time").len(), 6);
    let types = script.table("op_statistic");
    let add = types.iter().find(|row| row["OP Type"] == "Add").unwrap();
    let columns = [
        "Count",
        "Total Time(us)",
        "Min Time(us)",
        "Avg Time(us)",
        "Max Time(us)",
    ];
    assert_eq!(
        columns.map(|column| &add[column][..]),
        ["2", "1.300", "0.200", "0.650", "1.100"]
    );
    let calls = script.table("api_statistic");
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (&calls[0]["Count"][..], &calls[0]["Time(us)"][..]),
        ("2", "0.490")
    );
}

#[test]
fn arrows_lead_to_tasks_and_lanes_have_names() {
    let mut script = Script::new("trace");
    script.call = "aclnnAdd";
    script.task(
        on(7, 1),
        operator("aclnnAdd"),
        [100, 200, 1_000],
        Outcome::Done,
    );
    script.at(150, Operation::Returned { began: 90, code: 0 });
    script.task(
        on(7, 2),
        operator("aclnnMul"),
        [1_100, 3_000, 4_000],
        Outcome::Done,
    );
    script.write();
    export(&script.folder).unwrap();
    let trace = script.trace();
    let tasks: Vec<&Value> = trace
        .iter()
        .filter(|event| event["args"]["Task Type"] == "HOST_CPU")
        .collect();
    assert_eq!(tasks.len(), 2);
    for task in tasks {
        let end = |event: &&Value| {
            event["ph"] == "f"
                && ["pid", "tid", "ts"]
                    .iter()
                    .all(|key| event[key] == task[key])
        };
        let end = trace.iter().find(end).expect("an arrow ends here");
        let begins = |event: &&Value| event["ph"] == "s" && event["id"] == end["id"];
        assert_eq!(trace.iter().filter(begins).count(), 1);
    }
    let free = trace
        .iter()
        .find(|event| event["name"] == "Free" && event["ph"] == "X");
    let free = free.expect("nothing ran between the two");
    assert_eq!(
        (&free["ts"], &free["dur"]),
        (&Value::from(time(1_000)), &Value::from(2.0))
    );
    let labels = trace
        .iter()
        .filter(|event| event["name"] == "process_labels");
    assert!(
        labels
            .clone()
            .any(|event| event["args"]["labels"] == "NPU 0")
    );
    let call = trace
        .iter()
        .find(|event| event["name"] == "AscendCL@aclnnAdd")
        .unwrap();
    assert_eq!(
        (&call["tid"], &call["ts"]),
        (&Value::from(4242), &Value::from(time(90)))
    );
}

#[test]
fn marks_are_where_the_program_and_the_stream_were() {
    let mut script = Script::new("marks");
    let range = |range, stream| Operation::RangeStarted {
        range,
        domain: 3,
        message: format!("range {range}"),
        stream,
    };
    script.at(
        10,
        Operation::DomainCreated {
            domain: 3,
            name: "mine".to_owned(),
        },
    );
    script.at(100, range(1, Some(7)));
    let copy = Accesses::none(TaskKind::Copy);
    script.task(on(7, 1), copy, [200, 300, 5_000], Outcome::Done);
    script.at(400, Operation::RangeEnded { range: 1 });
    script.at(500, range(2, None));
    script.records.sort_by_key(|record| record.nanoseconds);
    script.write();
    let exported = export(&script.folder).unwrap();
    assert_eq!(exported.profile.open_ranges, 1);
    let marks = script.table("msprof_tx");
    assert_eq!(marks.len(), 1);
    let expected = [
        ("message", "range 1".to_owned()),
        ("domain", "mine".to_owned()),
        ("event_type", "start/end".to_owned()),
        ("Start_time(us)", time(100)),
        ("End_time(us)", time(400)),
        ("Device Start_time(us)", time(100)),
        ("Device End_time(us)", time(5_000)),
    ];
    for (column, value) in expected {
        assert_eq!(marks[0][column], value, "{column}");
    }
}

#[test]
fn memory_is_what_was_recorded() {
    let mut script = Script::new("memory");
    for (at, charged) in [(100, 4096), (200, 1 << 21), (300, 4096)] {
        let used = Operation::MemoryUsed {
            space: Space::Device(0),
            charged,
            capacity: 1 << 30,
        };
        script.at(at, used);
    }
    script.write();
    export(&script.folder).unwrap();
    let rows = script.table("npu_mem");
    let kilobytes: Vec<&str> = rows.iter().map(|row| &row["memory(KB)"][..]).collect();
    assert_eq!(kilobytes, ["4", "2048", "4"]);
    assert_eq!(rows[1]["timestamp(us)"], time(200));
}

#[test]
fn what_is_missing_is_said() {
    let mut script = Script::new("missing");
    let enqueued = Operation::Enqueued {
        position: on(7, 1),
        accesses: operator("aclnnAdd"),
        event: None,
        captured: None,
    };
    script.at(100, enqueued);
    script.write();
    let exported = export(&script.folder).unwrap();
    assert_eq!(exported.profile.unfinished, 1);
    assert!(
        exported.lost[0].contains("1 task had not ended"),
        "{:?}",
        exported.lost
    );
    // Found by the folder above, too.
    let parent = script.folder.parent().unwrap();
    assert_eq!(find(parent).unwrap(), [script.folder.clone()]);

    // A file that was cut off.
    let path = script.folder.join("host/data/records.millpond");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
    assert!(export(&script.folder).is_err_and(|failed| failed.to_string().contains("no records")));
    fs::write(&path, "text").unwrap();
    assert!(export(&script.folder).is_err());
    fs::remove_file(&path).unwrap();
    let nothing = find(parent).unwrap_err().to_string();
    assert!(nothing.contains("no profile"), "{nothing}");
}
