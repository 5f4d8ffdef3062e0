//! Making operations tasks of their streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond::{EndedBy, Ending, GraphError, Stream, TaskFailure, Touch};
use millpond_abi as abi;
use millpond_collective::{Abandoned, Call, Caller, Request, Transfer};
use millpond_trace::Position;
use parking_lot::Mutex;

use super::communicators::Entry;
use super::status::{broken, unsupported};
use super::{groups, ranks};
use crate::boundary::{CallError, bad_value};
use crate::current;

/// An operation that the program has called, with everything that was checked.
pub(super) struct Operation {
    entry: Arc<Entry>,
    stream: Stream,
    caller: Caller,
    /// The memory of each of its buffers, at the place of the buffer's number.
    touches: Vec<Touch>,
    request: Request,
}

impl Operation {
    fn new(
        function: &'static str,
        entry: &Arc<Entry>,
        stream: &Stream,
        touches: &[Touch],
        request: Request,
    ) -> Result<Self, CallError> {
        let device = stream.device_index();
        if device != entry.device {
            ranks::on_other_device(function, entry, device);
            return Err(CallError::coded(
                abi::HCCL_E_PARA,
                format!(
                    "the stream belongs to device {device}, but the communicator was created on device {}: use a stream of that device",
                    entry.device
                ),
            ));
        }
        Ok(Self {
            entry: Arc::clone(entry),
            stream: stream.clone(),
            caller: ranks::caller(stream.id()),
            touches: touches.to_vec(),
            request,
        })
    }
}

/// Queues an operation, now or at the end of the thread's group. `touches` has a buffer's memory at the place of the buffer's number.
pub(super) fn launch(
    function: &'static str,
    entry: &Arc<Entry>,
    stream: abi::aclrtStream,
    touches: &[Touch],
    request: Request,
) -> Result<(), CallError> {
    current::on_stream(stream, "stream", |stream| {
        let operation = Operation::new(function, entry, stream, touches, request)?;
        match groups::add(operation) {
            Some(operation) => queue(function, vec![operation], Parts::Whole),
            None => Ok(()),
        }
    })
}

/// Queues an operation now, on a stream that was found.
pub(crate) fn launch_on(
    function: &'static str,
    entry: &Arc<Entry>,
    stream: &Stream,
    touches: &[Touch],
    request: Request,
) -> Result<(), CallError> {
    let operation = Operation::new(function, entry, stream, touches, request)?;
    queue(function, vec![operation], Parts::Whole)
}

/// How the messages of an operation wait for earlier ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// All of them together.
    Whole,
    /// Each only for those of the same pair and direction.
    Lines,
}

/// What one stream gets: a task that carries out all its parts side by side.
struct Task {
    stream: Stream,
    touches: Vec<Touch>,
    begins: Vec<Begin>,
}

/// What has a place in the order of its communicator.
struct Part {
    entry: Arc<Entry>,
    /// Which of the tasks.
    task: usize,
    /// For messages that are told apart by it: the other rank, and whether they go there.
    line: Option<(u32, bool)>,
    /// Which memory of the task is the request's buffer 0.
    first: usize,
    caller: Caller,
    request: Request,
}

/// A part with its place.
struct Begin {
    call: Call,
    request: Request,
    site: String,
    first: usize,
}

/// Queues operations as one unit: every stream gets one task, all parts of which advance side by side, and messages of one pair
/// and direction keep the order of the calls, also across streams.
pub(super) fn queue(
    function: &'static str,
    operations: Vec<Operation>,
    parts: Parts,
) -> Result<(), CallError> {
    if operations.iter().any(|one| one.stream.is_recording()) {
        return capture(function, operations, parts);
    }
    let (mut tasks, parts) = divide(operations, parts);
    // In one order everywhere, because two threads may queue for the same communicators.
    let mut entries: Vec<&Arc<Entry>> = parts.iter().map(|part| &part.entry).collect();
    entries.sort_unstable_by_key(|entry| Arc::as_ptr(entry));
    entries.dedup_by_key(|entry| Arc::as_ptr(entry));
    let entries: Vec<Arc<Entry>> = entries.into_iter().map(Arc::clone).collect();
    let _calling: Vec<_> = entries.iter().map(|entry| entry.calling.lock()).collect();
    let mut calls = Vec::with_capacity(parts.len());
    for part in &parts {
        match part
            .entry
            .communicator
            .call_from(&part.request, &part.caller)
        {
            Ok(call) => calls.push(call),
            Err(why) => {
                withdraw(calls);
                return Err(broken(why));
            }
        }
    }
    let mut records = Vec::with_capacity(calls.len());
    for (part, call) in parts.into_iter().zip(calls) {
        let record = ranks::call(function, &part.entry, &part.request);
        records.push((part.task, record));
        tasks[part.task].begins.push(Begin {
            call,
            request: part.request,
            site: part.caller.site,
            first: part.first,
        });
    }
    let mut positions = Vec::with_capacity(tasks.len());
    let mut tasks = tasks.into_iter();
    let mut result = Ok(());
    while let Some(task) = tasks.next() {
        match enqueue(function, task) {
            Ok(position) => positions.push(position),
            Err(error) => {
                let rest = tasks.flat_map(|task| task.begins);
                withdraw(rest.map(|begin| begin.call).collect());
                result = Err(error);
                break;
            }
        }
    }
    // In the order of the calls, which is not that of the tasks if a group uses several streams. Tasks before one that was refused are
    // queued.
    for (task, record) in records {
        if let Some(position) = positions.get(task) {
            ranks::called(record, *position);
        }
    }
    result
}

/// Makes operations part of the graph into which their stream is captured. Every launch has places of its own in the order of the
/// communicators.
fn capture(
    function: &'static str,
    operations: Vec<Operation>,
    parts: Parts,
) -> Result<(), CallError> {
    let stream = operations[0].stream.clone();
    if operations.iter().any(|one| one.stream.id() != stream.id()) {
        return Err(unsupported(
            "a group on several streams cannot be captured: use one stream for the group",
        ));
    }
    let captured: Vec<(Arc<Entry>, Vec<Touch>, Request)> = operations
        .into_iter()
        .map(|one| (one.entry, one.touches, one.request))
        .collect();
    let touches: Vec<Touch> = captured
        .iter()
        .flat_map(|(_, touches, _)| touches.iter().copied())
        .collect();
    let entries: Vec<Arc<Entry>> = captured
        .iter()
        .map(|(entry, ..)| Arc::clone(entry))
        .collect();
    let refuse = move |reason| GraphError::Repeated {
        what: function,
        reason,
    };
    let check = move |_: &Stream| {
        let mut refusals = entries.iter().filter_map(|it| it.communicator.refusal());
        refusals
            .next()
            .map_or(Ok(()), |reason| Err(refuse(reason).into()))
    };
    Ok(stream.call_using(function, &touches, check, move |stream| {
        let again = captured.iter().map(|(entry, touches, request)| {
            Operation::new(function, entry, stream, touches, request.clone())
        });
        let queued = again
            .collect::<Result<Vec<_>, _>>()
            .and_then(|operations| queue(function, operations, parts));
        queued.map_err(|error| refuse(error.to_string()).into())
    })?)
}

/// The tasks, and what they carry out, in the order of the calls.
fn divide(operations: Vec<Operation>, how: Parts) -> (Vec<Task>, Vec<Part>) {
    let mut tasks: Vec<Task> = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for operation in operations {
        let Operation {
            entry,
            stream,
            caller,
            touches,
            request,
        } = operation;
        let known = tasks.iter().position(|it| it.stream.id() == stream.id());
        let task = known.unwrap_or_else(|| {
            tasks.push(Task {
                stream,
                touches: Vec::new(),
                begins: Vec::new(),
            });
            tasks.len() - 1
        });
        let first = tasks[task].touches.len();
        tasks[task].touches.extend(touches);
        let part = |line, first, request| Part {
            entry: Arc::clone(&entry),
            task,
            line,
            first,
            caller: caller.clone(),
            request,
        };
        let transfers = match request {
            Request::Transfers(transfers) if how == Parts::Lines => transfers,
            request => {
                parts.push(part(None, first, request));
                continue;
            }
        };
        for transfer in transfers {
            let line = Some((transfer.peer, transfer.sends));
            let transfer = Transfer {
                buffer: first + transfer.buffer,
                ..transfer
            };
            let before = parts
                .iter_mut()
                .rfind(|it| it.line == line && Arc::ptr_eq(&it.entry, &entry));
            match before {
                // Nothing of the line is between the two.
                Some(Part {
                    task: other,
                    request: Request::Transfers(messages),
                    ..
                }) if *other == task => messages.push(transfer),
                _ => parts.push(part(line, 0, Request::Transfers(vec![transfer]))),
            }
        }
    }
    (tasks, parts)
}

/// Takes places back, the last one first.
fn withdraw(calls: Vec<Call>) {
    calls.into_iter().rev().for_each(Call::withdraw);
}

/// Returns which task of which stream it is.
fn enqueue(function: &'static str, task: Task) -> Result<Position, CallError> {
    let Task {
        stream,
        touches,
        begins,
    } = task;
    let begins = Arc::new(Mutex::new(begins));
    let taken = Arc::clone(&begins);
    let others = EndedBy::Others;
    let queued = stream.external(function, &touches, others, move |places, ending| {
        let begins = std::mem::take(&mut *taken.lock());
        let together = Together::new(ending, begins.len());
        if begins.len() > 1 {
            for begin in &begins {
                begin.call.reach();
            }
        }
        for begin in begins {
            let is_aborted = together.watch_aborts();
            let together = Arc::clone(&together);
            let ended = Box::new(move |result| together.end_one(result));
            let places = &places[begin.first..];
            begin
                .call
                .begin(begin.request, begin.site, places, is_aborted, ended);
        }
    });
    if queued.is_err() {
        let begins = std::mem::take(&mut *begins.lock());
        withdraw(begins.into_iter().map(|begin| begin.call).collect());
    }
    Ok(Position {
        stream: stream.id(),
        task: queued?,
    })
}

/// The end of a task with several parts: when all of them have ended, because each of them uses memory of the task. The first
/// failure is the task's.
struct Together {
    state: Mutex<(Option<Ending>, Result<(), String>)>,
    left: AtomicUsize,
}

impl Together {
    fn new(ending: Ending, parts: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new((Some(ending), Ok(()))),
            left: AtomicUsize::new(parts),
        })
    }

    fn watch_aborts(&self) -> Abandoned {
        let watch = self.state.lock().0.as_ref().map(Ending::watch_aborts);
        Box::new(move || watch.as_ref().is_some_and(|is_aborted| is_aborted()))
    }

    fn end_one(&self, result: Result<(), String>) {
        {
            let mut state = self.state.lock();
            let before = std::mem::replace(&mut state.1, Ok(()));
            state.1 = before.and(result);
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let (ending, result) = std::mem::replace(&mut *self.state.lock(), (None, Ok(())));
            if let Some(ending) = ending {
                ending.end(result.map_err(TaskFailure::Remote));
            }
        }
    }
}

/// Refuses operations of one group that write memory which another one of the same stream uses: they advance side by side.
/// Operations of all ranks on one communicator do not.
pub(super) fn check_side_by_side(operations: &[Operation]) -> Result<(), CallError> {
    struct Use<'a> {
        operation: usize,
        of: &'a Operation,
        touch: &'a Touch,
    }
    let are_ordered = |one: &Operation, other: &Operation| {
        one.stream.id() != other.stream.id()
            || (Arc::ptr_eq(&one.entry, &other.entry)
                && matches!(one.request, Request::Group(_))
                && matches!(other.request, Request::Group(_)))
    };
    let mut uses: Vec<Use<'_>> = Vec::new();
    for (operation, of) in operations.iter().enumerate() {
        let touches = of.touches.iter().filter(|touch| touch.bytes > 0);
        uses.extend(touches.map(|touch| Use {
            operation,
            of,
            touch,
        }));
    }
    uses.sort_unstable_by_key(|it| it.touch.address);
    for (index, one) in uses.iter().enumerate() {
        let end = one.touch.address.saturating_add(one.touch.bytes);
        let inside = uses[index + 1..]
            .iter()
            .take_while(|other| other.touch.address < end);
        for other in inside {
            if one.operation != other.operation
                && (one.touch.writes || other.touch.writes)
                && !are_ordered(one.of, other.of)
            {
                return bad_value(
                    "buf",
                    format!("{:#x}, {} bytes", other.touch.address, other.touch.bytes),
                    "an operation may not write memory that another operation of the group uses",
                );
            }
        }
    }
    Ok(())
}
