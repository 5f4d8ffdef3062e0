//! Blocks of the model: handing out, growth under way, uses and frees.

use super::*;

impl Model {
    pub(super) fn alloc(&mut self, who: u8, size: u8, more: u8, how: u8, wish: u8) {
        let number = if who % 8 == 7 {
            HOST
        } else {
            self.pick_stream(who / 8).unwrap_or(HOST)
        };
        let shard = match self.streams.get(&number) {
            Some(stream) => Arc::clone(&stream.shards[usize::from(who) % stream.shards.len()]),
            None => Arc::clone(self.pool.host()),
        };
        let bytes = match size % 16 {
            15 => self.home - u64::from(more) * 4096,
            14 => u64::from(more) * 100_000,
            13 => u64::MAX - u64::from(more),
            size => {
                let pages = [self.page.bytes(), 3 * self.page.bytes()];
                let sizes = [&SIZES[..], &pages[..]].concat();
                sizes[usize::from(size % 8)] * (1 + u64::from(more % 4))
            }
        };
        let align = [
            1,
            64,
            GRANULE,
            GRANULE,
            GRANULE,
            4096,
            1 << 20,
            self.page.bytes(),
        ][usize::from(how % 8)];
        let ask = Ask {
            align,
            charge: if how & 8 == 0 { bytes } else { bytes / 2 },
            requested: bytes.saturating_sub(1),
            kind: how >> 1,
            ..Ask::of(bytes)
        };
        let wish = match wish % 8 {
            0 => self.freed.last().copied(),
            1 => self
                .pick_block(more)
                .map(|at| self.live[at].offset + self.live[at].bytes),
            2 => Some(u64::from(wish) * u64::from(more) * 4096 % (self.home + self.page.bytes())),
            3 => Some(u64::from(more) * 17),
            _ => None,
        };
        if wish.is_none()
            && how & 16 == 0
            && let Some(quick) = self.pool.alloc(&shard, &ask)
        {
            let bytes = bytes.max(1).next_multiple_of(GRANULE);
            self.hand_out(
                number,
                shard,
                ask,
                (quick.id, quick.offset, bytes, quick.serial),
                None,
            );
            return;
        }
        let order = self.told(number);
        let fits = self
            .total()
            .checked_add(ask.charge)
            .is_some_and(|new| new <= self.limit);
        let answer = self.pool.alloc_near(&shard, &ask, &order, wish);
        let reserved = order.reserved.get();
        self.mark += reserved;
        self.highest_mark = self.highest_mark.max(self.mark);
        self.spare -= reserved;
        match answer {
            Ok(grant) => {
                let peak = self.peak;
                let growth = grant.growth.map(|growth| *growth);
                let grows = growth.is_some();
                self.hand_out(
                    number,
                    shard,
                    ask,
                    (grant.id, grant.offset, grant.bytes, grant.serial),
                    growth,
                );
                // One in four growths is settled by a later step.
                if grows && how >> 5 != 0 {
                    self.settle_one(self.live.len() - 1, how, more, Some(peak));
                }
            }
            Err(Refusal::Limit) => assert!(!fits, "{ask:?} would fit"),
            Err(Refusal::Reserve) => {
                let needs = self.total() + ask.charge;
                assert!(self.options.exact_peak && needs > self.mark);
                assert!(fits && needs - self.mark > self.spare);
            }
            Err(Refusal::Addresses) => {
                let idle = self.live.is_empty() && self.leaving.is_empty();
                let over = self
                    .streams
                    .values()
                    .all(|stream| stream.passed == stream.position);
                let small = bytes <= self.home && align <= GRANULE;
                assert!(!(idle && over && small), "{ask:?} from an empty pool");
            }
        }
    }

    pub(super) fn hand_out(
        &mut self,
        stream: u64,
        shard: Arc<Shard>,
        ask: Ask,
        (id, offset, bytes, serial): (BlockId, u64, u64, u64),
        growth: Option<Growth>,
    ) {
        self.log.push((offset, serial));
        assert!(self.serials.insert(serial), "the number {serial} twice");
        let wanted = ask.bytes.max(1).next_multiple_of(GRANULE);
        assert_eq!(offset % ask.align.max(GRANULE), 0, "{ask:?} at {offset}");
        self.charge(ask.charge);
        assert!(self.total() <= self.limit, "more than the limit");
        if self.options.exact_peak {
            assert!(self.charged <= self.mark, "more than was set aside");
        }
        let (mut commit, mut places) = (BTreeSet::new(), Vec::new());
        if let Some(growth) = &growth {
            for page in growth
                .commit
                .iter()
                .flat_map(|pages| self.page.each(*pages))
            {
                assert!(page.offset + page.bytes <= self.home);
                assert!(
                    !self.backed.contains(&page.offset),
                    "{page:?} is backed already"
                );
                let asked_twice = self
                    .in_flight()
                    .any(|other| contains(&other.commit, page.offset));
                assert!(!asked_twice, "{page:?} was asked for already");
                assert!(commit.insert(page.offset));
            }
            for mapping in &growth.map {
                assert!(
                    mapping.at >= self.home
                        && mapping.at + self.page.bytes() <= self.home + self.options.windows
                );
                let user = self.address_uses.iter().find(|used| {
                    used.start < mapping.at + self.page.bytes() && used.end > mapping.at
                });
                assert!(user.is_none(), "{mapping:?} while {user:?}");
                self.mapped.insert(mapping.at, mapping.page);
            }
        }
        if offset < self.home {
            assert_eq!(bytes, wanted);
            assert!(offset + bytes <= self.home);
            places.push((offset, offset + bytes));
        } else {
            assert_eq!(bytes, wanted);
            let pages = self.page.at(offset)..self.page.from(offset + bytes);
            let mut shown = BTreeSet::new();
            for at in pages.map(|page| self.page.start(page)) {
                let page = *self
                    .mapped
                    .get(&at)
                    .expect("a window shows something everywhere");
                assert!(shown.insert(page), "a page twice");
                let (from, to) = (offset.max(at), (offset + bytes).min(at + self.page.bytes()));
                places.push((page + from - at, page + to - at));
            }
        }
        for &(start, end) in &places {
            for page in (self.page.down(start)..end)
                .step_by(usize::try_from(self.page.bytes()).expect("a small number"))
            {
                assert!(
                    self.backed.contains(&page) || commit.contains(&page),
                    "nothing is at {page}"
                );
                assert!(
                    !self
                        .leaving
                        .iter()
                        .any(|going| contains(&[going.pages], page)),
                    "{page} leaves"
                );
            }
            let holder = self
                .live
                .iter()
                .find(|block| block.places.iter().any(|&(s, e)| s < end && e > start));
            assert!(holder.is_none(), "{start} to {end} is in {holder:?}");
            for used in self
                .uses
                .iter()
                .filter(|used| used.start < end && used.end > start)
            {
                assert!(
                    self.is_before((used.stream, used.position), stream),
                    "{start} to {end} for stream {stream} while {used:?}"
                );
            }
        }
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.charged += ask.charge;
            stream.peak = stream.peak.max(stream.charged);
            stream.total += bytes;
        }
        self.live.push(Block {
            id,
            offset,
            bytes,
            ask,
            serial,
            stream,
            shard,
            places,
            uses: Vec::new(),
            growth,
        });
        self.note_settled();
    }

    pub(super) fn in_flight(&self) -> impl Iterator<Item = &Growth> {
        self.live.iter().filter_map(|block| block.growth.as_ref())
    }

    pub(super) fn total(&self) -> u64 {
        self.charged + self.held.iter().sum::<u64>()
    }

    pub(super) fn charge(&mut self, charge: u64) {
        self.charged += charge;
        self.peak = self.peak.max(self.total());
    }

    /// The peak of what was not refused later.
    pub(super) fn note_settled(&mut self) {
        let in_flight = self.live.iter().filter(|block| block.growth.is_some());
        let in_flight: u64 = in_flight.map(|block| block.ask.charge).sum();
        self.settled_peak = self.settled_peak.max(self.total() - in_flight);
    }

    /// The device answers a growth: with all pages, with some or with none. `peak_before` is what was
    /// charged at most before it, if nothing has happened since.
    pub(super) fn settle_one(&mut self, at: usize, how: u8, which: u8, peak_before: Option<u64>) {
        let growth = self.live[at].growth.take().expect("it waits for pages");
        let pages: Vec<Pages> = growth
            .commit
            .iter()
            .flat_map(|pages| self.page.each(*pages))
            .collect();
        if how >> 5 < 6 {
            self.backed.extend(pages.iter().map(|page| page.offset));
            self.pool.grown(growth);
            self.note_settled();
            return;
        }
        let fails = |nth: usize| how >> 5 == 7 || which >> (nth % 8) & 1 == 1;
        let (mut failed, mut came) = (Vec::new(), Vec::new());
        for (nth, page) in pages.into_iter().enumerate() {
            if fails(nth) {
                failed.push(page);
            } else {
                came.push(page);
            }
        }
        self.backed.extend(came.iter().map(|page| page.offset));
        let block = self.live.remove(at);
        let now = self
            .streams
            .get(&block.stream)
            .map_or(0, |stream| stream.position);
        self.pool.not_grown(&block.shard, growth, &failed, now);
        self.mapped
            .retain(|at, _| !(block.offset..block.offset + block.bytes).contains(at));
        self.charged -= block.ask.charge;
        if let Some(stream) = self.streams.get_mut(&block.stream) {
            stream.charged -= block.ask.charge;
            stream.total -= block.bytes;
            stream.refused = true;
        }
        // If nothing else happened meanwhile, it is as if nothing had been asked.
        match peak_before {
            Some(peak) => self.peak = peak,
            None => self.peak_is_loose = true,
        }
    }

    pub(super) fn settle(&mut self, pick: u8, how: u8, which: u8) {
        let waiting: Vec<usize> = (0..self.live.len())
            .filter(|&at| self.live[at].growth.is_some())
            .collect();
        if pick.is_multiple_of(2) {
            if let Some(at) = usize::from(pick / 2).checked_rem(waiting.len()) {
                self.settle_one(waiting[at], how | 32, which, None);
            }
        } else if let Some(at) = usize::from(pick / 2).checked_rem(self.leaving.len()) {
            let leaving = self.leaving.remove(at);
            self.end_return(&leaving, how.is_multiple_of(2));
        }
    }

    /// Queued work of a stream uses a block, or some of its bytes.
    pub(super) fn use_block(&mut self, pick: u8, who: u8, part: u8) {
        let Some(at) = self.pick_block(pick) else {
            return;
        };
        let Some(number) = self.pick_stream(who) else {
            return;
        };
        let block = &self.live[at];
        let (offset, bytes) = (block.offset, block.bytes);
        let from = u64::from(part) * GRANULE % bytes;
        let stream = self.stream(number);
        stream.position += 1;
        let user = (number, stream.position);
        let passed = self.told(HOST);
        // Threads that share a stream may note their uses in another order.
        let earlier = (number, user.1 - u64::from(part % 2));
        for user in [user, earlier] {
            let (from, bytes) = (offset + from, bytes - from);
            let checked = self
                .pool
                .check(from, bytes, Some(user), |stream| passed.passed(stream));
            assert_eq!(checked, Ok(Ok(())));
        }
        self.note_use(at, user);
        let noted = self.pool.uses(offset + from);
        for &(stream, position) in &self.live[at].uses {
            let known = noted
                .iter()
                .any(|&(other, last)| other == stream && last >= position);
            assert!(
                known || passed.passed(stream) >= position,
                "a use is forgotten"
            );
        }
    }

    pub(super) fn note_use(&mut self, at: usize, (stream, position): (u64, u64)) {
        let block = &mut self.live[at];
        block.uses.retain(|&(other, _)| other != stream);
        block.uses.push((stream, position));
        // Nothing of a stream is open that has passed, or that nothing was put into yet.
        if self.passed.get(&stream).copied().unwrap_or(0) >= position {
            return;
        }
        for &(start, end) in &block.places {
            self.uses
                .retain(|used| (used.start, used.end, used.stream) != (start, end, stream));
            self.uses.push(Use {
                start,
                end,
                stream,
                position,
            });
        }
        if block.offset >= self.home {
            let (start, end) = (block.offset, block.offset + block.bytes);
            self.address_uses.push(Use {
                start,
                end,
                stream,
                position,
            });
        }
    }

    /// Questions about bytes that are in a block, reach beyond it, or are in none.
    pub(super) fn check_only(&mut self, pick: u8, at: u8, more: u8) {
        let Some(block) = self.pick_block(pick).map(|at| &self.live[at]) else {
            assert!(
                self.pool.find(u64::from(at) * self.page.bytes()).is_none()
                    || !self.live.is_empty()
            );
            return;
        };
        let inside = block.offset + (u64::from(at) * 331).min(block.bytes - 1);
        let left = block.offset + block.bytes - inside;
        let found = expected(block);
        assert_eq!(self.pool.find(inside), Some(found));
        let bytes = u64::from(more) * 300;
        let answer = if bytes > left { Err(found) } else { Ok(()) };
        assert_eq!(self.pool.check(inside, bytes, None, |_| 0), Ok(answer));
        let behind = block.offset + block.bytes + u64::from(more) * 4096;
        let holder = self.live.iter().find(|block| covers(block, behind));
        assert_eq!(self.pool.find(behind), holder.map(expected));
    }

    pub(super) fn free(&mut self, pick: u8, who: u8, how: u8) {
        let Some(at) = self.pick_block(pick) else {
            return;
        };
        let by = match who % 4 {
            0 => None,
            1 => Some(self.live[at].stream)
                .filter(|home| self.streams.get(home).is_some_and(|s| !s.closed)),
            _ => self.pick_stream(who / 4),
        };
        let by = by.map(|number| (number, self.streams[&number].position));
        self.free_by(at, by, how);
    }

    pub(super) fn free_by(&mut self, at: usize, by: Option<(u64, u64)>, how: u8) {
        if let Some(by) = by {
            self.note_use(at, by);
        }
        let passed = self.told(HOST);
        let block = self.live.remove(at);
        let others = block
            .uses
            .iter()
            .filter(|&&(stream, _)| stream != block.stream);
        let mut others = others.filter(|&&(stream, position)| passed.passed(stream) < position);
        let must_wait = others.next().is_some();
        let likely = match how % 4 {
            0 => Arc::clone(self.pool.host()),
            1 => Arc::clone(&self.streams.values().next().expect("streams stay").shards[0]),
            _ => Arc::clone(&block.shard),
        };
        let passed = |stream| passed.passed(stream);
        if how & 4 == 0 {
            assert_eq!(self.pool.free_block(&likely, block.id, by, passed), Ok(()));
        } else {
            let serial = (how & 8 == 0).then_some(block.serial);
            let mut told = None;
            let freed =
                self.pool
                    .free(&likely, block.offset, serial, by, passed, |freed, waits| {
                        told = Some((freed.found(), waits));
                    });
            assert_eq!(freed, Ok(()));
            assert_eq!(told, Some((expected(&block), must_wait)));
        }
        self.charged -= block.ask.charge;
        if let Some(stream) = self.streams.get_mut(&block.stream) {
            stream.charged -= block.ask.charge;
        }
        self.freed.push(block.offset);
    }

    /// What must not be freed: a block twice, the inside of one, another block than was meant.
    pub(super) fn free_wrongly(&mut self, pick: u8, how: u8) {
        let free = |pool: &Pool, offset, serial| {
            pool.free(
                pool.host(),
                offset,
                serial,
                None,
                |_| 0,
                |_, _| unreachable!("nothing is freed"),
            )
        };
        if let Some(&offset) = self.freed.last()
            && self.live.iter().all(|block| block.offset != offset)
        {
            let inside = self
                .live
                .iter()
                .find(|block| covers(block, offset))
                .map(|block| block.offset);
            assert_eq!(free(&self.pool, offset, None), Err(NotLive { inside }));
        }
        if let Some(block) = self.pick_block(pick).map(|at| &self.live[at]) {
            let inside = Err(NotLive {
                inside: Some(block.offset),
            });
            let further = (1 + u64::from(how) * 64).min(block.bytes - 1);
            assert_eq!(free(&self.pool, block.offset + further, None), inside);
            assert_eq!(
                free(&self.pool, block.offset, Some(block.serial + 1)),
                inside
            );
        }
    }

    // Pages and limits.
}
