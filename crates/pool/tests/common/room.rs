//! Pages of the model: trims, limits, and what others charge.

use super::*;

impl Model {
    pub(super) fn trim(&mut self, keep: u8, who: u8, how: u8, which: u8) {
        let order = self.told(
            self.pick_stream(who)
                .filter(|_| who.is_multiple_of(2))
                .unwrap_or(HOST),
        );
        let leaving = if how.is_multiple_of(3) {
            self.pool.begin_decay(&order)
        } else {
            let keep = u64::from(keep % 8) * self.page.bytes();
            let leaving = self.pool.begin_return(keep, &order);
            let bytes: u64 = leaving.iter().map(|going| going.pages.bytes).sum();
            assert!(bytes <= self.reserved().saturating_sub(keep));
            leaving
        };
        for (nth, going) in leaving.into_iter().enumerate() {
            let (start, end) = (going.pages.offset, going.pages.offset + going.pages.bytes);
            for page in self.page.each(going.pages) {
                assert!(self.backed.contains(&page.offset));
                assert!(
                    !self
                        .leaving
                        .iter()
                        .any(|other| contains(&[other.pages], page.offset))
                );
            }
            let holder = self
                .live
                .iter()
                .find(|block| block.places.iter().any(|&(s, e)| s < end && e > start));
            assert!(holder.is_none(), "{going:?} is in {holder:?}");
            let user = self
                .uses
                .iter()
                .find(|used| used.start < end && used.end > start);
            assert!(user.is_none(), "{going:?} while {user:?}");
            match which >> (nth % 8) & 1 {
                1 if how & 4 == 0 => self.leaving.push(going),
                refused => self.end_return(&going, refused == 0),
            }
        }
    }

    pub(super) fn end_return(&mut self, going: &Leaving, returned: bool) {
        self.pool.end_return(going, returned);
        if returned {
            for page in self.page.each(going.pages) {
                self.backed.remove(&page.offset);
            }
            self.mapped
                .retain(|_, page| !contains(&[going.pages], *page));
        }
    }

    pub(super) fn reserved(&self) -> u64 {
        self.backed.len() as u64 * self.page.bytes()
    }

    pub(super) fn charge_others(&mut self, what: u8, amount: u8) {
        let bytes = u64::from(amount) * 100_000;
        match what % 8 {
            0 | 1 => {
                let fits = self
                    .total()
                    .checked_add(bytes)
                    .is_some_and(|new| new <= self.limit);
                assert_eq!(self.pool.hold(bytes), fits);
                if fits {
                    self.held.push(bytes);
                    self.charge(0);
                    self.note_settled();
                }
            }
            2 | 3 => {
                if let Some(bytes) = self.held.pop() {
                    self.pool.let_go(bytes);
                }
            }
            4 | 5 => {
                let limit = if amount < 16 { u64::MAX } else { bytes * 2 };
                let fits = self.total() <= limit;
                assert_eq!(self.pool.set_limit(limit), fits);
                if fits {
                    self.limit = limit;
                }
            }
            6 if amount.is_multiple_of(2) => self.pool.set_slack(u32::from(amount)),
            6 => {
                let lower = self.mark.min(self.total().max(bytes));
                assert_eq!(self.pool.lower_mark(bytes), self.mark - lower);
                self.spare = self.spare.saturating_add(self.mark - lower);
                self.mark = lower;
            }
            7 if amount.is_multiple_of(4) => {
                self.pool.reset_highest_mark();
                self.highest_mark = self.mark;
            }
            _ => {
                self.pool.reset_peak();
                (self.peak, self.settled_peak) = (self.total(), 0);
                self.note_settled();
                for stream in self.streams.values_mut() {
                    stream.peak = stream.charged;
                }
            }
        }
    }
}
