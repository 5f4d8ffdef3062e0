//! Streams of the model: work, events, waits, and what comes before what.

use super::*;

impl Model {
    pub(super) fn open(&mut self, twice: bool) {
        let open = self.streams.values().filter(|stream| !stream.closed);
        if open.count() >= 6 {
            return;
        }
        let number = self.next_stream;
        self.next_stream += 1;
        let shards = (0..=usize::from(twice)).map(|_| self.pool.shard(number).expect("few shards"));
        let shards: Vec<Arc<Shard>> = shards.collect();
        assert!(shards.iter().all(|shard| shard.stream() == number));
        self.streams.insert(
            number,
            Stream {
                shards,
                position: 0,
                clock: Clock::default(),
                knows: Knowledge::new(),
                waits: Vec::new(),
                passed: 0,
                closed: false,
                charged: 0,
                peak: 0,
                total: 0,
                refused: false,
            },
        );
    }

    pub(super) fn close(&mut self, pick: u8) {
        if let Some(number) = self.pick_stream(pick) {
            let stream = &self.streams[&number];
            for shard in &stream.shards {
                self.pool.close(shard);
            }
            self.stream(number).closed = true;
        }
    }

    pub(super) fn stream(&mut self, number: u64) -> &mut Stream {
        self.streams
            .get_mut(&number)
            .expect("a stream of the model")
    }

    /// A stream that has not ended.
    pub(super) fn pick_stream(&self, pick: u8) -> Option<u64> {
        let open: Vec<u64> = self
            .streams
            .iter()
            .filter(|(_, s)| !s.closed)
            .map(|(&n, _)| n)
            .collect();
        usize::from(pick).checked_rem(open.len()).map(|at| open[at])
    }

    pub(super) fn enqueue(&mut self, pick: u8) -> Option<(u64, u64)> {
        let number = self.pick_stream(pick)?;
        let stream = self.stream(number);
        stream.position += 1;
        Some((number, stream.position))
    }

    pub(super) fn record(&mut self, pick: u8) {
        if let Some((number, position)) = self.enqueue(pick) {
            let stream = &self.streams[&number];
            let (mut captured, mut knows) = (stream.clock.clone(), stream.knows.clone());
            captured.learn(number, position);
            knows.insert(number, position);
            if self.events.len() >= 6 {
                self.events.remove(0);
            }
            self.events.push(Event { captured, knows });
        }
    }

    pub(super) fn wait(&mut self, pick: u8, event: u8) {
        let Some(event) = usize::from(event).checked_rem(self.events.len()) else {
            return;
        };
        if let Some((number, position)) = self.enqueue(pick) {
            let Event { captured, knows } = &self.events[event];
            let stream = self.streams.get_mut(&number).expect("it was picked");
            stream.clock.merge(captured);
            learn(&mut stream.knows, knows);
            stream.waits.push((position, knows.clone()));
        }
    }

    /// The stream drops what is known to everybody from its clock.
    pub(super) fn forget(&mut self, pick: u8) {
        if let Some(number) = self.pick_stream(pick) {
            let passed = self.told_passed();
            let is_over = |stream, position| passed.get(&stream).is_none_or(|&at| at >= position);
            self.stream(number).clock.forget(is_over);
        }
    }

    /// Work of a stream, also of one that has ended, is seen to have passed.
    pub(super) fn pass(&mut self, pick: u8, amount: u8) {
        let numbers: Vec<u64> = self.streams.keys().copied().collect();
        let number = numbers[usize::from(pick) % numbers.len()];
        let amount = if amount.is_multiple_of(2) {
            u64::MAX
        } else {
            u64::from(amount / 2)
        };
        self.pass_by(number, amount);
    }

    pub(super) fn pass_by(&mut self, number: u64, amount: u64) {
        let stream = self.stream(number);
        stream.passed = stream.position.min(stream.passed.saturating_add(amount));
        let passed = stream.passed;
        let mut now_over = Knowledge::from([(number, passed)]);
        for (_, knows) in stream.waits.iter().filter(|(at, _)| *at <= passed) {
            learn(&mut now_over, knows);
        }
        learn(&mut self.passed, &now_over);
        let passed = &self.passed;
        let is_open = |used: &Use| passed.get(&used.stream).copied().unwrap_or(0) < used.position;
        self.uses.retain(is_open);
        self.address_uses.retain(is_open);
    }

    /// What the pool is told of what has passed; streams that are over have no entry.
    pub(super) fn told_passed(&self) -> BTreeMap<u64, u64> {
        let streams = self.streams.iter();
        let unfinished =
            streams.filter(|(_, stream)| !stream.closed || stream.passed < stream.position);
        unfinished
            .map(|(&number, stream)| (number, stream.passed))
            .collect()
    }

    pub(super) fn told(&self, number: u64) -> Told {
        let stream = self.streams.get(&number);
        Told {
            stream: number,
            now: stream.map_or(0, |stream| stream.position),
            known: stream.map_or_else(Clock::default, |stream| stream.clock.clone()),
            passed: self.told_passed(),
            spare: self.spare,
            reserved: Cell::new(0),
        }
    }

    /// Whether work of a stream is over before what `observer` does next.
    pub(super) fn is_before(&self, (stream, position): (u64, u64), observer: u64) -> bool {
        let at_least =
            |knowledge: &Knowledge| knowledge.get(&stream).is_some_and(|&at| at >= position);
        let known = || {
            self.streams
                .get(&observer)
                .is_some_and(|observer| at_least(&observer.knows))
        };
        position == 0 || stream == observer || at_least(&self.passed) || known()
    }

    // Blocks.

    pub(super) fn pick_block(&self, pick: u8) -> Option<usize> {
        let ready: Vec<usize> = (0..self.live.len())
            .filter(|&at| self.live[at].growth.is_none())
            .collect();
        usize::from(pick)
            .checked_rem(ready.len())
            .map(|at| ready[at])
    }
}
