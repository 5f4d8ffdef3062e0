//! Logical order: which tasks and which host actions come before an operation.
//!
//! All host threads are one actor, because the checker does not see how their locks order them. An [`Epoch`] is a
//! task of a stream or an action of the host, by number. A clock *knows* an epoch if everything up to it comes
//! before the owner of the clock.
//!
//! What the host has learned is stored once, in [`HostLearned`], and not in every clock. A clock says up to which
//! action of the host it reaches, and thereby knows what the host knew then. So a clock stores only what came
//! through events, which is little, and which the tasks of a stream share until its next wait.
//!
//! The pool has a clock too (`millpond_pool::Clock`). That one decides on the fast path, for one allocation,
//! whether bytes may be reused, and knows only streams. This one judges a whole program, includes the host, and
//! must be able to answer for the past.

use millpond_trace::{NumberMap, Position, StreamRef};
use std::sync::Arc;

/// A point in the order of one actor, as in the literature on vector clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Epoch {
    /// An action of the host.
    Host(u64),
    /// A task of a stream.
    Task(Position),
}

/// What comes before an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Actions of the host up to this one.
    pub(crate) host: u64,
    /// The task that owns the clock, and with it its stream up to there.
    own: Option<Position>,
    /// Tasks of other streams up to these, by streams in ascending order. Never empty.
    others: Option<Arc<Vec<Position>>>,
}

impl Clock {
    /// What comes before the next action of the host, after its action `now`.
    pub(crate) fn of_host(now: u64) -> Self {
        Self {
            host: now,
            ..Self::default()
        }
    }

    /// Makes it the clock of a task, which comes after everything that it knew before.
    pub(crate) fn move_to(&mut self, position: Position) {
        match self.own {
            Some(own) if own.stream != position.stream => self.learn(position),
            _ => self.own = Some(position),
        }
    }

    /// Learns that everything up to a task comes before.
    pub(crate) fn learn(&mut self, position: Position) {
        if let Some(own) = self
            .own
            .as_mut()
            .filter(|own| own.stream == position.stream)
        {
            own.task = own.task.max(position.task);
            return;
        }
        if self.of(position.stream) >= position.task {
            return;
        }
        let others = Arc::make_mut(self.others.get_or_insert_default());
        match others.binary_search_by_key(&position.stream, |known| known.stream) {
            Ok(index) => others[index].task = position.task,
            Err(index) => others.insert(index, position),
        }
    }

    /// Learns all that another clock knows.
    pub(crate) fn join(&mut self, other: &Self) {
        self.host = self.host.max(other.host);
        if self.others.is_none() && self.own.is_none() {
            self.others.clone_from(&other.others);
        } else {
            for position in other.others.iter().flat_map(|others| others.iter()) {
                self.learn(*position);
            }
        }
        if let Some(own) = other.own {
            self.learn(own);
        }
    }

    /// Up to which task of a stream it knows, without the host's knowledge.
    fn of(&self, stream: StreamRef) -> u64 {
        if let Some(own) = self.own
            && own.stream == stream
        {
            return own.task;
        }
        let Some(others) = &self.others else {
            return 0;
        };
        others
            .binary_search_by_key(&stream, |known| known.stream)
            .map_or(0, |index| others[index].task)
    }

    /// Whether an epoch comes before.
    #[inline]
    pub(crate) fn knows(&self, epoch: Epoch, learned: &HostLearned) -> bool {
        match epoch {
            Epoch::Host(action) => action <= self.host,
            Epoch::Task(position) => {
                self.of(position.stream) >= position.task || learned.knew(position, self.host)
            }
        }
    }

    /// Drops what it knows through the host.
    pub(crate) fn shorten(&mut self, learned: &HostLearned) {
        let host = self.host;
        let known = |position: &Position| learned.knew(*position, host);
        if let Some(others) = &mut self.others
            && others.iter().any(known)
        {
            Arc::make_mut(others).retain(|position| !known(position));
            if others.is_empty() {
                self.others = None;
            }
        }
    }

    /// How many other streams it has entries for.
    pub(crate) fn len(&self) -> usize {
        self.others.as_ref().map_or(0, |others| others.len())
    }

    /// All entries: of other streams, and of its own.
    pub(crate) fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let others = self.others.iter().flat_map(|others| others.iter().copied());
        others.chain(self.own)
    }
}

/// When the host learned how far each stream has progressed.
///
/// A stream without an entry has ended long ago, and all its tasks with it.
#[derive(Debug, Default)]
pub(crate) struct HostLearned {
    /// For each stream, ascending: a task, and the action of the host from which on it is known.
    streams: NumberMap<StreamRef, Vec<(u64, u64)>>,
    /// Between tasks: stream-ordered allocations.
    between: NumberMap<StreamRef, Between>,
    /// How often it learned something.
    changes: u64,
}

/// What the host learned of the stream-ordered allocations of one stream. Each is an action of the host, after a task.
#[derive(Debug, Default)]
struct Between {
    /// An action of the host, and the task up to which it knew everything made until then; by actions, ascending.
    steps: Vec<(u64, u64)>,
    /// Everything made until this action counts as known: the steps since were dropped.
    given_up: u64,
    /// Something was made since the last step.
    open: bool,
}

/// How many steps of one stream are remembered. Older ones are merged: an access that is so old then counts as ordered, so
/// that a limit never causes a false finding.
const STEPS: usize = 256;

impl HostLearned {
    /// A stream was created. The host knows nothing of it.
    pub(crate) fn begin(&mut self, stream: StreamRef) {
        self.streams.entry(stream).or_default();
    }

    /// Drops a stream that has ended.
    pub(crate) fn forget(&mut self, stream: StreamRef) {
        self.streams.remove(&stream);
        self.between.remove(&stream);
        self.changes += 1;
    }

    /// Something was allocated in the order of a stream.
    pub(crate) fn allocated(&mut self, stream: StreamRef) {
        self.between.entry(stream).or_default().open = true;
    }

    /// The host learns, by its action `now`, that a stream has passed a task and what was allocated behind it.
    pub(crate) fn learn_allocations(&mut self, position: Position, now: u64) {
        let Some(between) = self.between.get_mut(&position.stream) else {
            return;
        };
        if !std::mem::take(&mut between.open) {
            return;
        }
        between.steps.push((now, position.task));
        if between.steps.len() > STEPS {
            between.given_up = between.steps[STEPS / 2].0;
            between.steps.drain(..=STEPS / 2);
        }
    }

    /// Whether the host knew, by one of its actions up to `by`, of an allocation behind a task that its action `made` made.
    pub(crate) fn knew_allocation(&self, behind: Position, made: u64, by: u64) -> bool {
        if !self.streams.contains_key(&behind.stream) {
            return true;
        }
        let Some(between) = self.between.get(&behind.stream) else {
            return false;
        };
        let first = between.steps.partition_point(|(action, _)| *action <= made);
        let mut since = between.steps[first..].iter();
        made <= between.given_up
            || since.any(|(action, task)| *action <= by && *task >= behind.task)
    }

    /// A number that changes whenever the host learns something.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The host learns, by its action `now`, that everything up to a task has passed.
    pub(crate) fn learn(&mut self, position: Position, now: u64) {
        let Some(steps) = self.streams.get_mut(&position.stream) else {
            return;
        };
        if steps.last().is_none_or(|(task, _)| *task < position.task) {
            steps.push((position.task, now));
            self.changes += 1;
            if steps.len() > STEPS {
                // The older half becomes one step that was known from the beginning.
                let (task, _) = steps[STEPS / 2];
                steps.drain(..STEPS / 2);
                steps[0] = (task, 0);
            }
        }
    }

    /// Whether the host knew of a task by one of its actions up to `by`.
    pub(crate) fn knew(&self, position: Position, by: u64) -> bool {
        let Some(steps) = self.streams.get(&position.stream) else {
            return true;
        };
        let first = steps.partition_point(|(task, _)| *task < position.task);
        steps.get(first).is_some_and(|(_, action)| *action <= by)
    }

    /// Up to which task of a stream the host knows now.
    pub(crate) fn now(&self, stream: StreamRef) -> u64 {
        self.streams
            .get(&stream)
            .map_or(u64::MAX, |steps| steps.last().map_or(0, |(task, _)| *task))
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let steps: usize = self.streams.values().map(Vec::capacity).sum();
        let between: usize = self.between.values().map(|it| it.steps.capacity()).sum();
        let maps = self.streams.capacity() * 40 + self.between.capacity() * size_of::<Between>();
        ((steps + between) * 16 + maps) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(stream: StreamRef, task: u64) -> Position {
        Position { stream, task }
    }

    #[test]
    fn a_clock_knows_what_it_learned_and_what_the_host_knew() {
        let mut learned = HostLearned::default();
        learned.begin(3);
        let mut clock = Clock::default();
        clock.learn(at(3, 5));
        assert!(clock.knows(Epoch::Task(at(3, 5)), &learned));
        assert!(!clock.knows(Epoch::Task(at(3, 6)), &learned));
        learned.learn(at(3, 9), 7);
        clock.host = 6;
        assert!(!clock.knows(Epoch::Task(at(3, 6)), &learned));
        clock.host = 7;
        assert!(clock.knows(Epoch::Task(at(3, 6)), &learned));
        assert!(clock.knows(Epoch::Host(7), &learned));
        assert!(!clock.knows(Epoch::Host(8), &learned));
    }

    #[test]
    fn what_the_host_knows_is_dropped_from_clocks() {
        let mut learned = HostLearned::default();
        let mut clock = Clock::default();
        clock.learn(at(1, 5));
        clock.learn(at(2, 5));
        learned.begin(1);
        learned.begin(2);
        learned.learn(at(1, 5), 4);
        clock.host = 4;
        clock.shorten(&learned);
        assert_eq!(clock.positions().collect::<Vec<_>>(), [at(2, 5)]);
    }

    #[test]
    fn allocations_are_known_from_the_first_wait_after_them() {
        let mut learned = HostLearned::default();
        learned.begin(1);
        learned.allocated(1);
        assert!(!learned.knew_allocation(at(1, 0), 5, 9));
        learned.learn_allocations(at(1, 0), 7);
        assert!(!learned.knew_allocation(at(1, 0), 5, 6), "not before");
        assert!(learned.knew_allocation(at(1, 0), 5, 7));
        assert!(!learned.knew_allocation(at(1, 0), 8, 9), "made later");
        assert!(!learned.knew_allocation(at(1, 3), 5, 9), "behind more");
        assert!(learned.knew_allocation(at(2, 3), 5, 9), "long gone");
        for action in 10..10 + 3 * STEPS as u64 {
            learned.allocated(1);
            learned.learn_allocations(at(1, 0), action);
        }
        assert!(learned.between[&1].steps.len() <= STEPS);
        assert!(
            learned.knew_allocation(at(1, 0), 12, 12),
            "a dropped fact counts as ordered"
        );
    }

    #[test]
    fn old_steps_are_merged_towards_ordered() {
        let mut learned = HostLearned::default();
        learned.begin(1);
        for step in 1..=3 * STEPS as u64 {
            learned.learn(at(1, step), step);
        }
        assert!(learned.streams[&1].len() <= STEPS);
        assert!(
            learned.knew(at(1, 1), 0),
            "a dropped fact counts as ordered"
        );
        let last = 3 * STEPS as u64;
        assert!(!learned.knew(at(1, last), last - 1));
        assert!(learned.knew(at(1, last), last));
    }

    #[test]
    fn a_task_s_clock_goes_with_its_stream_and_others_join_it() {
        let mut learned = HostLearned::default();
        (1..4).for_each(|stream| learned.begin(stream));
        let mut first = Clock::of_host(2);
        first.move_to(at(1, 4));
        let mut second = Clock::default();
        second.move_to(at(2, 1));
        second.join(&first);
        second.move_to(at(2, 2));
        let mut third = Clock::default();
        third.join(&second);
        for (position, known) in [
            (at(1, 4), true),
            (at(1, 5), false),
            (at(2, 2), true),
            (at(2, 3), false),
            (at(3, 1), false),
        ] {
            assert_eq!(
                third.knows(Epoch::Task(position), &learned),
                known,
                "{position:?}"
            );
        }
        assert_eq!(third.host, 2);
        // Joining what it knows better changes nothing.
        let before = second.clone();
        second.join(&first);
        assert_eq!(second, before);
    }

    #[test]
    fn streams_that_are_forgotten_have_passed() {
        let mut learned = HostLearned::default();
        learned.begin(1);
        assert!(!learned.knew(at(1, 1), 9));
        learned.forget(1);
        assert!(learned.knew(at(1, 1), 0));
        learned.learn(at(1, 1), 3);
        assert_eq!(learned.now(1), u64::MAX);
    }
}
