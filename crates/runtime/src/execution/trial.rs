//! Learning a plan without the inputs: a run on memory that nobody else sees.
//!
//! Used where the inputs' contents do not decide shapes, so any contents will do. Every element is 1: zeros
//! would divide by zero, which some engines fail at. Where ones do not fit, because they are places in
//! something that has only one, every element is 0, unless a division is not guarded.

use std::ptr::NonNull;

use millpond_engine::{Bound, Open, Scratch, Tensor};
use millpond_model::Element;

use super::argument::{Argument, Data};
use super::memory::Trial;
use super::model::ModelCore;
use super::plan::{Plan, Planned, Traced};

/// What came out, and what the engine did for it.
type Watched = (Box<[Planned]>, Vec<Traced>);

impl ModelCore {
    /// A plan for inputs of these dimensions; `None` if the engine cannot run on made-up contents, or
    /// there is no memory for them.
    pub(super) fn plan_by_trial(
        &self,
        inputs: &[Argument<'_>],
        planned: Box<[Planned]>,
        contents: Vec<u8>,
    ) -> Option<Plan> {
        let (outputs, traced) = self
            .watch(inputs, &planned, Element::one)
            .or_else(|| self.watch_zeros(inputs, &planned))?;
        Some(Plan::new(contents, planned, outputs, &traced))
    }

    #[cold]
    fn watch_zeros(&self, inputs: &[Argument<'_>], planned: &[Planned]) -> Option<Watched> {
        if self.divides {
            return None;
        }
        self.watch(inputs, planned, |_| &[0])
    }

    /// Watches a run on elements that are made up.
    fn watch(
        &self,
        inputs: &[Argument<'_>],
        planned: &[Planned],
        pattern: impl Fn(Element) -> &'static [u8],
    ) -> Option<Watched> {
        let mut made_up = Vec::new();
        let mut tensors = Vec::new();
        for (input, planned) in inputs.iter().zip(planned) {
            let bytes = usize::try_from(planned.bytes).ok()?;
            let start = match input.data {
                Data::Host(data) => NonNull::from(data.get(..bytes)?).cast(),
                Data::At { .. } => {
                    let scratch = Scratch::filled(bytes, pattern(input.element))?;
                    let start = scratch.start();
                    made_up.push(scratch);
                    start
                }
            };
            tensors.push(Tensor {
                start,
                bytes,
                dims: &planned.dims,
            });
        }
        let memory = Trial::default();
        let mut outputs = Vec::new();
        let mut held = Vec::new();
        let mut show = |open: Open<'_>| {
            held.push(open.start.addr());
            outputs.push(Planned::new(self.outputs[open.index].element, open.dims));
        };
        let open = self.outputs.iter().map(|_| Bound::Open);
        self.compute(tensors.into_iter(), open, &memory, &mut show)
            .ok()?;
        let outputs: Option<Box<[Planned]>> = outputs.into_iter().collect();
        Some((outputs?, memory.traced(&held)))
    }
}
