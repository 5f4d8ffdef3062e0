//! Types of elements, and the reduction of several ranks' elements.
//!
//! Reductions go through the ranks in the order that the caller gives. 16-bit floats are added up in 32 bits and rounded once;
//! integers wrap. So a result depends on the inputs and the order only, not on who computes it or in which pieces.
#![expect(unsafe_code, reason = "reads and writes elements at given addresses")]

use half::{bf16, f16};

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Element {
    I8,
    I16,
    I32,
    F16,
    F32,
    I64,
    U64,
    U8,
    U16,
    U32,
    F64,
    Bf16,
    I128,
    /// 8 bits that are moved and never computed with: HIF8 and the float8 types.
    Bits8,
}

/// What happens to the elements of several ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Reduction {
    Sum,
    Product,
    Max,
    Min,
}

impl Element {
    /// Bytes of one.
    pub const fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bits8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::I128 => 16,
        }
    }

    /// Bytes of a partial result.
    pub(crate) const fn partial(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 4,
            _ => self.bytes(),
        }
    }

    /// Whether elements of this type can be reduced.
    pub const fn reduces(self) -> bool {
        !matches!(self, Self::I128 | Self::Bits8)
    }
}

/// One element on its way through a reduction.
trait Number: Copy {
    /// What it is added up in.
    type Wide: Copy;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
    fn reduce(reduction: Reduction) -> fn(Self::Wide, Self::Wide) -> Self::Wide;
}

macro_rules! integer {
    ($($type:ty)*) => {$(
        impl Number for $type {
            type Wide = Self;
            #[inline(always)]
            fn widen(self) -> Self { self }
            #[inline(always)]
            fn narrow(wide: Self) -> Self { wide }
            fn reduce(reduction: Reduction) -> fn(Self, Self) -> Self {
                match reduction {
                    Reduction::Sum => |a, b| a.wrapping_add(b),
                    Reduction::Product => |a, b| a.wrapping_mul(b),
                    Reduction::Max => |a, b| a.max(b),
                    Reduction::Min => |a, b| a.min(b),
                }
            }
        }
    )*};
}
integer! { i8 i16 i32 i64 u8 u16 u32 u64 }

macro_rules! float {
    ($($type:ty, $wide:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Number for $type {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide { $widen(self) }
            #[inline(always)]
            fn narrow(wide: $wide) -> Self { $narrow(wide) }
            fn reduce(reduction: Reduction) -> fn($wide, $wide) -> $wide {
                match reduction {
                    Reduction::Sum => |a, b| a + b,
                    Reduction::Product => |a, b| a * b,
                    // One that is not a number stays visible.
                    Reduction::Max => |a, b| if a.is_nan() || a > b { a } else { b },
                    Reduction::Min => |a, b| if a.is_nan() || a < b { a } else { b },
                }
            }
        }
    )*};
}
float! {
    f32, f32, std::convert::identity, std::convert::identity;
    f64, f64, std::convert::identity, std::convert::identity;
    f16, f32, f16::to_f32, f16::from_f32;
    bf16, f32, bf16::to_f32, bf16::from_f32;
}

/// Elements that are reduced in one go: the sums of so many stay in the first cache.
const STRIP: usize = 1024;

/// What sources and destination of a reduction are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Elements, and their result.
    Whole,
    /// Elements of some ranks, and a partial result: 16-bit floats become 32 bits.
    First,
    /// Partial results, and the result of all.
    Last,
}

/// Reduces `count` elements of each source, in the order of the sources, into `to`. A source may be `to`.
///
/// # Safety
/// `to` and every source are valid for `count` elements, and nobody writes the sources meanwhile. Sources do not overlap `to`
/// unless they start at the same address.
pub unsafe fn reduce(
    element: Element,
    reduction: Reduction,
    to: *mut u8,
    sources: &[*const u8],
    count: usize,
) {
    // SAFETY: passed on.
    unsafe { reduce_stage(Stage::Whole, element, reduction, to, sources, count) };
}

/// The same for one stage of a reduction in two.
///
/// # Safety
/// As [`reduce`]; partial results have the size of [`Element::partial`].
pub(crate) unsafe fn reduce_stage(
    stage: Stage,
    element: Element,
    reduction: Reduction,
    to: *mut u8,
    sources: &[*const u8],
    count: usize,
) {
    macro_rules! by_type {
        ($($variant:ident $type:ty;)*) => {
            match element {
                $(Element::$variant => {
                    // SAFETY: passed on.
                    unsafe { reduce_as::<$type>(stage, reduction, to, sources, count) };
                })*
                Element::I128 | Element::Bits8 => debug_assert!(false, "refused before"),
            }
        };
    }
    by_type! {
        I8 i8; I16 i16; I32 i32; I64 i64; U8 u8; U16 u16; U32 u32; U64 u64;
        F16 f16; Bf16 bf16; F32 f32; F64 f64;
    }
}

/// # Safety
/// As [`reduce`].
unsafe fn reduce_as<T: Number>(
    stage: Stage,
    reduction: Reduction,
    to: *mut u8,
    sources: &[*const u8],
    count: usize,
) {
    macro_rules! with {
        ($reduction:expr) => {{
            let operation = T::reduce($reduction);
            match stage {
                // SAFETY: passed on.
                Stage::Whole => unsafe {
                    strips::<T, T::Wide, T>(T::widen, operation, T::narrow, to, sources, count);
                },
                // SAFETY: passed on.
                Stage::First => unsafe {
                    strips::<T, T::Wide, T::Wide>(
                        T::widen,
                        operation,
                        std::convert::identity,
                        to,
                        sources,
                        count,
                    );
                },
                // SAFETY: passed on.
                Stage::Last => unsafe {
                    strips::<T::Wide, T::Wide, T>(
                        std::convert::identity,
                        operation,
                        T::narrow,
                        to,
                        sources,
                        count,
                    );
                },
            }
        }};
    }
    match reduction {
        // Each has a loop of its own, so that the compiler sees the operation.
        Reduction::Sum => with!(Reduction::Sum),
        Reduction::Product => with!(Reduction::Product),
        Reduction::Max => with!(Reduction::Max),
        Reduction::Min => with!(Reduction::Min),
    }
}

/// # Safety
/// As [`reduce`].
#[inline(always)]
unsafe fn strips<S: Copy, W: Copy, D>(
    widen: impl Fn(S) -> W,
    operation: impl Fn(W, W) -> W,
    narrow: impl Fn(W) -> D,
    to: *mut u8,
    sources: &[*const u8],
    count: usize,
) {
    let Some((first, rest)) = sources.split_first() else {
        return;
    };
    let mut done = 0;
    while done < count {
        let length = STRIP.min(count - done);
        // SAFETY: inside the source; elements may be unaligned.
        let at = |source: &*const u8, index: usize| unsafe {
            source
                .wrapping_add((done + index) * size_of::<S>())
                .cast::<S>()
                .read_unaligned()
        };
        let mut sums = [widen(at(first, 0)); STRIP];
        for (index, sum) in sums[..length].iter_mut().enumerate() {
            *sum = widen(at(first, index));
        }
        for source in rest {
            for (index, sum) in sums[..length].iter_mut().enumerate() {
                *sum = operation(*sum, widen(at(source, index)));
            }
        }
        for (index, sum) in sums[..length].iter().enumerate() {
            // SAFETY: inside the destination; the strip of every source has been read.
            unsafe {
                to.wrapping_add((done + index) * size_of::<D>())
                    .cast::<D>()
                    .write_unaligned(narrow(*sum));
            }
        }
        done += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced<T: Copy + Default>(
        element: Element,
        reduction: Reduction,
        sources: &[&[T]],
    ) -> Vec<T> {
        let count = sources[0].len();
        let mut to = vec![T::default(); count];
        let sources: Vec<*const u8> = sources.iter().map(|it| it.as_ptr().cast()).collect();
        // SAFETY: all have `count` elements.
        unsafe { reduce(element, reduction, to.as_mut_ptr().cast(), &sources, count) };
        to
    }

    #[test]
    fn half_precision_is_added_up_in_32_bits_and_rounded_once() {
        let (big, small) = (f16::from_f32(2048.0), f16::from_f32(1.0));
        // In 16 bits each single addition would be lost.
        let sum = reduced(Element::F16, Reduction::Sum, &[&[big], &[small], &[small]]);
        assert_eq!(sum, [f16::from_f32(2050.0)]);
        let (big, small) = (bf16::from_f32(256.0), bf16::from_f32(1.0));
        let sum = reduced(Element::Bf16, Reduction::Sum, &[&[big], &[small], &[small]]);
        assert_eq!(sum, [bf16::from_f32(258.0)]);
    }

    #[test]
    fn two_stages_round_once_and_keep_the_order_of_the_parts() {
        // In 16 bits, or in one stage, the result would be another one.
        let (big, one) = (f16::from_f32(2048.0), f16::from_f32(1.0));
        let mut partial = [0f32; 2];
        for (to, sources) in partial.iter_mut().zip([[big, one], [one, one]]) {
            let sources = [&raw const sources[0], &raw const sources[1]].map(<*const f16>::cast);
            let to = (&raw mut *to).cast();
            // SAFETY: one element each.
            unsafe { reduce_stage(Stage::First, Element::F16, Reduction::Sum, to, &sources, 1) };
        }
        assert_eq!(partial.map(f32::to_bits), [2049f32, 2.0].map(f32::to_bits));
        let sources = [&raw const partial[0], &raw const partial[1]].map(<*const f32>::cast);
        let mut sum = f16::from_f32(0.0);
        let to = (&raw mut sum).cast();
        // SAFETY: one element each.
        unsafe { reduce_stage(Stage::Last, Element::F16, Reduction::Sum, to, &sources, 1) };
        assert_eq!(sum, f16::from_f32(2051.0));
    }

    #[test]
    fn the_order_is_that_of_the_sources() {
        let sum = reduced(Element::F32, Reduction::Sum, &[&[1e8f32], &[-1e8], &[1.0]]);
        assert_eq!(sum, [1.0]);
        let sum = reduced(Element::F32, Reduction::Sum, &[&[1e8f32], &[1.0], &[-1e8]]);
        assert_eq!(sum, [0.0]);
    }

    #[test]
    fn integers_wrap_and_nan_stays() {
        assert_eq!(
            reduced(Element::I8, Reduction::Sum, &[&[127i8], &[1]]),
            [-128]
        );
        assert_eq!(
            reduced(Element::U16, Reduction::Product, &[&[256u16], &[256]]),
            [0]
        );
        assert_eq!(
            reduced(Element::I64, Reduction::Min, &[&[3i64], &[-7], &[5]]),
            [-7]
        );
        for sources in [[&[f32::NAN], &[1.0]], [&[1.0], &[f32::NAN]]] {
            assert!(reduced(Element::F32, Reduction::Max, &sources.map(|it| &it[..]))[0].is_nan());
            assert!(reduced(Element::F32, Reduction::Min, &sources.map(|it| &it[..]))[0].is_nan());
        }
    }

    #[test]
    fn long_inputs_are_reduced_to_the_last_element() {
        let sources: Vec<Vec<f32>> = (0u8..3)
            .map(|rank| {
                (0u16..3000)
                    .map(|index| f32::from(index) + f32::from(rank))
                    .collect()
            })
            .collect();
        let views: Vec<&[f32]> = sources.iter().map(Vec::as_slice).collect();
        let sum = reduced(Element::F32, Reduction::Sum, &views);
        for (index, sum) in (0u16..).zip(sum) {
            assert_eq!(sum.to_bits(), (3.0 * f32::from(index) + 3.0).to_bits());
        }
    }
}
