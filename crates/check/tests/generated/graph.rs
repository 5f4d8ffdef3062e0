//! What comes before what, the plain way: a graph of actions and tasks, and walks through it.
//!
//! This knows nothing of clocks. It is what the checker is measured against.

use std::rc::Rc;

use smallvec::SmallVec;

/// One thing that a program does.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Touches bytes, in a stream or by the host itself.
    Touch {
        stream: Option<usize>,
        reads: Vec<Part>,
        writes: Vec<Part>,
    },
    /// Records an event.
    Record { stream: usize, event: usize },
    /// Lets a stream wait for a recording, or for the next one of the event.
    Wait {
        stream: usize,
        event: usize,
        of: Option<usize>,
    },
    /// The host waits for a stream, by a call or by a query.
    Synchronize { stream: usize, query: bool },
    /// The host waits for a recording.
    SynchronizeEvent { event: usize, of: usize },
    /// The host waits for all streams.
    SynchronizeDevice,
    /// A function of the program in a stream.
    Function { stream: usize },
    /// That function has ended.
    FunctionDone { of: usize },
    /// A block comes to be, in the order of a stream or for everybody.
    Alloc {
        block: usize,
        ordered: Option<usize>,
    },
    /// A block goes.
    Free {
        block: usize,
        ordered: Option<usize>,
    },
    /// A stream says that it uses a block.
    RecordUse { block: usize, stream: usize },
}

/// Bytes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) block: usize,
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

impl Part {
    fn overlap(self, other: Self) -> Option<Self> {
        let start = self.start.max(other.start);
        let end = (self.start + self.bytes).min(other.start + other.bytes);
        (self.block == other.block && start < end).then(|| Self {
            block: self.block,
            start,
            bytes: end - start,
        })
    }
}

/// A step that touches bytes, and the node that does it.
#[derive(Debug, Clone)]
struct Touching {
    step: usize,
    node: usize,
    reads: Vec<Part>,
    writes: Vec<Part>,
    stream: Option<usize>,
}

impl Touching {
    /// Bytes that both touch, one of them writing.
    fn conflicts(&self, other: &Self) -> Vec<Part> {
        let mut found = Vec::new();
        for mine in &self.writes {
            for theirs in other.writes.iter().chain(&other.reads) {
                found.extend(mine.overlap(*theirs));
            }
        }
        for mine in &self.reads {
            for theirs in &other.writes {
                found.extend(mine.overlap(*theirs));
            }
        }
        found
    }
}

/// Two steps that nothing orders, and the bytes that this is about.
#[derive(Debug, Clone)]
pub(crate) struct Unordered {
    pub(crate) steps: [usize; 2],
    pub(crate) bytes: Vec<Part>,
}

#[derive(Debug, Clone, Copy)]
struct Allocated {
    step: usize,
    stream: usize,
    /// The last task before.
    last: Option<usize>,
    /// The allocation itself, in the order of the stream.
    node: usize,
}

impl Allocated {
    /// Whether it comes before some work, of which everything that comes before is given.
    fn is_before(&self, work: &Touching, before: &[bool]) -> bool {
        match work.stream {
            Some(_) => before[self.node],
            None => self.last.is_none_or(|last| before[last]),
        }
    }
}

/// A few things by numbers: cheap to copy, because every step is tried out on a copy.
#[derive(Debug, Clone)]
struct Few<T>(Vec<(usize, T)>);

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> Few<T> {
    fn get(&self, key: usize) -> Option<T> {
        let found = self.0.iter().rev().find(|(it, _)| *it == key);
        found.map(|(_, value)| *value)
    }

    fn insert(&mut self, key: usize, value: T) {
        self.remove(key);
        self.0.push((key, value));
    }

    fn remove(&mut self, key: usize) -> Option<T> {
        let index = self.0.iter().position(|(it, _)| *it == key)?;
        Some(self.0.swap_remove(index).1)
    }
}

/// Nodes are actions of the host and tasks of streams.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    /// Those that come directly before each node.
    before: Vec<SmallVec<[usize; 3]>>,
    host: Option<usize>,
    last: Few<usize>,
    /// Waits for recordings to come, by events.
    awaiting: Vec<(usize, usize)>,
    /// The task of each step that has one.
    tasks: Few<usize>,
    /// Tasks behind a function get an edge from its end: the function's step, and the first task.
    behind: Few<usize>,
    functions: Few<usize>,
    touching: Vec<Rc<Touching>>,
    /// Blocks that streams got.
    allocated: Few<Allocated>,
    /// Frees: the step, the block, and the node that all uses must come before.
    frees: Vec<(usize, usize, usize)>,
    /// Uses that were recorded: the block, and the last task of the stream.
    recorded: Vec<(usize, usize)>,
}

impl Graph {
    fn node(&mut self, before: impl IntoIterator<Item = usize>) -> usize {
        self.before.push(before.into_iter().collect());
        self.before.len() - 1
    }

    /// an action of the host comes after all its earlier actions.
    fn operation(&mut self, more: impl IntoIterator<Item = usize>) -> usize {
        let before: Vec<_> = self.host.into_iter().chain(more).collect();
        let action = self.node(before);
        self.host = Some(action);
        action
    }

    /// A task comes after the call that queued it, and after all of its stream before.
    fn task(&mut self, step: usize, stream: usize, more: Option<usize>) -> usize {
        let call = self.operation([]);
        let last = self.last.get(stream);
        let task = self.node([call].into_iter().chain(last).chain(more));
        self.last.insert(stream, task);
        self.tasks.insert(step, task);
        if let Some(function) = self.functions.remove(stream) {
            self.behind.insert(function, task);
        }
        task
    }

    pub(crate) fn add(&mut self, step: usize, what: &Step) {
        match what {
            Step::Touch {
                stream,
                reads,
                writes,
            } => {
                let node = match stream {
                    Some(stream) => self.task(step, *stream, None),
                    None => self.operation([]),
                };
                self.touching.push(Rc::new(Touching {
                    step,
                    node,
                    reads: reads.clone(),
                    writes: writes.clone(),
                    stream: *stream,
                }));
            }
            Step::Record { stream, event } => {
                let task = self.task(step, *stream, None);
                let before = &mut self.before;
                self.awaiting.retain(|(awaited, wait)| {
                    if awaited == event {
                        before[*wait].push(task);
                    }
                    awaited != event
                });
            }
            Step::Wait { stream, event, of } => {
                let recording = of.and_then(|of| self.tasks.get(of));
                let task = self.task(step, *stream, recording);
                if of.is_none() {
                    self.awaiting.push((*event, task));
                }
            }
            Step::Synchronize { stream, .. } => {
                let last = self.last.get(*stream);
                self.operation(last);
            }
            Step::SynchronizeEvent { of, .. } => {
                let recording = self.tasks.get(*of);
                self.operation(recording);
            }
            Step::SynchronizeDevice => {
                let all: Vec<_> = self.last.0.iter().map(|(_, last)| *last).collect();
                self.operation(all);
            }
            Step::Function { stream } => {
                self.task(step, *stream, None);
                self.functions.insert(*stream, step);
            }
            Step::FunctionDone { of } => {
                let function = self.tasks.get(*of);
                let action = self.operation(function);
                self.functions.0.retain(|(_, step)| step != of);
                if let Some(next) = self.behind.remove(*of) {
                    self.before[next].push(action);
                }
            }
            Step::Alloc { block, ordered } => {
                let action = self.operation([]);
                if let Some(stream) = ordered {
                    let last = self.last.get(*stream);
                    let node = self.node([action].into_iter().chain(last));
                    self.last.insert(*stream, node);
                    let allocated = Allocated {
                        step,
                        stream: *stream,
                        last,
                        node,
                    };
                    self.allocated.insert(*block, allocated);
                }
            }
            Step::Free { block, ordered } => {
                let action = self.operation([]);
                let node = match ordered {
                    Some(stream) => {
                        let last = self.last.get(*stream);
                        self.node([action].into_iter().chain(last))
                    }
                    None => action,
                };
                self.frees.push((step, *block, node));
            }
            Step::RecordUse { block, stream } => {
                self.operation([]);
                if let Some(last) = self.last.get(*stream) {
                    self.recorded.push((*block, last));
                }
            }
        }
    }

    /// All that comes before a node, itself included.
    fn ancestors(&self, node: usize) -> Vec<bool> {
        let mut seen = vec![false; self.before.len()];
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(self.before[node].iter().filter(|it| !seen[**it]));
            }
        }
        seen
    }

    /// What must be put before a free: the uses of the block that do not come before it.
    fn uses_after(&self, block: usize, node: usize) -> Vec<&Touching> {
        let before = self.ancestors(node);
        // Whoever says that it uses the block does so for all that it has waited for.
        let recorded = self.recorded.iter().filter(|(of, _)| *of == block);
        let recorded: Vec<_> = recorded.map(|(_, last)| self.ancestors(*last)).collect();
        let covers = |touching: &Touching| recorded.iter().any(|before| before[touching.node]);
        let uses = |touching: &Touching| {
            let mut parts = touching.reads.iter().chain(&touching.writes);
            parts.any(|part| part.block == block)
        };
        let touching = self.touching.iter().map(Rc::as_ref);
        touching
            .filter(|it| uses(it) && !before[it.node] && !covers(it))
            .collect()
    }

    /// The stream of some work that must be put in order with a step.
    pub(crate) fn missing(&self, step: usize) -> Option<usize> {
        if let Some((_, block, node)) = self.frees.iter().rfind(|free| free.0 == step) {
            let uses = self.uses_after(*block, *node);
            return uses.first().and_then(|it| it.stream);
        }
        let mine = self.touching.iter().rfind(|it| it.step == step)?;
        let before = self.ancestors(mine.node);
        let mut parts = mine.reads.iter().chain(&mine.writes);
        let early = parts.find_map(|part| {
            let allocated = self.allocated.get(part.block)?;
            (!allocated.is_before(mine, &before)).then_some(allocated.stream)
        });
        let unordered = || {
            let mut others = self.touching.iter().filter(|it| it.step != step);
            others.find_map(|it| {
                let conflicts = !before[it.node] && !mine.conflicts(it).is_empty();
                let unordered = conflicts && !self.ancestors(it.node)[mine.node];
                unordered.then_some(it.stream).flatten()
            })
        };
        early.or_else(unordered)
    }

    /// Everything that has no order and needs one.
    pub(crate) fn unordered(&self) -> Vec<Unordered> {
        let mut found = Vec::new();
        let ancestors: Vec<_> = self
            .touching
            .iter()
            .map(|it| self.ancestors(it.node))
            .collect();
        for (index, later) in self.touching.iter().enumerate() {
            for part in later.reads.iter().chain(&later.writes) {
                if let Some(allocated) = self.allocated.get(part.block)
                    && !allocated.is_before(later, &ancestors[index])
                {
                    found.push(Unordered {
                        steps: [later.step, allocated.step],
                        bytes: vec![*part],
                    });
                }
            }
            for (other, earlier) in self.touching[..index].iter().enumerate() {
                let bytes = later.conflicts(earlier);
                let ordered = || ancestors[index][earlier.node] || ancestors[other][later.node];
                if !bytes.is_empty() && !ordered() {
                    found.push(Unordered {
                        steps: [later.step, earlier.step],
                        bytes,
                    });
                }
            }
        }
        for (step, block, node) in &self.frees {
            for user in self.uses_after(*block, *node) {
                let parts = user.reads.iter().chain(&user.writes);
                found.push(Unordered {
                    steps: [*step, user.step],
                    bytes: parts.copied().filter(|it| it.block == *block).collect(),
                });
            }
        }
        found
    }
}
