//! Memory as pages that are mapped into one large range of addresses.
//!
//! The range is reserved once. Each page of the pool is one piece of physical memory, because a piece can only
//! be mapped and unmapped as a whole: so any page can be returned on its own.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_pool::{PAGE, PageSize, Pages};
use parking_lot::Mutex;

use crate::calls::{Calls, Refused};
use crate::noted;
use crate::source::{Gone, Kind, Shortage, Source};

/// Addresses to ask for, as multiples of the limit: plenty first, so that a large block seldom lacks a run.
const RANGES: [u64; 4] = [8, 4, 2, 1];

#[derive(Debug)]
pub(crate) struct Mapped {
    calls: Arc<dyn Calls>,
    device: i32,
    base: u64,
    range: u64,
    /// The physical memory behind each page, by its offset.
    pieces: Mutex<HashMap<u64, u64>>,
}

impl Mapped {
    /// Reserves a range and tries it with one page.
    pub(crate) fn open(calls: Arc<dyn Calls>, device: i32, limit: u64) -> Result<Self, Refused> {
        let unit = calls.granularity(device)?;
        let unfit = |call| Refused { call, code: 0 };
        if unit == 0 || !PAGE.is_multiple_of(unit) {
            return Err(unfit("aclrtMemGetAllocationGranularity"));
        }
        let limit = limit.max(PAGE).next_multiple_of(PAGE);
        let mut refused = unfit("aclrtReserveMemAddress");
        for times in RANGES {
            let Some(range) = limit.checked_mul(times) else {
                continue;
            };
            match calls.reserve(range) {
                Ok(base) => {
                    let mapped = Self {
                        calls,
                        device,
                        base,
                        range,
                        pieces: Mutex::default(),
                    };
                    return match mapped.try_out(unit) {
                        Ok(()) => Ok(mapped),
                        Err(why) => {
                            // A page that cannot be unmapped keeps its range.
                            if mapped.pieces() == 0 {
                                mapped.close();
                            }
                            Err(why)
                        }
                    };
                }
                Err(why) => refused = why,
            }
        }
        Err(refused)
    }

    fn try_out(&self, unit: u64) -> Result<(), Refused> {
        if !self.base.is_multiple_of(unit) {
            return Err(Refused {
                call: "aclrtReserveMemAddress",
                code: 0,
            });
        }
        let page = PageSize::SMALLEST.one(0);
        self.back(page).map_err(|shortage| shortage.why)?;
        if self.take_out(page) == Gone::Returned {
            return Ok(());
        }
        // It is of no use to us, but the page should not stay.
        self.take_out(page);
        Err(Refused {
            call: "aclrtUnmapMem",
            code: 0,
        })
    }

    fn back_page(&self, offset: u64) -> Result<(), Refused> {
        let handle = self.calls.physical(self.device, PAGE)?;
        if let Err(why) = self.calls.map(self.base + offset, PAGE, handle) {
            self.calls.free_physical(handle);
            return Err(why);
        }
        self.pieces.lock().insert(offset, handle);
        noted::added(self.device, self.base + offset, PAGE);
        Ok(())
    }

    /// Takes a run out of the range. All of it is unmapped before anything is freed, so that there
    /// is a way back.
    fn take_out(&self, run: Pages) -> Gone {
        let mut unmapped = Vec::new();
        for page in run.each() {
            let Some(handle) = self.pieces.lock().get(&page.offset).copied() else {
                // A page that is not ours cannot be asked for; nothing sensible follows from it.
                return Gone::Lost;
            };
            if self.calls.unmap(self.base + page.offset).is_err() {
                return self.map_again(&unmapped);
            }
            unmapped.push((page.offset, handle));
        }
        for (offset, handle) in unmapped {
            noted::returned(self.base + offset, PAGE);
            self.pieces.lock().remove(&offset);
            // Unmapped memory that the runtime will not take is its own affair.
            self.calls.free_physical(handle);
        }
        Gone::Returned
    }

    fn map_again(&self, unmapped: &[(u64, u64)]) -> Gone {
        let mut result = Gone::Stayed;
        for &(offset, handle) in unmapped {
            if self.calls.map(self.base + offset, PAGE, handle).is_err() {
                noted::returned(self.base + offset, PAGE);
                self.pieces.lock().remove(&offset);
                self.calls.free_physical(handle);
                result = Gone::Lost;
            }
        }
        result
    }
}

impl Source for Mapped {
    fn kind(&self) -> Kind {
        Kind::Mapped
    }

    fn range(&self) -> u64 {
        self.range
    }

    fn address(&self, offset: u64) -> u64 {
        self.base + offset
    }

    fn offset(&self, address: u64) -> Option<u64> {
        address
            .checked_sub(self.base)
            .filter(|&offset| offset < self.range)
    }

    fn back(&self, pages: Pages) -> Result<(), Shortage> {
        for page in pages.each() {
            self.back_page(page.offset).map_err(|why| Shortage {
                missing: page.offset,
                why,
            })?;
        }
        Ok(())
    }

    fn give_back(&self, runs: &[Pages]) -> Vec<Gone> {
        runs.iter().map(|&run| self.take_out(run)).collect()
    }

    fn pieces(&self) -> usize {
        self.pieces.lock().len()
    }

    fn close(&self) {
        self.calls.release(self.base);
    }
}
