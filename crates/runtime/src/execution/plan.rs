//! Plans: the memory that a run needs, learned from an observed run.
//!
//! The engine asks for memory in the same order whenever it runs a graph on the same shapes. So the requests of one run
//! show where each piece of the next one can be in a single block. Pure: numbers in, numbers out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_model::Element;

use super::argument::{Argument, Data, Shapes};

use crate::lock::{Mutex, rank};

/// What the engine's kernels like their memory to be a multiple of.
pub(super) const ALIGNMENT: u64 = 64;

/// The same on a GPU.
pub(super) const GPU_ALIGNMENT: u64 = 256;

/// Plans that one model remembers.
const MOST: usize = 128;

/// One thing that the engine did while it was watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Traced {
    /// It asked for bytes.
    Alloc(usize),
    /// It gave back what it got at its request with this number, from 0.
    Free(usize),
}

/// The same, with the place in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Alloc { bytes: usize, offset: u64 },
    Free { offset: u64 },
}

/// An input or output of planned dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) dims: Box<[i64]>,
    pub(super) bytes: u64,
}

impl Planned {
    /// `None` if there are dimensions that no tensor has.
    pub(super) fn new(element: Element, dims: &[i64]) -> Option<Self> {
        Some(Self {
            bytes: bytes_of(element, dims)?,
            dims: dims.into(),
        })
    }
}

/// Bytes of a tensor; `None` if a dimension is negative or the product too large.
pub(super) fn bytes_of(element: Element, dims: &[i64]) -> Option<u64> {
    dims.iter()
        .try_fold(element.bytes() as u64, |bytes, &dim| {
            bytes.checked_mul(u64::try_from(dim).ok()?)
        })
        .filter(|&bytes| i64::try_from(bytes).is_ok())
}

/// How a graph is run on inputs of certain dimensions.
#[derive(Debug)]
pub(super) struct Plan {
    /// The contents of the inputs that decide shapes, one behind the other.
    contents: Box<[u8]>,
    pub(super) inputs: Box<[Planned]>,
    pub(super) outputs: Box<[Planned]>,
    pub(super) shapes: Shapes,
    pub(super) steps: Box<[Step]>,
    /// Every offset in the block is a multiple of this.
    alignment: u64,
    /// Bytes of the block.
    pub(super) bytes: u64,
}

impl Plan {
    pub(super) fn new(
        contents: Vec<u8>,
        inputs: Box<[Planned]>,
        outputs: Box<[Planned]>,
        traced: &[Traced],
        alignment: u64,
    ) -> Self {
        let (steps, bytes) = place(traced, alignment);
        Self {
            alignment,
            contents: contents.into(),
            shapes: outputs.iter().map(|output| output.dims.clone()).collect(),
            inputs,
            outputs,
            steps,
            bytes,
        }
    }

    /// The same for requests that came otherwise than planned.
    pub(super) fn corrected(&self, traced: &[Traced]) -> Self {
        Self::new(
            self.contents.to_vec(),
            self.inputs.clone(),
            self.outputs.clone(),
            traced,
            self.alignment,
        )
    }

    fn fits(&self, inputs: &[Argument<'_>], deciding: &[usize]) -> bool {
        let same_dims = inputs.len() == self.inputs.len()
            && inputs
                .iter()
                .zip(&self.inputs)
                .all(|(input, planned)| input.dims == &*planned.dims);
        same_dims && (deciding.is_empty() || self.has_contents(inputs, deciding))
    }

    fn has_contents(&self, inputs: &[Argument<'_>], deciding: &[usize]) -> bool {
        contents_of(inputs, deciding).is_some_and(|contents| contents[..] == *self.contents)
    }
}

/// What the deciding inputs contain; `None` if that is not known before their turn comes.
pub(super) fn contents_of(inputs: &[Argument<'_>], deciding: &[usize]) -> Option<Vec<u8>> {
    let mut contents = Vec::new();
    for &index in deciding {
        match inputs.get(index)?.data {
            Data::Host(bytes) => contents.extend_from_slice(bytes),
            Data::At { .. } => return None,
        }
    }
    Some(contents)
}

/// Places every piece where it first fits, and returns the steps and how many bytes they take together.
fn place(traced: &[Traced], alignment: u64) -> (Box<[Step]>, u64) {
    // What is in use, by offset, and the number of the request.
    let mut used: Vec<(u64, u64, usize)> = Vec::new();
    let (mut total, mut requests) = (0, 0);
    let mut steps = Vec::with_capacity(traced.len());
    for &event in traced {
        match event {
            Traced::Alloc(bytes) => {
                let length = (bytes as u64).max(1).next_multiple_of(alignment);
                let mut offset = 0;
                let mut at = 0;
                for (index, &(start, taken, _)) in used.iter().enumerate() {
                    if offset + length <= start {
                        break;
                    }
                    offset = start + taken;
                    at = index + 1;
                }
                used.insert(at, (offset, length, requests));
                requests += 1;
                total = total.max(offset + length);
                steps.push(Step::Alloc { bytes, offset });
            }
            Traced::Free(request) => {
                // Pieces that were never asked for are none of ours.
                if let Some(at) = used.iter().position(|&(_, _, number)| number == request) {
                    let (offset, _, _) = used.remove(at);
                    steps.push(Step::Free { offset });
                }
            }
        }
    }
    (steps.into(), total)
}

/// The plans of one model, the least recently used of which are forgotten.
#[derive(Debug, Default)]
pub(super) struct Plans {
    entries: Mutex<rank::Plans, Vec<Entry>>,
    clock: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    used: u64,
    plan: Arc<Plan>,
}

impl Plans {
    /// The plan for these inputs.
    pub(super) fn find(&self, inputs: &[Argument<'_>], deciding: &[usize]) -> Option<Arc<Plan>> {
        let hash = hash(inputs.iter().map(|input| input.dims));
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut entries = self.entries.lock();
        let found = entries
            .iter_mut()
            .find(|entry| entry.hash == hash && entry.plan.fits(inputs, deciding))?;
        found.used = now;
        Some(Arc::clone(&found.plan))
    }

    /// Remembers a plan, in place of one for the same inputs.
    pub(super) fn remember(&self, plan: &Arc<Plan>) {
        let hash = hash(plan.inputs.iter().map(|input| &*input.dims));
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut entries = self.entries.lock();
        entries.retain(|entry| {
            let old = &entry.plan;
            entry.hash != hash || old.inputs != plan.inputs || old.contents != plan.contents
        });
        if entries.len() >= MOST {
            let oldest = entries
                .iter()
                .enumerate()
                .min_by_key(|(_, entry)| entry.used);
            if let Some((index, _)) = oldest {
                entries.swap_remove(index);
            }
        }
        entries.push(Entry {
            hash,
            used,
            plan: Arc::clone(plan),
        });
    }
}

/// A number for dimensions; different ones have different numbers as a rule.
fn hash<'a>(shapes: impl Iterator<Item = &'a [i64]>) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    shapes.fold(0, |hash, dims| {
        let hash = mix(hash, dims.len() as u64);
        dims.iter()
            .fold(hash, |hash, dim| mix(hash, dim.cast_unsigned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(dims: &[i64]) -> Argument<'_> {
        Argument {
            data: Data::At {
                address: 0,
                bytes: 0,
            },
            element: Element::F32,
            dims,
        }
    }

    fn plan(dims: &[i64], contents: &[u8]) -> Arc<Plan> {
        let inputs = Box::new([Planned::new(Element::F32, dims).unwrap()]);
        Arc::new(Plan::new(
            contents.to_vec(),
            inputs,
            Box::new([]),
            &[],
            ALIGNMENT,
        ))
    }

    #[test]
    fn pieces_lie_where_they_first_fit_and_never_on_each_other() {
        use Traced::{Alloc, Free};
        let traced = [
            Alloc(100),
            Alloc(64),
            Free(0),
            Alloc(128),
            Alloc(1),
            Free(1),
            Free(2),
            Free(3),
        ];
        let (steps, bytes) = place(&traced, ALIGNMENT);
        let offsets: Vec<u64> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Alloc { offset, .. } => Some(*offset),
                Step::Free { .. } => None,
            })
            .collect();
        assert_eq!(offsets, [0, 128, 0, 192]);
        assert_eq!(bytes, 256);
        assert_eq!(steps.len(), traced.len());
    }

    #[test]
    fn pieces_of_a_gpu_are_aligned_as_its_driver_does() {
        use Traced::{Alloc, Free};
        let traced = [Alloc(100), Alloc(300), Free(0), Alloc(1), Free(1), Free(2)];
        let (steps, bytes) = place(&traced, GPU_ALIGNMENT);
        let at = |step: &Step| match *step {
            Step::Alloc { offset, .. } | Step::Free { offset } => offset,
        };
        assert!(steps.iter().all(|step| at(step) % GPU_ALIGNMENT == 0));
        assert_eq!(bytes, 768);
        let plan = Plan::new(
            Vec::new(),
            Box::new([]),
            Box::new([]),
            &traced,
            GPU_ALIGNMENT,
        );
        assert_eq!(
            plan.corrected(&traced[..1]).bytes,
            256,
            "the alignment stays"
        );
    }

    #[test]
    fn a_plan_is_found_by_dimensions_and_deciding_contents() {
        let plans = Plans::default();
        plans.remember(&plan(&[2, 3], &[]));
        assert!(plans.find(&[input(&[2, 3])], &[]).is_some());
        assert!(plans.find(&[input(&[3, 2])], &[]).is_none());
        assert!(plans.find(&[input(&[2, 3]), input(&[])], &[]).is_none());
        plans.remember(&plan(&[1], &[7]));
        let host = |bytes| Argument {
            data: Data::Host(bytes),
            element: Element::F32,
            dims: &[1],
        };
        assert!(plans.find(&[host(&[7])], &[0]).is_some());
        assert!(plans.find(&[host(&[8])], &[0]).is_none());
        assert!(
            plans.find(&[input(&[1])], &[0]).is_none(),
            "nobody knows what it contains"
        );
    }

    #[test]
    fn the_least_recently_used_plan_is_forgotten() {
        let plans = Plans::default();
        for size in 0..i64::try_from(MOST).unwrap() {
            plans.remember(&plan(&[size], &[]));
        }
        assert!(plans.find(&[input(&[0])], &[]).is_some());
        plans.remember(&plan(&[1_000_000], &[]));
        assert!(plans.find(&[input(&[0])], &[]).is_some());
        assert!(plans.find(&[input(&[1])], &[]).is_none());
        plans.remember(&plan(&[0], &[]));
        assert_eq!(plans.entries.lock().len(), MOST);
    }

    #[test]
    fn bytes_of_tensors_are_counted_without_overflow() {
        assert_eq!(bytes_of(Element::F32, &[2, 3]), Some(24));
        assert_eq!(bytes_of(Element::F64, &[]), Some(8));
        assert_eq!(bytes_of(Element::I8, &[0, 5]), Some(0));
        assert_eq!(bytes_of(Element::F32, &[-1]), None);
        assert_eq!(bytes_of(Element::F32, &[i64::MAX, 2]), None);
    }
}
