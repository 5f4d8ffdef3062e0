//! Made-up jobs: what each rank of a program would record, without processes.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use millpond_check::ranks::{Job, JobStatistics, RankFinding, Roster};
use millpond_trace::{
    Accesses, Operation, Outcome, Position, RankMessage, Record, Site, TaskKind, Text,
};

/// What a rank does in its program.
#[derive(Debug, Clone)]
pub enum Act {
    Join {
        group: String,
        rank: u32,
        ranks: u32,
    },
    Call {
        group: String,
        rank: u32,
        stream: u64,
        call: Called,
    },
    Leave {
        group: String,
        rank: u32,
    },
    Event {
        task: TaskKind,
        event: u64,
        stream: u64,
    },
    /// The last call of a stream ends like this.
    Ends {
        stream: u64,
        outcome: Outcome,
    },
    Failed {
        group: String,
    },
    /// The next call belongs to the task of the one before.
    SameTask,
}

/// A call between ranks.
#[derive(Debug, Clone)]
pub struct Called {
    pub function: &'static str,
    pub count: u64,
    pub element: &'static str,
    pub reduction: &'static str,
    pub root: Option<u32>,
    pub parts: u64,
    pub messages: Vec<RankMessage>,
    pub line: u64,
}

impl Called {
    pub fn all_reduce(count: u64) -> Self {
        Self {
            function: "HcclAllReduce",
            count,
            element: "float32",
            reduction: "sum",
            root: None,
            parts: 0,
            messages: Vec::new(),
            line: 1,
        }
    }

    /// Messages: peer, whether it is sent, bytes.
    pub fn messages(function: &'static str, messages: &[(u32, bool, u64)]) -> Self {
        let message = |(peer, sends, bytes): &(u32, bool, u64)| RankMessage {
            peer: *peer,
            sends: *sends,
            bytes: *bytes,
            element: "float32".into(),
        };
        Self {
            function,
            reduction: "",
            messages: messages.iter().map(message).collect(),
            ..Self::all_reduce(0)
        }
    }

    /// Called at another line of the program.
    pub fn at(mut self, line: u64) -> Self {
        self.line = line;
        self
    }
}

/// The records of one file, made one by one.
pub struct Records<I> {
    acts: I,
    order: u64,
    tasks: std::collections::HashMap<u64, u64>,
}

impl<I: Iterator<Item = Act>> Records<I> {
    pub fn new(acts: I) -> Self {
        Self {
            acts,
            order: 0,
            tasks: std::collections::HashMap::new(),
        }
    }

    fn task(&mut self, stream: u64) -> Position {
        let task = self.tasks.entry(stream).or_insert(0);
        *task += 1;
        Position {
            stream,
            task: *task,
        }
    }
}

impl<I: Iterator<Item = Act>> Iterator for Records<I> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let mut act = self.acts.next()?;
        if let Act::SameTask = act {
            act = self.acts.next()?;
            if let Act::Call { stream, .. } = &act {
                *self.tasks.entry(*stream).or_insert(1) -= 1;
            }
        }
        self.order += 1;
        let mut site = Site::default();
        let operation = match act {
            Act::Join { group, rank, ranks } => Operation::RankJoined {
                name: group.clone(),
                communicator: group,
                rank,
                ranks,
            },
            Act::Leave { group, rank } => Operation::RankLeft {
                communicator: group,
                rank,
            },
            Act::Call {
                group,
                rank,
                stream,
                call,
            } => {
                site.call = Text::Borrowed(call.function);
                site.caller = call.line;
                Operation::RankCalled {
                    communicator: group,
                    rank,
                    position: self.task(stream),
                    function: Text::Borrowed(call.function),
                    count: call.count,
                    element: Text::Borrowed(call.element),
                    reduction: Text::Borrowed(call.reduction),
                    root: call.root,
                    parts: call.parts,
                    messages: call.messages,
                }
            }
            Act::Event {
                task,
                event,
                stream,
            } => Operation::Enqueued {
                position: self.task(stream),
                accesses: Accesses::none(task),
                event: Some(event),
                captured: None,
            },
            Act::Ends { stream, outcome } => Operation::Completed {
                position: Position {
                    stream,
                    task: self.tasks.get(&stream).copied().unwrap_or(0),
                },
                outcome,
            },
            Act::SameTask => return None,
            Act::Failed { group } => Operation::RanksFailed {
                problem: millpond_trace::RankProblem::Gone,
                communicator: group,
                rank: 0,
                ranks: 0,
                reason: String::new(),
                parts: Vec::new(),
                before: String::new(),
                place: 0,
            },
        };
        Some(Record {
            order: self.order,
            nanoseconds: self.order,
            thread: 1,
            site,
            operation,
        })
    }
}

/// Judges a job of so many files; `acts` makes the acts of a file, twice.
pub fn judge<I: Iterator<Item = Act>>(
    files: usize,
    is_closed: impl Fn(usize) -> bool,
    limit: Option<usize>,
    acts: impl Fn(usize) -> I,
) -> (Vec<RankFinding>, JobStatistics) {
    let mut roster = Roster::default();
    for file in 0..files {
        for record in Records::new(acts(file)) {
            roster.learn(file, &record);
        }
    }
    let mut job = Job::new(roster, files);
    if let Some(limit) = limit {
        job = job.with_limit(limit);
    }
    let mut records: Vec<_> = (0..files).map(|file| Records::new(acts(file))).collect();
    while let Some(file) = job.wants() {
        match records[file].next() {
            Some(record) => job.read(file, &record),
            None => job.over(file, is_closed(file)),
        }
    }
    job.end()
}

/// Training on many ranks: groups of eight that share a layer, groups across them that sum gradients, a ring, and one of all.
/// `change` may change a call of the world communicator: rank, step.
pub fn training(
    ranks: u32,
    steps: u64,
    rank: u32,
    change: impl Fn(u32, u64, &mut Called),
) -> impl Iterator<Item = Act> {
    let side = 8.min(ranks);
    let (tensor, tensor_rank) = (format!("tensor{}", rank / side), rank % side);
    let (data, data_rank) = (format!("data{}", rank % side), rank / side);
    let join = |group: &str, rank, ranks| Act::Join {
        group: group.to_owned(),
        rank,
        ranks,
    };
    let begin = vec![
        join("world", rank, ranks),
        join(&tensor, tensor_rank, side),
        join(&data, data_rank, ranks / side),
    ];
    let leave = |group: &str, rank| Act::Leave {
        group: group.to_owned(),
        rank,
    };
    let end = vec![
        leave(&data, data_rank),
        leave(&tensor, tensor_rank),
        leave("world", rank),
    ];
    let mut changed = Vec::new();
    for step in 0..steps {
        let mut call = Called::all_reduce(1);
        change(rank, step, &mut call);
        changed.push(call);
    }
    let steps = changed.into_iter().flat_map(move |last| {
        let on = |group: &str, rank, stream, call| Act::Call {
            group: group.to_owned(),
            rank,
            stream,
            call,
        };
        let ring = [
            ((rank + 1) % ranks, true, 512),
            ((rank + ranks - 1) % ranks, false, 512),
        ];
        vec![
            on(&tensor, tensor_rank, 3, Called::all_reduce(4096)),
            on(
                "world",
                rank,
                3,
                Called::messages("HcclBatchSendRecv", &ring),
            ),
            on(&tensor, tensor_rank, 3, Called::all_reduce(4096)),
            on(&data, data_rank, 4, Called::all_reduce(1 << 20)),
            on("world", rank, 3, last),
        ]
    });
    begin.into_iter().chain(steps).chain(end)
}
