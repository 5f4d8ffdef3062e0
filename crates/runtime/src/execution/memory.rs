//! Memory of a run: planned memory, and memory for a trial. `piecewise.rs` has the third kind, which allocates on demand.
#![expect(unsafe_code, reason = "hands out addresses that the engine writes to")]

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

use millpond_engine::RunMemory;

use super::plan::{Plan, Step, Traced};
use super::site::{Site, Spare};

/// The place that work touches at an address.
pub(super) fn pointer(address: u64) -> Option<NonNull<u8>> {
    let address = usize::try_from(address).ok()?;
    NonNull::new(std::ptr::with_exposed_provenance_mut(address))
}

/// What the engine did, and what it still holds.
#[derive(Debug, Default)]
pub(super) struct Trace {
    events: Vec<Traced>,
    /// Where each request was served.
    places: Vec<usize>,
    /// What is live: where, and the number of its request.
    live: Vec<(usize, usize)>,
}

impl Trace {
    pub(super) fn alloc(&mut self, bytes: usize, address: usize) {
        self.events.push(Traced::Alloc(bytes));
        self.live.push((address, self.places.len()));
        self.places.push(address);
    }

    pub(super) fn asked(&self) -> u64 {
        let bytes = |event: &Traced| match event {
            Traced::Alloc(bytes) => *bytes as u64,
            Traced::Free(_) => 0,
        };
        self.events.iter().map(bytes).sum()
    }

    pub(super) fn free(&mut self, address: usize) {
        if let Some(at) = self.live.iter().position(|&(known, _)| known == address) {
            let (_, request) = self.live.swap_remove(at);
            self.events.push(Traced::Free(request));
        }
    }

    /// What a run asks for whose outputs are bound: the pieces that held them, the last ones at these
    /// addresses, are left out.
    pub(super) fn without(&self, outputs: &[usize]) -> Vec<Traced> {
        let holds_output = |request: usize| {
            let place = self.places[request];
            outputs.contains(&place) && !self.places[request + 1..].contains(&place)
        };
        let mut numbers = vec![None; self.places.len()];
        let (mut request, mut next) = (0, 0);
        let mut events = Vec::with_capacity(self.events.len());
        for &event in &self.events {
            match event {
                Traced::Alloc(bytes) => {
                    if !holds_output(request) {
                        numbers[request] = Some(next);
                        next += 1;
                        events.push(Traced::Alloc(bytes));
                    }
                    request += 1;
                }
                Traced::Free(freed) => events.extend(numbers[freed].map(Traced::Free)),
            }
        }
        events
    }
}

/// One block, used as planned. Requests that deviate from the plan are served from the heap, or on a GPU from its driver.
#[derive(Debug)]
pub(super) struct Planned<'a> {
    site: &'a Site,
    plan: &'a Plan,
    start: u64,
    /// The next step.
    at: Cell<usize>,
    /// Filled once the engine has left the plan.
    astray: RefCell<Option<Astray>>,
}

#[derive(Debug, Default)]
struct Astray {
    trace: Trace,
    extra: Vec<Spare>,
}

impl<'a> Planned<'a> {
    /// `start` is where the engine finds the block.
    pub(super) fn new(site: &'a Site, plan: &'a Plan, start: u64) -> Self {
        Self {
            site,
            plan,
            start,
            at: Cell::new(0),
            astray: RefCell::new(None),
        }
    }

    /// What the engine really did, if that is not what was planned.
    pub(super) fn went_astray(&self) -> Option<Vec<Traced>> {
        let astray = self.astray.borrow();
        astray.as_ref().map(|astray| astray.trace.events.clone())
    }

    /// Pieces that the engine did not give back.
    pub(super) fn left(&self) -> usize {
        if let Some(astray) = &*self.astray.borrow() {
            return astray.trace.live.len();
        }
        let steps = &self.plan.steps[..self.at.get()];
        let gave = |step: &&Step| matches!(step, Step::Alloc { .. });
        let given = steps.iter().filter(gave).count();
        given - (steps.len() - given)
    }

    fn holds(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.plan.bytes
    }

    fn next(&self) -> Option<Step> {
        if self.astray.borrow().is_some() {
            return None;
        }
        self.plan.steps.get(self.at.get()).copied()
    }

    /// From here on nothing is placed in the block any more. What is there stays.
    #[cold]
    fn go_astray(&self, then: impl FnOnce(&mut Astray)) {
        let mut slot = self.astray.borrow_mut();
        let astray = slot.get_or_insert_with(|| {
            let mut astray = Astray::default();
            for step in &self.plan.steps[..self.at.get()] {
                let place = |offset| usize::try_from(self.start + offset).unwrap_or(usize::MAX);
                match *step {
                    Step::Alloc { bytes, offset } => astray.trace.alloc(bytes, place(offset)),
                    Step::Free { offset } => astray.trace.free(place(offset)),
                }
            }
            astray
        });
        then(astray);
    }
}

// SAFETY: pieces are placed by a plan in which none is on another while both are live, and only as long as
// every step is the planned one; others are pieces of the heap, or of a GPU's driver, which frees them after the work that
// uses them.
unsafe impl RunMemory for Planned<'_> {
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        if let Some(Step::Alloc {
            bytes: planned,
            offset,
        }) = self.next()
            && planned == bytes
        {
            self.at.set(self.at.get() + 1);
            return pointer(self.start + offset);
        }
        let scratch = self.site.spare(bytes)?;
        let start = scratch.start();
        self.go_astray(|astray| {
            astray.trace.alloc(bytes, start.as_ptr().addr());
            astray.extra.push(scratch);
        });
        Some(start)
    }

    fn free(&self, start: NonNull<u8>) -> bool {
        let address = start.as_ptr().addr() as u64;
        let inside = self.holds(address);
        if inside
            && self.next()
                == Some(Step::Free {
                    offset: address - self.start,
                })
        {
            self.at.set(self.at.get() + 1);
            return true;
        }
        let given = inside
            || self
                .astray
                .borrow()
                .as_ref()
                .is_some_and(|astray| astray.extra.iter().any(|piece| piece.start() == start));
        if given {
            self.go_astray(|astray| {
                astray.trace.free(start.as_ptr().addr());
                astray.extra.retain(|piece| piece.start() != start);
            });
        }
        given
    }
}

/// Memory for a run whose results are dropped.
#[derive(Debug)]
pub(super) struct Trial<'a> {
    site: &'a Site,
    live: RefCell<Vec<Spare>>,
    trace: RefCell<Trace>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(site: &'a Site) -> Self {
        Self {
            site,
            live: RefCell::default(),
            trace: RefCell::default(),
        }
    }

    /// How many pieces the engine has not freed.
    pub(super) fn left(&self) -> usize {
        self.live.borrow().len()
    }

    /// What the engine asks for beside its outputs, which are at these addresses.
    pub(super) fn traced(&self, outputs: &[usize]) -> Vec<Traced> {
        self.trace.borrow().without(outputs)
    }
}

// SAFETY: every answer is a piece of the heap, or of a GPU's driver, which frees it after the work that uses it.
unsafe impl RunMemory for Trial<'_> {
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        let scratch = self.site.spare(bytes)?;
        let start = scratch.start();
        self.live.borrow_mut().push(scratch);
        self.trace.borrow_mut().alloc(bytes, start.as_ptr().addr());
        Some(start)
    }

    fn free(&self, start: NonNull<u8>) -> bool {
        let mut live = self.live.borrow_mut();
        let Some(at) = live.iter().position(|piece| piece.start() == start) else {
            return false;
        };
        live.swap_remove(at);
        self.trace.borrow_mut().free(start.as_ptr().addr());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(traced: &[Traced]) -> Plan {
        Plan::new(Vec::new(), Box::default(), Box::default(), traced, 64)
    }

    /// Addresses that are only compared.
    const START: u64 = 1 << 30;

    fn offset(start: NonNull<u8>) -> u64 {
        start.as_ptr().addr() as u64 - START
    }

    #[test]
    fn requests_that_come_as_planned_are_places_in_the_block() {
        use Traced::{Alloc, Free};
        let plan = plan(&[Alloc(64), Alloc(10), Free(0), Alloc(20), Free(2), Free(1)]);
        let memory = Planned::new(&Site::Host, &plan, START);
        let [a, b] = [64, 10].map(|bytes| memory.alloc(bytes).unwrap());
        assert_eq!((offset(a), offset(b)), (0, 64));
        assert!(memory.free(a));
        let c = memory.alloc(20).unwrap();
        assert_eq!(offset(c), 0);
        assert!(memory.free(c) && memory.free(b));
        assert_eq!(memory.went_astray(), None);
        assert!(!memory.free(NonNull::dangling()), "not ours");
    }

    #[test]
    fn what_comes_otherwise_is_served_elsewhere_and_corrects_the_plan() {
        use Traced::{Alloc, Free};
        let old = plan(&[Alloc(64), Alloc(64), Free(0), Free(1)]);
        let memory = Planned::new(&Site::Host, &old, START);
        let a = memory.alloc(64).unwrap();
        // Larger than planned: the place in the block would not do.
        let b = memory.alloc(256).unwrap();
        assert!(!memory.holds(b.as_ptr().addr() as u64));
        // A planned step again, but nothing is placed in the block any more.
        let c = memory.alloc(64).unwrap();
        assert!(!memory.holds(c.as_ptr().addr() as u64));
        assert!(memory.free(a) && memory.free(b) && memory.free(c));
        assert!(!memory.free(b), "it is gone already");
        let traced = memory.went_astray().unwrap();
        let expected = [Alloc(64), Alloc(256), Alloc(64), Free(0), Free(1), Free(2)];
        assert_eq!(traced, expected);
        assert_eq!(old.corrected(&traced).bytes, 384);
    }

    #[test]
    fn pieces_that_the_engine_keeps_are_counted_on_the_plan_and_off_it() {
        use Traced::{Alloc, Free};
        let plan = plan(&[Alloc(64), Alloc(10), Free(1), Free(0)]);
        let memory = Planned::new(&Site::Host, &plan, START);
        assert_eq!(memory.left(), 0);
        let [a, b] = [64, 10].map(|bytes| memory.alloc(bytes).unwrap());
        assert!(memory.free(b));
        assert_eq!((memory.left(), memory.went_astray()), (1, None));
        let c = memory.alloc(20).unwrap();
        assert_eq!(memory.left(), 2);
        assert!(memory.free(c) && memory.free(a));
        assert_eq!(memory.left(), 0);
    }

    #[test]
    fn pieces_that_came_back_in_another_order_are_not_handed_out_twice() {
        use Traced::{Alloc, Free};
        let plan = plan(&[Alloc(64), Alloc(64), Free(0), Alloc(64)]);
        let memory = Planned::new(&Site::Host, &plan, START);
        let [a, b] = [64, 64].map(|bytes| memory.alloc(bytes).unwrap());
        assert!(memory.free(b), "the plan says that the first one goes");
        let c = memory.alloc(64).unwrap();
        assert_ne!(c, a);
        assert!(memory.went_astray().is_some());
    }

    #[test]
    fn outputs_are_left_out_of_what_was_noted() {
        use Traced::{Alloc, Free};
        let mut trace = Trace::default();
        // Two pieces at one address, one after the other; the second holds an output.
        trace.alloc(8, 100);
        trace.alloc(16, 200);
        trace.free(100);
        trace.alloc(32, 100);
        trace.free(200);
        trace.free(100);
        assert_eq!(
            trace.without(&[100]),
            [Alloc(8), Alloc(16), Free(0), Free(1)]
        );
        let all = [Alloc(8), Alloc(16), Free(0), Alloc(32), Free(1), Free(2)];
        assert_eq!(trace.without(&[]), all);
    }
}
