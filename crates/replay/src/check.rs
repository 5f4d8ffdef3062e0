//! Whether a policy hands out bytes that somebody may still use.

use crate::order::{Clock, Order};
use crate::policy::Policy;

#[derive(Debug)]
enum State {
    Live {
        users: Vec<u32>,
    },
    /// Freed at these points, under this mark.
    Freed {
        points: Clock,
        mark: u64,
    },
}

#[derive(Debug)]
struct Range {
    start: u64,
    end: u64,
    state: State,
}

/// A policy that is watched. Slow, for tests.
pub(crate) struct Checked {
    policy: Box<dyn Policy>,
    order: Order,
    ranges: Vec<Range>,
    mark: u64,
    completed: Clock,
    pub(crate) faults: Vec<String>,
}

impl Checked {
    pub(crate) fn new(policy: Box<dyn Policy>) -> Self {
        Self {
            policy,
            order: Order::default(),
            ranges: Vec::new(),
            mark: 0,
            completed: Clock::new(),
            faults: Vec::new(),
        }
    }

    fn live(&mut self, offset: u64) -> Option<&mut Range> {
        let is_live =
            |it: &&mut Range| it.start == offset && matches!(it.state, State::Live { .. });
        self.ranges.iter_mut().find(is_live)
    }

    /// Whether `stream` may be given what is in this state now.
    fn may_have(&self, state: &State, stream: u32) -> bool {
        let State::Freed { points, mark } = state else {
            return false;
        };
        let done = |of: &u32| self.completed.get(of).is_some_and(|done| done >= mark);
        self.order.passed(points, stream) || points.keys().all(done)
    }
}

impl Policy for Checked {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        let start = self.policy.alloc(stream, bytes)?;
        let end = start + bytes;
        let touches = |range: &Range| range.start < end && start < range.end;
        let met: Vec<String> = self
            .ranges
            .iter()
            .filter(|it| touches(it) && !self.may_have(&it.state, stream))
            .map(|it| format!("{start}..{end} on stream {stream} meets {it:?}"))
            .collect();
        self.faults.extend(met);
        // A range whose bytes were handed out again is no longer interesting.
        self.ranges
            .retain(|it| !(start <= it.start && it.end <= end));
        self.ranges.push(Range {
            start,
            end,
            state: State::Live { users: Vec::new() },
        });
        Some(start)
    }

    fn free(&mut self, offset: u64, stream: u32) {
        let users = match self.live(offset).map(|range| &mut range.state) {
            Some(State::Live { users }) => std::mem::take(users),
            _ => Vec::new(),
        };
        let mut streams = users;
        streams.retain(|it| *it != stream);
        streams.push(stream);
        let (points, mark) = (self.order.points(streams), self.mark);
        match self.live(offset) {
            Some(range) => range.state = State::Freed { points, mark },
            None => self.faults.push(format!("{offset} is not live")),
        }
        self.policy.free(offset, stream);
    }

    fn record_use(&mut self, offset: u64, stream: u32) {
        if let Some(State::Live { users }) = self.live(offset).map(|range| &mut range.state)
            && !users.contains(&stream)
        {
            users.push(stream);
        }
        self.policy.record_use(offset, stream);
    }

    fn record_event(&mut self, event: u32, stream: u32) {
        self.order.record(event, stream);
        self.policy.record_event(event, stream);
    }

    fn wait_event(&mut self, event: u32, stream: u32) {
        self.order.wait(event, stream);
        self.policy.wait_event(event, stream);
    }

    fn synchronize(&mut self, stream: u32) {
        self.order.synchronize(stream);
        self.policy.synchronize(stream);
    }

    fn begin(&mut self, mark: u64) {
        self.mark = mark;
        self.policy.begin(mark);
    }

    fn completed(&mut self, stream: u32, mark: u64) {
        self.completed.insert(stream, mark);
        self.policy.completed(stream, mark);
    }

    fn reserved(&self) -> u64 {
        self.policy.reserved()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::{Allocator, USUAL};
    use crate::engine;
    use crate::patterns::PATTERNS;

    /// One list for all streams, whatever they have passed.
    #[derive(Default)]
    struct Careless {
        free: Vec<u64>,
        end: u64,
    }

    impl Policy for Careless {
        fn alloc(&mut self, _stream: u32, _bytes: u64) -> Option<u64> {
            self.free.pop().or_else(|| {
                self.end += 1 << 30;
                Some(self.end)
            })
        }

        fn free(&mut self, offset: u64, _stream: u32) {
            self.free.push(offset);
        }

        fn reserved(&self) -> u64 {
            self.end
        }
    }

    #[test]
    fn a_policy_that_forgets_the_order_is_caught() {
        for (name, pattern) in PATTERNS {
            let mut checked = Checked::new(Box::new(Careless::default()));
            engine::memory(&pattern(4), &mut checked);
            assert!(!checked.faults.is_empty(), "{name}");
        }
    }

    #[test]
    fn nobody_hands_out_bytes_that_may_be_in_use() {
        for name in USUAL {
            // RMM adds waits of its own, and CUDA's pool has its driver add them, which a trace cannot show.
            if name.starts_with("rmm") || name == "cuda-malloc-async" {
                continue;
            }
            for (pattern, make) in PATTERNS {
                let policy = Allocator::parse(name).and_then(|it| it.build(None, 0));
                let mut checked = Checked::new(policy.unwrap());
                engine::memory(&make(4), &mut checked);
                let faults = &checked.faults;
                assert!(faults.is_empty(), "{name}, {pattern}: {}", faults[0]);
            }
        }
    }
}
