//! Element by element: each result depends on the elements at the same position.
//!
//! Inputs are broadcast to the output's dimensions. An input may be the output itself, in the same layout.
#![expect(
    unsafe_code,
    reason = "reads and writes blocks that `block.rs` gives addresses of"
)]

use crate::block::{BLOCK, Blocks, Buffer};
use crate::element::Compute;
use crate::parallel;
use crate::view::View;

/// From how many elements on threads share the work.
const LEAST: usize = 32 * BLOCK;

/// Whether the machine has the vector instructions that loops are compiled for a second time.
#[inline]
pub(crate) fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Runs `each` for every block of the output: number of its first element, how many there are.
fn blocks(count: usize, each: impl Fn(usize, usize) + Sync) {
    parallel::ranges(count.div_ceil(BLOCK), LEAST / BLOCK, |range| {
        for block in range {
            let start = block * BLOCK;
            each(start, BLOCK.min(count - start));
        }
    });
}

/// A loop over blocks, and the same loop compiled for wide vectors.
macro_rules! loops {
    ($plain:ident, $wide:ident, ($($type:ident $name:ident),*)) => {
        #[inline(always)]
        unsafe fn $plain<$($type: Compute,)* R: Compute>(
            $($name: *const $type,)* out: *mut R, count: usize, f: &impl Fn($($type),*) -> R,
        ) {
            for index in 0..count {
                // SAFETY: the caller vouches for `count` elements behind each pointer.
                let result = f($(unsafe { $name.add(index).read() }),*);
                // SAFETY: as above.
                unsafe { out.add(index).write(result) };
            }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $wide<$($type: Compute,)* R: Compute>(
            $($name: *const $type,)* out: *mut R, count: usize, f: &impl Fn($($type),*) -> R,
        ) {
            // SAFETY: the caller's promise.
            unsafe { $plain($($name,)* out, count, f) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        unsafe fn $wide<$($type: Compute,)* R: Compute>(
            $($name: *const $type,)* out: *mut R, count: usize, f: &impl Fn($($type),*) -> R,
        ) {
            // SAFETY: the caller's promise.
            unsafe { $plain($($name,)* out, count, f) }
        }
    };
}
loops!(zip1, zip1_wide, (A a));
loops!(zip2, zip2_wide, (A a, B b));
loops!(zip3, zip3_wide, (A a, B b, C c));
loops!(zip4, zip4_wide, (A a, B b, C c, D d));

macro_rules! maps {
    ($(#[$doc:meta])* $map:ident, $plain:ident, $wide:ident, ($($type:ident $name:ident),*)) => {
        $(#[$doc])*
        pub fn $map<$($type: Compute,)* R: Compute>($($name: &View,)* out: &View, f: impl Fn($($type),*) -> R + Sync) {
            let wide = is_wide();
            let count = out.count();
            // Most operands are small and lie as the loop wants them: what it takes to find out more costs more than the loop.
            if let (true, Some(into), $(Some($name),)*) = (
                wide && (1..=BLOCK).contains(&count),
                out.dense::<R>(out.dims()),
                $($name.dense::<$type>(out.dims()),)*
            ) {
                // SAFETY: every pointer has `count` elements, as below.
                return unsafe { $wide($($name.cast_const(),)* into, count, &f) };
            }
            $(let $name = Blocks::expanded($name, out.dims());)*
            let results = Blocks::of(out);
            blocks(count, |start, count| {
                $(
                    let mut buffer = Buffer::<$type>::uninit();
                    let $name = $name.load(start, count, &mut buffer);
                )*
                let mut buffer = Buffer::<R>::uninit();
                let into = results.room(start, &mut buffer);
                // SAFETY: every pointer has `count` elements: in a view, or in a buffer of a block. An input that is the output has
                // the same layout, so each element is read before it is written.
                unsafe {
                    if wide { $wide($($name,)* into, count, &f) } else { $plain($($name,)* into, count, &f) }
                }
                results.store(start, count, into.cast_const());
            });
        }
    };
}
maps! {
    /// `out[i] = f(a[i])`.
    map1, zip1, zip1_wide, (A a)
}
maps! {
    /// `out[i] = f(a[i], b[i])`.
    map2, zip2, zip2_wide, (A a, B b)
}
maps! {
    /// `out[i] = f(a[i], b[i], c[i])`.
    map3, zip3, zip3_wide, (A a, B b, C c)
}
maps! {
    /// `out[i] = f(a[i], b[i], c[i], d[i])`.
    map4, zip4, zip4_wide, (A a, B b, C c, D d)
}

/// Writes the result of `f` for the number of each element, in row-major order.
pub fn generate<R: Compute>(out: &View, f: impl Fn(usize) -> R + Sync) {
    let results = Blocks::of(out);
    blocks(out.count(), |start, count| {
        let mut buffer = Buffer::<R>::uninit();
        let into = results.room(start, &mut buffer);
        for index in 0..count {
            // SAFETY: the room has `count` places.
            unsafe { into.wrapping_add(index).write(f(start + index)) };
        }
        results.store(start, count, into.cast_const());
    });
}

/// Copies and converts; `from` broadcasts to `to`. Views of the same memory must have the same layout.
pub fn copy(from: &View, to: &View) {
    use millpond_model::Element::{BF16, Bool, C32, C64, C128, F16, F32, F64};
    let (from, to) = crate::copy::aligned(from, to);
    if from.element() == to.element() {
        return crate::copy::copy_bits(&from, &to);
    }
    // Through the type that loses nothing: the target's, unless the source is complex.
    let through = match (from.element(), to.element()) {
        (source @ (C32 | C64 | C128 | F64), _) | (source, Bool) => source,
        (F32 | F16 | BF16, target) if !matches!(target, C32 | C64 | C128 | F64) => F32,
        (source, F16 | BF16 | F32) => source,
        (_, target) => target,
    };
    crate::numbers!(through, C => map1::<C, C>(&from, &to, |x| x));
}

/// Writes one value everywhere.
pub fn fill<C: Compute>(out: &View, value: C) {
    generate(out, |_| value);
}
