//! What a function will do: operands, scratch memory, steps.
#![expect(
    unsafe_code,
    reason = "steps see memory whose addresses the caller of `Plan::run` vouches for"
)]

use std::fmt;
use std::ops::Range;

use millpond_kernels::{Dims, Element, View, contiguous_strides, count};
use smallvec::SmallVec;

use crate::exchange::{Exchange, Side};
use crate::overflow::overflowed;
use crate::refusal::Refusal;
use crate::tensor::{Blocks, Tensor};

/// A plan, or why there is none.
pub type Planned = Result<Plan, Refusal>;

/// Where pieces of scratch memory begin: at multiples of this.
const ALIGNMENT: u64 = 64;

/// What a run does with an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads it.
    Read,
    /// It writes it.
    Write,
    /// It reads and writes it.
    ReadWrite,
}

/// Memory that a run uses.
#[derive(Debug, Clone, Copy)]
pub struct Operand {
    /// Which tensor it belongs to.
    pub id: u64,
    /// Where its first element is.
    pub address: u64,
    /// How many bytes it reaches over.
    pub bytes: u64,
    /// What is done with it.
    pub access: Access,
    element: Element,
}

/// How the elements of an operand lie. Apart from it: what is larger than this is moved by a call.
#[derive(Debug)]
struct Layout {
    dims: Dims,
    strides: Dims,
}

impl Layout {
    fn is_of(&self, tensor: &Tensor) -> bool {
        self.dims == tensor.dims && self.strides == tensor.strides
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Operand(usize),
    /// So many bytes into the scratch memory.
    Scratch(u64),
}

/// Elements that steps use: an operand, scratch memory, or a part of one in another layout.
#[derive(Debug, Clone)]
pub struct Value {
    base: Base,
    /// In elements, from where the base begins.
    offset: i64,
    element: Element,
    dims: Dims,
    strides: Dims,
}

/// Elements that a step uses: an operand as it lies in memory, or another value. Small, unlike a [`Value`]: a step is moved several
/// times before it is in its plan, and what is in it with it.
#[derive(Debug, Clone)]
pub enum Place {
    /// The operand with this number.
    Operand(usize),
    /// Anything else.
    Other(Box<Value>),
}

/// Where the memory of a plan is during one run.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    operands: &'a [u64],
    plan: &'a Parts,
    scratch: u64,
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("operands", &self.operands)
            .field("scratch", &self.scratch)
            .finish_non_exhaustive()
    }
}

impl Memory<'_> {
    /// The elements at a place.
    #[inline]
    pub fn at(&self, place: &Place) -> View {
        match place {
            Place::Operand(index) => {
                let (operand, layout) = (&self.plan.operands[*index], &self.plan.layouts[*index]);
                let address = usize::try_from(self.operands[*index]).unwrap_or(0);
                let data = std::ptr::with_exposed_provenance_mut(address);
                // SAFETY: the caller of `Plan::run` vouches for operands.
                unsafe {
                    View::new(
                        data,
                        operand.element,
                        layout.dims.clone(),
                        layout.strides.clone(),
                    )
                }
            }
            Place::Other(value) => self.view(value),
        }
    }

    /// The elements of a value.
    pub fn view(&self, value: &Value) -> View {
        let start = match value.base {
            Base::Operand(index) => self.operands[index],
            Base::Scratch(offset) => self.scratch + offset,
        };
        let bytes = value.offset.unsigned_abs() * value.element.bytes() as u64;
        let address = usize::try_from(start + bytes).unwrap_or(0);
        let data = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the caller of `Plan::run` vouches for operands and scratch memory; values are inside them by construction.
        unsafe {
            View::new(
                data,
                value.element,
                value.dims.clone(),
                value.strides.clone(),
            )
        }
    }
}

/// One step of a run.
type Step = Box<dyn Fn(&Memory<'_>) -> Result<(), String> + Send + Sync>;

/// What a function will do.
#[derive(Default)]
pub struct Plan {
    /// Formulas hand plans on several times, so they are not copied with all that is in them.
    parts: Box<Parts>,
}

#[derive(Default)]
struct Parts {
    operands: SmallVec<[Operand; 4]>,
    /// One for each operand.
    layouts: SmallVec<[Layout; 4]>,
    scratch: u64,
    /// How many bytes of scratch memory more the same function may need with other lengths.
    spare: u64,
    steps: SmallVec<[Step; 1]>,
    /// Results that wait in scratch memory for their inputs to be read. Few plans have one.
    deferred: Vec<(Value, Value)>,
    /// Whether the formula knows floats of 8 bits.
    narrow: bool,
    /// Why a tensor cannot be used as it lies in memory.
    refused: Option<Refusal>,
    /// What is exchanged with other ranks. Few functions do.
    exchange: Option<Box<Exchange>>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("operands", &self.parts.operands)
            .field("scratch", &self.parts.scratch)
            .field("steps", &self.parts.steps.len())
            .finish_non_exhaustive()
    }
}

impl Plan {
    /// A plan that does nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The memory that a run uses.
    #[inline]
    pub fn operands(&self) -> &[Operand] {
        &self.parts.operands
    }

    /// How many bytes of scratch memory a run needs.
    #[inline]
    pub fn scratch(&self) -> u64 {
        self.parts.scratch
    }

    /// How many bytes of scratch memory a run needs at most, whatever the lengths of its sequences are.
    pub fn most_scratch(&self) -> u64 {
        self.parts.scratch.saturating_add(self.parts.spare)
    }

    /// How many elements the largest operand has: what a run costs, roughly.
    #[inline]
    pub fn size(&self) -> u64 {
        self.parts
            .operands
            .iter()
            .map(|operand| operand.bytes)
            .sum::<u64>()
            + self.parts.scratch
    }

    /// Whether there is nothing to do.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.parts.steps.is_empty() && self.parts.exchange.is_none()
    }

    /// What is exchanged with other ranks.
    #[inline]
    pub fn exchanges(&self) -> Option<&Exchange> {
        self.parts.exchange.as_deref()
    }

    /// The steps come with an exchange between ranks.
    pub(crate) fn exchange(&mut self, exchange: Exchange) {
        self.parts.exchange = Some(Box::new(exchange));
    }

    /// How many steps there are.
    #[inline]
    pub fn steps(&self) -> usize {
        self.parts.steps.len()
    }

    /// Where scratch memory is, for an exchange.
    pub(crate) fn side(value: &Value) -> Side {
        match value.base {
            Base::Scratch(begin) => Side::Workspace(begin),
            Base::Operand(_) => unreachable!("{value:?} is not scratch memory"),
        }
    }

    /// Elements of another type inside scratch memory, so many bytes behind its beginning. They are contiguous.
    pub(crate) fn inside(region: &Value, bytes: i64, element: Element, dims: &[i64]) -> Value {
        let Base::Scratch(begin) = region.base else {
            unreachable!("{region:?} is not scratch memory");
        };
        let end = bytes + i64::try_from(count(dims) * element.bytes()).unwrap_or(i64::MAX);
        let room = i64::try_from(region.count() * region.element.bytes()).unwrap_or(0);
        assert!(
            bytes >= 0 && end <= room,
            "{dims:?} at {bytes} of {region:?}"
        );
        Value {
            base: Base::Scratch(begin + bytes.unsigned_abs()),
            offset: 0,
            element,
            dims: dims.into(),
            strides: contiguous_strides(dims),
        }
    }

    /// Changes where the operands of a tensor are; false if it has none here.
    pub fn set_address(&mut self, id: u64, address: u64) -> bool {
        let mut found = false;
        for operand in self
            .parts
            .operands
            .iter_mut()
            .filter(|operand| operand.id == id)
        {
            operand.address = address;
            found = true;
        }
        found
    }

    /// Runs the steps: `operands` says where each operand's first element is, `scratch` where scratch memory begins.
    ///
    /// # Safety
    ///
    /// Every operand has its bytes, which may be read and written as its [`Access`] says, and `scratch` has as many as
    /// [`Plan::scratch`] says, aligned to 64. Nothing else touches them while this runs.
    pub unsafe fn run(&self, operands: &[u64], scratch: u64) -> Result<(), String> {
        // SAFETY: the caller's promise.
        unsafe { self.run_some(operands, scratch, 0..self.parts.steps.len()) }
    }

    /// A plan that runs nothing and whose results are these tensors: for [`Plan::overflowed`].
    pub fn of_results<'t>(results: impl Iterator<Item = &'t Tensor>) -> Self {
        let mut plan = Self::new();
        for result in results {
            plan.number_of(result, Access::Write);
        }
        plan
    }

    /// Whether a float that a run has written is infinite or not a number. With `saturates`, infinities become the largest number
    /// of their sign, and what is no number becomes 0.
    ///
    /// # Safety
    ///
    /// As for [`Plan::run`].
    pub unsafe fn overflowed(&self, operands: &[u64], saturates: bool) -> bool {
        let memory = Memory {
            operands,
            plan: &self.parts,
            scratch: 0,
        };
        let mut found = false;
        for (index, operand) in self.parts.operands.iter().enumerate() {
            if operand.access != Access::Read && operand.bytes > 0 {
                found |= overflowed(&memory.at(&Place::Operand(index)), saturates);
            }
        }
        found
    }

    /// The same for some of the steps: those before an exchange, or those behind it.
    ///
    /// # Safety
    ///
    /// As for [`Plan::run`]. The scratch memory is as the steps before have left it.
    pub unsafe fn run_some(
        &self,
        operands: &[u64],
        scratch: u64,
        steps: Range<usize>,
    ) -> Result<(), String> {
        debug_assert_eq!(operands.len(), self.parts.operands.len());
        let memory = Memory {
            operands,
            plan: &self.parts,
            scratch,
        };
        let steps = self.parts.steps.get(steps).unwrap_or_default();
        let run = || steps.iter().try_for_each(|step| step(&memory));
        // The stream fails then, like for any other reason. A panic would stop it for good.
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("a panic");
            Err(format!(
                "a bug in Millpond stopped this run; please report it: {text}"
            ))
        })
    }

    /// The number of the operand that a tensor is.
    fn number_of(&mut self, tensor: &Tensor, access: Access) -> usize {
        let Parts {
            operands, layouts, ..
        } = &mut *self.parts;
        let known = operands
            .iter()
            .zip(&*layouts)
            .position(|(operand, layout)| {
                operand.id == tensor.id
                    && operand.address == tensor.address
                    && operand.element == tensor.element()
                    && layout.is_of(tensor)
            });
        if let Some(index) = known {
            let known = &mut operands[index].access;
            if *known != access {
                *known = Access::ReadWrite;
            }
            return index;
        }
        operands.push(Operand {
            id: tensor.id,
            address: tensor.address,
            bytes: tensor.bytes(),
            access,
            element: tensor.element(),
        });
        layouts.push(Layout {
            dims: tensor.dims.clone(),
            strides: tensor.strides.clone(),
        });
        operands.len() - 1
    }

    fn operand(&mut self, tensor: &Tensor, access: Access) -> Value {
        Value {
            base: Base::Operand(self.number_of(tensor, access)),
            offset: 0,
            element: tensor.element(),
            dims: tensor.dims.clone(),
            strides: tensor.strides.clone(),
        }
    }

    /// The elements at a place, as a value.
    pub fn value(&self, place: &Place) -> Value {
        match place {
            Place::Operand(index) => {
                let layout = &self.parts.layouts[*index];
                Value {
                    base: Base::Operand(*index),
                    offset: 0,
                    element: self.parts.operands[*index].element,
                    dims: layout.dims.clone(),
                    strides: layout.strides.clone(),
                }
            }
            Place::Other(value) => Value::clone(value),
        }
    }

    /// As [`Plan::input`], for steps that use a tensor as it is.
    pub fn input_place(&mut self, tensor: &Tensor) -> Place {
        if tensor.has_blocks() {
            return Place::Other(Box::new(self.input(tensor)));
        }
        Place::Operand(self.number_of(tensor, Access::Read))
    }

    /// A tensor that is read. One that is stored in blocks is copied out of them.
    pub fn input(&mut self, tensor: &Tensor) -> Value {
        match tensor.blocks() {
            None => self.operand(tensor, Access::Read),
            Some(Ok(blocks)) => self.unpacked(tensor, &blocks),
            Some(Err(text)) => {
                self.parts.refused = Some(Refusal::unsupported(text));
                self.operand(tensor, Access::Read)
            }
        }
    }

    /// The storage of a tensor in blocks, as rows of `width` columns: `[…, columns / width, rows, width]`.
    pub(crate) fn block_rows(&mut self, tensor: &Tensor, blocks: &Blocks, access: Access) -> Value {
        let rank = tensor.storage.len();
        let mut dims = Dims::from_slice(&tensor.storage[..rank - 3]);
        dims.extend([
            tensor.storage[rank - 3] * tensor.storage[rank - 2],
            blocks.width,
        ]);
        let mut whole = Tensor::dense(tensor.element(), &dims, tensor.address);
        whole.id = tensor.id;
        self.operand(&whole, access)
    }

    fn unpacked(&mut self, tensor: &Tensor, blocks: &Blocks) -> Value {
        let from = self.block_rows(tensor, blocks, Access::Read);
        let (rank, [rows, columns]) = (from.rank(), blocks.matrix);
        let from = from.transpose(rank - 3, rank - 2).narrow(rank - 3, 0, rows);
        let copy = self.temp(from.element(), from.dims());
        self.copy(&from, &copy);
        let mut dims = blocks.lead.clone();
        dims.extend([rows, copy.dim(rank - 2) * blocks.width]);
        let copy = copy.reshaped(&dims).unwrap_or(copy);
        let matrix = copy.narrow(dims.len() - 1, 0, columns);
        if blocks.turned {
            matrix.transpose(dims.len() - 2, dims.len() - 1)
        } else {
            matrix
        }
    }

    /// Notes that a tensor is written which lies in blocks: only the function that makes them does that.
    #[inline]
    fn expect_plain(&mut self, tensor: &Tensor) {
        if tensor.has_blocks() {
            self.parts.refused = Some(Refusal::unsupported(format!(
                "a tensor of {:?} that is written is stored in FRACTAL_NZ; Millpond writes that format with aclnnNpuFormatCast only",
                tensor.dims
            )));
        }
    }

    /// A tensor that is read and written: for steps that work in place.
    pub fn in_place(&mut self, tensor: &Tensor) -> Value {
        self.expect_plain(tensor);
        self.operand(tensor, Access::ReadWrite)
    }

    /// Where the results for a tensor go. Ask after all inputs are named, and only for kernels that work element by element: an
    /// input in the same layout may share the memory. Other overlaps are resolved by a detour through scratch memory.
    pub fn output(&mut self, tensor: &Tensor) -> Value {
        match self.output_place(tensor) {
            Place::Other(value) => *value,
            place @ Place::Operand(_) => self.value(&place),
        }
    }

    /// As [`Plan::output`], for steps that use a tensor as it is.
    pub fn output_place(&mut self, tensor: &Tensor) -> Place {
        self.output_unless(tensor, |operand, layout| {
            operand.address == tensor.address
                && operand.element == tensor.element()
                && layout.is_of(tensor)
        })
    }

    /// The same for kernels whose inputs must not change while they write.
    pub fn output_apart(&mut self, tensor: &Tensor) -> Value {
        match self.output_place_apart(tensor) {
            Place::Other(value) => *value,
            place @ Place::Operand(_) => self.value(&place),
        }
    }

    /// As [`Plan::output_apart`], for steps that use a tensor as it is.
    pub fn output_place_apart(&mut self, tensor: &Tensor) -> Place {
        self.output_unless(tensor, |_, _| false)
    }

    #[inline(always)]
    fn output_unless(
        &mut self,
        tensor: &Tensor,
        harmless: impl Fn(&Operand, &Layout) -> bool,
    ) -> Place {
        self.expect_plain(tensor);
        let end = tensor.address.saturating_add(tensor.bytes());
        let repeats = tensor
            .dims
            .iter()
            .zip(&tensor.strides)
            .any(|(dim, stride)| *dim > 1 && *stride == 0);
        let mut operands = self.parts.operands.iter().zip(&self.parts.layouts);
        let collides = operands.any(|(operand, layout)| {
            let meets = operand.address < end
                && tensor.address < operand.address.saturating_add(operand.bytes);
            meets && operand.access != Access::Write && !harmless(operand, layout)
        });
        let target = Place::Operand(self.number_of(tensor, Access::Write));
        if !collides && !repeats {
            return target;
        }
        let (detour, target) = (
            self.temp(tensor.element(), &tensor.dims),
            self.value(&target),
        );
        self.parts.deferred.push((detour.clone(), target));
        Place::Other(Box::new(detour))
    }

    /// Where a tensor `from` is changed into `out`: it has `from`'s elements, and steps may change them. Ask after all other inputs are
    /// named; none of them shares the memory that is returned. Often both are one tensor, and nothing is copied.
    pub fn changed(&mut self, from: &Tensor, out: &Tensor) -> Value {
        if !from.same_layout(out) {
            let input = self.input(from);
            let target = self.output_apart(out);
            self.copy(&input, &target);
            return target;
        }
        let target = self.output_apart(out);
        let input = self.input(from);
        if matches!(target.base, Base::Scratch(_)) {
            self.copy(&input, &target);
        }
        target
    }

    /// The same if the dimensions depend on lengths: with other lengths they are at most `most`.
    pub fn temp_within(&mut self, element: Element, dims: &[i64], most: &[i64]) -> Value {
        let more = (count(most) as u64).saturating_sub(count(dims) as u64);
        let more = more.saturating_mul(element.bytes() as u64);
        // What comes after it may begin later by so much.
        let more = more.saturating_add(ALIGNMENT);
        self.parts.spare = self.parts.spare.saturating_add(more);
        self.temp(element, dims)
    }

    /// Scratch memory for contiguous elements. It is not initialised.
    pub fn temp(&mut self, element: Element, dims: &[i64]) -> Value {
        let begin = self.parts.scratch.next_multiple_of(ALIGNMENT);
        self.parts.scratch =
            begin.saturating_add((count(dims) as u64).saturating_mul(element.bytes() as u64));
        Value {
            base: Base::Scratch(begin),
            offset: 0,
            element,
            dims: dims.into(),
            strides: contiguous_strides(dims),
        }
    }

    /// Adds a step. It may use the values of this plan and nothing else that lives in device memory.
    pub fn step(&mut self, step: impl Fn(&Memory<'_>) + Send + Sync + 'static) {
        self.try_step(move |memory| {
            step(memory);
            Ok(())
        });
    }

    /// Adds a step that may find, in the elements, that it cannot be done.
    pub fn try_step(
        &mut self,
        step: impl Fn(&Memory<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.parts.steps.push(Box::new(step));
    }

    /// The formula knows floats of 8 bits. All others refuse them.
    pub fn takes_narrow(&mut self) {
        self.parts.narrow = true;
    }

    /// The plan is complete: results that wait in scratch memory go where they belong.
    pub fn done(mut self) -> Planned {
        if let Some(refusal) = self.parts.refused.take() {
            return Err(refusal);
        }
        let narrow = self
            .parts
            .operands
            .iter()
            .find(|one| one.element.is_float8());
        if let Some(operand) = narrow.filter(|_| !self.parts.narrow) {
            return Err(Refusal::unsupported(format!(
                "a tensor has the type {}; Millpond does not compute this function of it",
                operand.element.name()
            )));
        }
        for (from, to) in std::mem::take(&mut self.parts.deferred) {
            self.copy(&from, &to);
        }
        Ok(self)
    }
}

impl Value {
    /// The type of its elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Whether both are the same elements in the same order.
    pub fn is(&self, other: &Self) -> bool {
        self.base == other.base
            && self.offset == other.offset
            && self.element == other.element
            && self.dims == other.dims
            && self.strides == other.strides
    }

    /// Its dimensions.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The distances between neighbours along each axis, in elements.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// How many axes it has.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The dimension of an axis.
    pub fn dim(&self, axis: usize) -> i64 {
        self.dims[axis]
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        count(&self.dims)
    }

    /// Whether its elements are contiguous, in order.
    pub fn is_contiguous(&self) -> bool {
        if self.dims.contains(&0) {
            return true;
        }
        let expected = contiguous_strides(&self.dims);
        let axes = self.dims.iter().zip(self.strides.iter().zip(&expected));
        axes.into_iter()
            .all(|(dim, (stride, expected))| *dim == 1 || stride == expected)
    }

    fn with(&self, offset: i64, dims: Dims, strides: Dims) -> Self {
        Self {
            base: self.base,
            offset: self.offset + offset,
            element: self.element,
            dims,
            strides,
        }
    }

    /// With its axes in another order: axis `i` of the result is axis `order[i]` of this value.
    #[must_use]
    pub fn permute(&self, order: &[usize]) -> Self {
        let dims = order.iter().map(|axis| self.dims[*axis]).collect();
        let strides = order.iter().map(|axis| self.strides[*axis]).collect();
        self.with(0, dims, strides)
    }

    /// With two axes swapped.
    #[must_use]
    pub fn transpose(&self, one: usize, other: usize) -> Self {
        let mut order: SmallVec<[usize; 6]> = (0..self.rank()).collect();
        order.swap(one, other);
        self.permute(&order)
    }

    /// With one axis moved to the end.
    #[must_use]
    pub fn axis_last(&self, axis: usize) -> Self {
        let order: SmallVec<[usize; 6]> = (0..self.rank())
            .filter(|other| *other != axis)
            .chain(Some(axis))
            .collect();
        self.permute(&order)
    }

    /// With the last axis moved to where `axis` says: undoes [`Value::axis_last`].
    #[must_use]
    pub fn axis_back(&self, axis: usize) -> Self {
        let last = self.rank() - 1;
        let order: SmallVec<[usize; 6]> = (0..axis).chain(Some(last)).chain(axis..last).collect();
        self.permute(&order)
    }

    /// Repeated along new and one-element axes to fill `dims`, which it must broadcast to.
    #[must_use]
    pub fn expand(&self, dims: &[i64]) -> Self {
        let missing = dims.len() - self.rank();
        let stride = |axis: usize| {
            let own = axis.checked_sub(missing)?;
            (self.dims[own] == dims[axis]).then(|| self.strides[own])
        };
        let strides = (0..dims.len())
            .map(|axis| stride(axis).unwrap_or(0))
            .collect();
        self.with(0, dims.into(), strides)
    }

    /// `length` elements of an axis from `start` on.
    #[must_use]
    pub fn narrow(&self, axis: usize, start: i64, length: i64) -> Self {
        assert!(start >= 0 && length >= 0 && start + length <= self.dims[axis]);
        let mut dims = self.dims.clone();
        dims[axis] = length;
        // Nothing is behind a value without elements.
        let offset = if length == 0 {
            0
        } else {
            start * self.strides[axis]
        };
        self.with(offset, dims, self.strides.clone())
    }

    /// Without an axis, at one of its positions.
    #[must_use]
    pub fn select(&self, axis: usize, position: i64) -> Self {
        let mut value = self.narrow(axis, position, 1);
        value.dims.remove(axis);
        value.strides.remove(axis);
        value
    }

    /// With a new axis of one element.
    #[must_use]
    pub fn unsqueeze(&self, axis: usize) -> Self {
        let (mut dims, mut strides) = (self.dims.clone(), self.strides.clone());
        dims.insert(axis, 1);
        strides.insert(axis, 0);
        self.with(0, dims, strides)
    }

    /// Without an axis of one element.
    #[must_use]
    pub fn squeeze(&self, axis: usize) -> Self {
        self.select(axis, 0)
    }

    /// With every `step`-th element of an axis.
    #[must_use]
    pub fn every(&self, axis: usize, step: i64) -> Self {
        let (mut dims, mut strides) = (self.dims.clone(), self.strides.clone());
        dims[axis] = (dims[axis] + step - 1) / step;
        strides[axis] *= step;
        self.with(0, dims, strides)
    }

    /// With an axis taken apart into two, of which the second has `inner` elements.
    #[must_use]
    pub fn split(&self, axis: usize, inner: i64) -> Self {
        let (mut dims, mut strides) = (self.dims.clone(), self.strides.clone());
        let outer = dims[axis].checked_div(inner).unwrap_or(0);
        assert_eq!(
            outer * inner,
            dims[axis],
            "{inner} does not divide {dims:?}"
        );
        dims[axis] = outer;
        dims.insert(axis + 1, inner);
        strides.insert(axis + 1, strides[axis]);
        strides[axis] = strides[axis].saturating_mul(inner);
        self.with(0, dims, strides)
    }

    /// With two axes replaced by one, at the end: the positions where both are equal.
    #[must_use]
    pub fn diagonal(&self, one: usize, other: usize) -> Self {
        let (mut dims, mut strides) = (self.dims.clone(), self.strides.clone());
        let length = dims[one].min(dims[other]);
        let stride = strides[one] + strides[other];
        for axis in [one.max(other), one.min(other)] {
            dims.remove(axis);
            strides.remove(axis);
        }
        dims.push(length);
        strides.push(stride);
        self.with(0, dims, strides)
    }

    /// Whether the elements of its last axis are contiguous.
    pub fn has_rows(&self) -> bool {
        match (self.dims.last(), self.strides.last()) {
            (Some(dim), Some(stride)) => *dim <= 1 || *stride == 1,
            _ => true,
        }
    }

    /// With other dimensions over the same elements in the same order; `None` unless they are contiguous.
    pub fn reshaped(&self, dims: &[i64]) -> Option<Self> {
        assert_eq!(count(dims), self.count(), "{:?} as {dims:?}", self.dims);
        self.is_contiguous()
            .then(|| self.with(0, dims.into(), contiguous_strides(dims)))
    }

    /// The same bytes taken for elements of another type of the same size.
    #[must_use]
    pub fn reinterpret(&self, element: Element) -> Self {
        assert_eq!(element.bytes(), self.element.bytes());
        Self {
            element,
            ..self.clone()
        }
    }
}
