//! Programs that are right, made at random: every edge that is needed is there.

use crate::graph::{Graph, Part, Step, Unordered};

/// Numbers that are the same on every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// One below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let wide = u128::from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)) * limit as u128;
        usize::try_from(wide >> 64).expect("is below a usize")
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

/// Bytes of every block.
pub(crate) const BLOCK: u64 = 4096;

/// Events that are recorded again and again.
const REUSED: usize = 4;

/// Streams are blocked at one of these at a time.
#[derive(Debug, Clone, Copy)]
enum Gate {
    /// A wait for a recording to come, and the stream that has to record it, if any has to.
    Event { event: usize, by: Option<usize> },
    /// The step of a function that has not ended.
    Function(usize),
}

/// A program while it is made.
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) streams: usize,
    graph: Graph,
    random: Random,
    live: Vec<(usize, Option<usize>)>,
    blocks: usize,
    events: usize,
    gate: Option<Gate>,
    stuck: Vec<bool>,
}

impl Program {
    /// Makes one.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let streams = 3 + random.below(4);
        let mut program = Self {
            steps: Vec::new(),
            streams,
            graph: Graph::default(),
            random,
            live: Vec::new(),
            blocks: 0,
            events: REUSED,
            gate: None,
            stuck: vec![false; streams],
        };
        program.allocate(None);
        program.allocate(None);
        for _ in 0..20 + program.random.below(40) {
            program.something();
        }
        program.open_gate();
        while let Some(&(block, ordered)) = program.live.last() {
            program.free(block, ordered);
        }
        program
    }

    fn push(&mut self, step: Step) -> usize {
        let number = self.steps.len();
        self.graph.add(number, &step);
        self.steps.push(step);
        number
    }

    fn something(&mut self) {
        match self.random.below(30) {
            0 => {
                let stream = self.random.below(self.streams);
                let ordered = (self.random.one_in(2) && !self.stuck[stream]).then_some(stream);
                self.allocate(ordered);
            }
            1 if self.live.len() > 1 => {
                let index = self.random.below(self.live.len());
                let (block, ordered) = self.live[index];
                self.free(block, ordered);
            }
            2 => self.close_gate(),
            3 if self.random.one_in(2) => self.open_gate(),
            _ => self.touch(),
        }
    }

    fn allocate(&mut self, ordered: Option<usize>) {
        let block = self.blocks;
        self.blocks += 1;
        self.live.push((block, ordered));
        self.push(Step::Alloc { block, ordered });
    }

    /// Blocks a stream for a while.
    fn close_gate(&mut self) {
        if self.gate.is_some() {
            return;
        }
        let stream = self.random.below(self.streams);
        self.stuck[stream] = true;
        self.gate = Some(if self.random.one_in(2) {
            Gate::Function(self.push(Step::Function { stream }))
        } else {
            let event = self.events;
            self.events += 1;
            let of = None;
            self.push(Step::Wait { stream, event, of });
            Gate::Event { event, by: None }
        });
    }

    /// Lets it go on.
    fn open_gate(&mut self) {
        match self.gate.take() {
            None => return,
            Some(Gate::Function(of)) => self.push(Step::FunctionDone { of }),
            Some(Gate::Event { event, by }) => {
                let free: Vec<_> = (0..self.streams).filter(|it| !self.stuck[*it]).collect();
                let stream = by.unwrap_or_else(|| free[self.random.below(free.len())]);
                self.push(Step::Record { stream, event })
            }
        };
        self.stuck.fill(false);
    }

    fn part(&mut self) -> Part {
        let (block, _) = self.live[self.random.below(self.live.len())];
        let whole = self.random.one_in(4);
        let start = self.random.below(32) as u64 * 64;
        Part {
            block,
            start: if whole { 0 } else { start },
            bytes: if whole {
                BLOCK
            } else {
                (1 + self.random.below(8) as u64) * 64
            },
        }
    }

    /// Touches bytes, after everything that has to come before.
    fn touch(&mut self) {
        let by_host = self.random.one_in(8);
        let stream = (!by_host).then(|| self.random.below(self.streams));
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        match self.random.below(3) {
            0 => writes.push(self.part()),
            1 => reads.push(self.part()),
            _ => {
                reads.push(self.part());
                writes.push(self.part());
            }
        }
        let step = Step::Touch {
            stream,
            reads,
            writes,
        };
        while let Some(missing) = self.missing(&step) {
            self.order(missing, stream);
        }
        self.push(step);
    }

    /// Tries a step out: the stream of some work that has no order with it.
    fn missing(&self, step: &Step) -> Option<usize> {
        let mut trial = self.graph.clone();
        trial.add(usize::MAX, step);
        if let Some(Gate::Event {
            event,
            by: Some(stream),
        }) = self.gate
        {
            // It will be opened so.
            trial.add(usize::MAX - 1, &Step::Record { stream, event });
        }
        trial.missing(usize::MAX)
    }

    /// Puts work of one stream, up to now, before what a stream or the host does next.
    fn order(&mut self, theirs: usize, mine: Option<usize>) {
        let Some(mine) = mine else {
            self.wait_on_host(theirs);
            return;
        };
        if let Some(Gate::Event { event, by }) = self.gate
            && self.stuck[mine]
            && !self.stuck[theirs]
            && by.is_none_or(|by| by == theirs)
            && self.random.one_in(2)
        {
            let by = Some(theirs);
            self.gate = Some(Gate::Event { event, by });
            return;
        }
        if self.random.one_in(4) {
            self.wait_on_host(theirs);
            return;
        }
        if self.stuck[theirs] && !self.stuck[mine] {
            // Somebody must be left who can open the gate.
            let free = self.stuck.iter().filter(|stuck| !**stuck).count();
            let needed = matches!(self.gate, Some(Gate::Event { by: Some(by), .. }) if by == mine);
            if free == 1 || needed {
                self.open_gate();
            } else {
                self.stuck[mine] = true;
            }
        }
        let index = self.random.below(REUSED);
        let of = self.push(Step::Record {
            stream: theirs,
            event: index,
        });
        self.push(Step::Wait {
            stream: mine,
            event: index,
            of: Some(of),
        });
    }

    fn wait_on_host(&mut self, theirs: usize) {
        if self.stuck[theirs] {
            self.open_gate();
        }
        match self.random.below(6) {
            0 if self.gate.is_none() => {
                self.push(Step::SynchronizeDevice);
            }
            1 | 2 => {
                let event = self.random.below(REUSED);
                let of = self.push(Step::Record {
                    stream: theirs,
                    event,
                });
                self.push(Step::SynchronizeEvent { event, of });
            }
            other => {
                self.push(Step::Synchronize {
                    stream: theirs,
                    query: other == 3,
                });
            }
        }
    }

    fn free(&mut self, block: usize, ordered: Option<usize>) {
        // A block of a stream may also be freed by the host.
        let ordered = ordered.filter(|_| !self.random.one_in(4));
        if ordered.is_none_or(|stream| self.stuck[stream]) {
            self.open_gate();
        }
        let step = Step::Free { block, ordered };
        while let Some(missing) = self.missing(&step) {
            if ordered.is_some() && self.random.one_in(2) {
                // What comes before is settled only if the stream is not blocked.
                if self.stuck[missing] {
                    self.open_gate();
                }
                self.push(Step::RecordUse {
                    block,
                    stream: missing,
                });
            } else if let Some(stream) = ordered
                && self.stuck[missing]
            {
                // The stream that frees must not be blocked.
                self.open_gate();
                self.order(missing, Some(stream));
            } else {
                self.order(missing, ordered);
            }
        }
        self.live.retain(|(it, _)| *it != block);
        self.push(step);
    }

    /// What is unordered without one of the steps.
    pub(crate) fn without(&self, left_out: usize) -> Vec<Unordered> {
        let mut graph = Graph::default();
        for (number, step) in self.steps.iter().enumerate() {
            if number != left_out {
                graph.add(number, step);
            }
        }
        graph.unordered()
    }

    /// Steps that are there only to order others.
    pub(crate) fn edges(&self) -> Vec<usize> {
        let is_edge = |step: &Step| {
            matches!(
                step,
                Step::Wait { .. }
                    | Step::Synchronize { .. }
                    | Step::SynchronizeEvent { .. }
                    | Step::SynchronizeDevice
                    | Step::RecordUse { .. }
            )
        };
        (0..self.steps.len())
            .filter(|number| is_edge(&self.steps[*number]))
            .collect()
    }
}
