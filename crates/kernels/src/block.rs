//! Elements in blocks: some hundred at a time, in the type that is computed in.
//!
//! A kernel works on blocks of neighbours in row-major order. Where a view already has its elements so, a block is a pointer into
//! it; otherwise the elements are collected and converted into a buffer on the stack, and results go back the same way. So a kernel is
//! written once for each type that it computes in, not for each combination of stored types and layouts.
#![expect(
    unsafe_code,
    reason = "reads and writes runs of elements at addresses inside a view"
)]

use std::mem::MaybeUninit;

use half::slice::HalfFloatSliceExt as _;
use half::{bf16, f16};
use millpond_model::Element;
use num_complex::{Complex32, Complex64};

use crate::dims::Dims;
use crate::element::{Bool8, ComplexHalf, Compute, F8E4M3, F8E5M2, F8E8M0, Stored};
use crate::view::View;

/// Elements in a block.
pub const BLOCK: usize = 512;

/// Room for a block that is converted.
pub(crate) type Buffer<C> = MaybeUninit<[C; BLOCK]>;

/// Calls a function with the type that elements are stored as.
macro_rules! stored {
    ($element:expr, $type:ident => $body:expr) => {
        match $element {
            Element::F32 => {
                type $type = f32;
                $body
            }
            Element::F64 => {
                type $type = f64;
                $body
            }
            Element::F16 => {
                type $type = f16;
                $body
            }
            Element::BF16 => {
                type $type = bf16;
                $body
            }
            Element::I64 => {
                type $type = i64;
                $body
            }
            Element::I32 => {
                type $type = i32;
                $body
            }
            Element::I16 => {
                type $type = i16;
                $body
            }
            Element::I8 => {
                type $type = i8;
                $body
            }
            Element::U8 => {
                type $type = u8;
                $body
            }
            Element::U16 => {
                type $type = u16;
                $body
            }
            Element::U32 => {
                type $type = u32;
                $body
            }
            Element::U64 => {
                type $type = u64;
                $body
            }
            Element::Bool => {
                type $type = Bool8;
                $body
            }
            Element::C32 => {
                type $type = ComplexHalf;
                $body
            }
            Element::C64 => {
                type $type = Complex32;
                $body
            }
            Element::C128 => {
                type $type = Complex64;
                $body
            }
            Element::F8E4M3 => {
                type $type = F8E4M3;
                $body
            }
            Element::F8E5M2 => {
                type $type = F8E5M2;
                $body
            }
            Element::F8E8M0 => {
                type $type = F8E8M0;
                $body
            }
        }
    };
}

/// A view that blocks are taken from or put into.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// Of contiguous elements only where they are and what they are is used.
    view: View,
    contiguous: bool,
}

impl Blocks {
    pub(crate) fn of(view: &View) -> Self {
        let contiguous = view.is_contiguous();
        Self {
            view: if contiguous {
                view.laid_out(Dims::new(), Dims::new())
            } else {
                view.coalesced()
            },
            contiguous,
        }
    }

    /// Of a view that is repeated to fill `dims`.
    pub(crate) fn expanded(view: &View, dims: &[i64]) -> Self {
        if view.has_dims(dims) {
            Self::of(view)
        } else {
            Self::of(&view.expand(dims))
        }
    }

    /// Where a block is, if it needs no conversion.
    #[inline(always)]
    pub(crate) fn direct<C: Stored>(&self, start: usize) -> Option<*mut C> {
        (self.contiguous && self.view.element() == C::ELEMENT)
            .then(|| self.view.address().cast::<C>().wrapping_add(start))
    }

    /// `count` elements from number `start` on: in place, or converted into `buffer`.
    #[inline(always)]
    pub(crate) fn load<C: Compute>(
        &self,
        start: usize,
        count: usize,
        buffer: &mut Buffer<C>,
    ) -> *const C {
        match self.direct::<C>(start) {
            Some(at) => at.cast_const(),
            None => self.collect(start, count, buffer),
        }
    }

    // Apart from `load`, so that there is one of it for each type and not for each kernel.
    #[inline(never)]
    fn collect<C: Compute>(&self, start: usize, count: usize, buffer: &mut Buffer<C>) -> *const C {
        let into = buffer.as_mut_ptr().cast::<C>();
        stored!(self.view.element(), S => self.each_run::<S>(start, count, &mut |from, stride, done, run| {
            if stride == 1 && S::ELEMENT == Element::F16 && C::ELEMENT == Element::F32 {
                // SAFETY: neighbours of the view, whose type was compared.
                let from = unsafe { std::slice::from_raw_parts(from.cast::<f16>().cast_const(), run) };
                // SAFETY: the buffer has `count` places, of the type that was compared.
                unsafe { into.wrapping_add(done).write_bytes(0, run) };
                // SAFETY: as above, and they are initialised.
                let into = unsafe { std::slice::from_raw_parts_mut(into.wrapping_add(done).cast::<f32>(), run) };
                return from.convert_to_f32_slice(into);
            }
            // SAFETY: `each_run` gives addresses of elements of the view.
            let read = |at: isize| unsafe { from.wrapping_offset(at).read() }.load::<C>();
            // SAFETY: the buffer has `count` places.
            let write = |index: usize, value: C| unsafe { into.wrapping_add(done + index).write(value) };
            // A loop of its own for strides of which the compiler can make use.
            match stride {
                0 => {
                    let value = read(0);
                    (0..run).for_each(|index| write(index, value));
                }
                1 => (0..run).for_each(|index| write(index, read(index.cast_signed()))),
                _ => (0..run).for_each(|index| write(index, read(stride * index.cast_signed()))),
            }
        }));
        into.cast_const()
    }

    /// Where `count` results go first: in place, or `buffer`, from which `store` takes them.
    #[inline(always)]
    pub(crate) fn room<C: Stored>(&self, start: usize, buffer: &mut Buffer<C>) -> *mut C {
        self.direct::<C>(start)
            .unwrap_or_else(|| buffer.as_mut_ptr().cast::<C>())
    }

    /// Puts results from a buffer where they belong, if they are not there yet.
    #[inline(always)]
    pub(crate) fn store<C: Compute>(&self, start: usize, count: usize, results: *const C) {
        if self
            .direct::<C>(start)
            .is_none_or(|at| at.cast_const() != results)
        {
            self.distribute(start, count, results);
        }
    }

    // Apart from `store`, for the same reason as `collect`.
    #[inline(never)]
    fn distribute<C: Compute>(&self, start: usize, count: usize, results: *const C) {
        stored!(self.view.element(), S => self.each_run::<S>(start, count, &mut |to, stride, done, run| {
            if stride == 1 && S::ELEMENT == Element::F16 && C::ELEMENT == Element::F32 {
                // SAFETY: the caller has written `count` results, of the type that was compared.
                let from = unsafe { std::slice::from_raw_parts(results.wrapping_add(done).cast::<f32>(), run) };
                // SAFETY: neighbours of the view, whose type was compared.
                let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<f16>(), run) };
                return to.convert_from_f32_slice(from);
            }
            // SAFETY: the caller has written `count` results.
            let read = |index: usize| S::store(unsafe { results.wrapping_add(done + index).read() });
            // SAFETY: `each_run` gives addresses of elements of the view.
            let write = |at: isize, value: S| unsafe { to.wrapping_offset(at).write(value) };
            match stride {
                1 => (0..run).for_each(|index| write(index.cast_signed(), read(index))),
                _ => (0..run).for_each(|index| write(stride * index.cast_signed(), read(index))),
            }
        }));
    }

    /// Goes through elements `start..start + count` along the last axis: address of the first, stride, how many came before, how
    /// many there are.
    #[inline(always)]
    fn each_run<S: Stored>(
        &self,
        start: usize,
        count: usize,
        each: &mut impl FnMut(*mut S, isize, usize, usize),
    ) {
        let base = self.view.address().cast::<S>();
        if self.contiguous {
            if count > 0 {
                each(base.wrapping_add(start), 1, 0, count);
            }
            return;
        }
        let (dims, strides) = (self.view.dims(), self.view.strides());
        let (Some(&last), Some(&stride)) = (dims.last(), strides.last()) else {
            each(base, 0, 0, count);
            return;
        };
        let (last, stride) = (
            usize::try_from(last).unwrap_or(0),
            isize::try_from(stride).unwrap_or(0),
        );
        if count == 0 || last == 0 {
            return;
        }
        let mut done = 0;
        while done < count {
            let number = start + done;
            let run = (last - number % last).min(count - done);
            let offset = isize::try_from(self.view.offset_of(number)).unwrap_or(0);
            each(base.wrapping_offset(offset), stride, done, run);
            done += run;
        }
    }
}

/// Reads elements from number `start` on, in row-major order, converted.
pub fn read_block<C: Compute>(view: &View, start: usize, into: &mut [C]) {
    let blocks = Blocks::of(view);
    assert!(start + into.len() <= view.count());
    for (index, part) in into.chunks_mut(BLOCK).enumerate() {
        let mut buffer = Buffer::uninit();
        let from = blocks.load::<C>(start + index * BLOCK, part.len(), &mut buffer);
        // SAFETY: `load` gives as many elements as were asked for, and `part` is memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(from, part.as_mut_ptr(), part.len()) };
    }
}

/// Writes elements from number `start` on, in row-major order, converted to the view's type.
pub fn write_block<C: Compute>(view: &View, start: usize, from: &[C]) {
    assert!(start + from.len() <= view.count());
    Blocks::of(view).store(start, from.len(), from.as_ptr());
}
