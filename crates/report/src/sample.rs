//! Hand-written findings for the tests of every form.

use millpond_check::Severity;
use millpond_trace::Bytes;

use crate::lost::{Lost, LostKind};
use crate::ranks::{ResolvedCell, ResolvedColumn, ResolvedLane, ResolvedMatrix, ResolvedRanks};
use crate::report::{Report, Run};
use crate::resolved::{ResolvedBlock, ResolvedFinding, ResolvedFrame, ResolvedOperation};
use crate::suppress::Suppressions;

pub(crate) fn frame(function: &str, file: &str, line: u32) -> ResolvedFrame {
    ResolvedFrame {
        function: function.to_owned(),
        file: file.to_owned(),
        line,
        module: "/home/a/train".to_owned(),
        inlined: false,
    }
}

/// A race between two streams, with everything that a finding can have.
pub(crate) fn race() -> ResolvedFinding {
    let rule = &millpond_check::rules::stream::RACE;
    ResolvedFinding {
        rule: rule.id.to_owned(),
        severity: Severity::Error,
        title: rule.title.to_owned(),
        requirement: rule.requirement.to_owned(),
        source: rule.source.to_owned(),
        message: "stream 3 reads 512 bytes that stream 2 writes, and nothing orders them"
            .to_owned(),
        operations: vec![
            ResolvedOperation {
                what: "reads 512 bytes at 0x7f0000000200".to_owned(),
                record: 24,
                thread: 1,
                stream: Some(3),
                call: "aclrtMemcpyAsync".to_owned(),
                library: String::new(),
                stack: vec![
                    frame("consume", "/home/a/race.c", 42),
                    frame("main", "/home/a/race.c", 60),
                ],
            },
            ResolvedOperation {
                what: "writes 1,024 bytes at 0x7f0000000000".to_owned(),
                record: 21,
                thread: 1,
                stream: Some(2),
                call: "aclrtMemsetAsync".to_owned(),
                library: String::new(),
                stack: vec![
                    frame("produce(std::vector<int>&)", "/home/a/race.c", 39),
                    frame("main", "/home/a/race.c", 59),
                ],
            },
        ],
        bytes: Some(Bytes {
            start: 0x7f00_0000_0200,
            bytes: 512,
        }),
        block: Some(ResolvedBlock {
            name: "block 12".to_owned(),
            space: "device 0".to_owned(),
            range: Bytes {
                start: 0x7f00_0000_0000,
                bytes: 1024,
            },
            allocated: ResolvedOperation {
                what: "allocates 1,024 bytes".to_owned(),
                record: 9,
                thread: 1,
                stream: None,
                call: "aclrtMalloc".to_owned(),
                library: String::new(),
                stack: vec![
                    frame("Buffer::Buffer(unsigned long)", "/home/a/race.c", 12),
                    frame("main", "/home/a/race.c", 51),
                ],
            },
            freed: None,
        }),
        missing: Some(
            "stream 3 waits for no event that stream 2 records after the write".to_owned(),
        ),
        advice: Some("record an event on stream 2 and wait for it on stream 3".to_owned()),
        ranks: None,
        times: 3,
    }
}

/// A leak with text that tries to break whatever it is written into.
pub(crate) fn hostile() -> ResolvedFinding {
    let nasty = "</script>]]>\"'&<b>\u{1b}[31m\u{0}\u{202e}\u{fffe}{{`${x}`}} \u{2028}";
    ResolvedFinding {
        rule: "memory.leak".to_owned(),
        severity: Severity::Error,
        title: nasty.to_owned(),
        requirement: nasty.to_owned(),
        source: nasty.to_owned(),
        message: nasty.to_owned(),
        operations: vec![ResolvedOperation {
            what: nasty.to_owned(),
            record: 1,
            thread: 1,
            stream: None,
            call: nasty.to_owned(),
            library: String::new(),
            stack: vec![
                frame(nasty, nasty, u32::MAX),
                ResolvedFrame {
                    module: "/lib/libx.so+0x12".to_owned(),
                    ..ResolvedFrame::default()
                },
            ],
        }],
        bytes: Some(Bytes {
            start: u64::MAX,
            bytes: u64::MAX,
        }),
        block: None,
        missing: None,
        advice: None,
        ranks: None,
        times: 1,
    }
}

/// A hint without frames.
pub(crate) fn hint() -> ResolvedFinding {
    let rule = &millpond_check::rules::memory::NEVER_USED;
    ResolvedFinding {
        rule: rule.id.to_owned(),
        severity: Severity::Hint,
        title: rule.title.to_owned(),
        requirement: rule.requirement.to_owned(),
        source: rule.source.to_owned(),
        message: "block 4 was never touched".to_owned(),
        operations: Vec::new(),
        bytes: None,
        block: None,
        missing: None,
        advice: None,
        ranks: None,
        times: 1,
    }
}

/// A mismatch between ranks, with a picture.
pub(crate) fn ranks() -> ResolvedFinding {
    let rule = &millpond_check::rules::collective::MISMATCH;
    let cell = |what: &str, state: &str, operation| {
        Some(ResolvedCell {
            what: what.to_owned(),
            state: state.to_owned(),
            operation,
        })
    };
    let matched = || cell("HcclBroadcast(count 1)", "matched", None);
    let lane = |rank, last| ResolvedLane {
        rank,
        cells: vec![matched(), last],
    };
    let operation = |what: &str| ResolvedOperation {
        what: what.to_owned(),
        record: 7,
        call: "HcclAllReduce".to_owned(),
        stack: vec![frame("train", "/home/a/race.c", 42)],
        ..ResolvedOperation::default()
    };
    ResolvedFinding {
        rule: rule.id.to_owned(),
        severity: Severity::Error,
        title: rule.title.to_owned(),
        requirement: rule.requirement.to_owned(),
        source: rule.source.to_owned(),
        message: "the count of operation 3 of communicator world is 4 on rank 0 and 5 on rank 1"
            .to_owned(),
        operations: vec![
            operation("rank 0: HcclAllReduce(count 4)"),
            operation("rank 1: HcclAllReduce(count 5)"),
        ],
        ranks: Some(ResolvedRanks {
            communicator: "world <&>".to_owned(),
            ranks: 1011,
            columns: vec![
                ResolvedColumn {
                    place: 2,
                    what: "HcclBroadcast(count 1)".to_owned(),
                },
                ResolvedColumn {
                    place: 3,
                    what: String::new(),
                },
            ],
            lanes: vec![
                lane(0, cell("HcclAllReduce(count 4)", "differs", Some(0))),
                lane(1, cell("HcclAllReduce(count 5)", "differs", Some(1))),
                lane(2, cell("has ended", "missing", None)),
            ],
            more: 1008,
            like: Some(0),
            matrix: Some(ResolvedMatrix {
                ranks: vec![0, 1],
                sent: vec![vec![Some(10), Some(10)], vec![Some(7), None]],
                expected: vec![vec![Some(10), Some(20)], vec![Some(7), None]],
            }),
        }),
        ..hint()
    }
}

/// A report with all of these, and one more that is suppressed.
pub(crate) fn report() -> Report {
    let text = "[segment.*]\nreason = known\n[heap.*]\nreason = never seen";
    let mut report = Report::new(
        "./train --fast <input>",
        Suppressions::parse(text, "known.txt").expect("a suppression"),
    );
    report.rules = millpond_check::rules::all().collect();
    for finding in [race(), hostile(), hint()] {
        report.add(finding);
    }
    report.add(ResolvedFinding {
        rule: "segment.start".to_owned(),
        ..race()
    });
    report.runs.push(Run {
        schedule: "seed=1".to_owned(),
        findings: 2,
        exit: "exit status 0".to_owned(),
    });
    report.notes.push("the program was killed".to_owned());
    report.lost.push(Lost::new(
        LostKind::StillRunning,
        "process 7 (<b>sleep</b>\u{1b}) is still running",
    ));
    report.dropped_facts = 3;
    report
}

/// The keys of an object, sorted.
pub(crate) fn keys(value: &serde_json::Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}
