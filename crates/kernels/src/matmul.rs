//! Products of matrices.
#![expect(
    unsafe_code,
    reason = "calls the library for matrix products with addresses inside views"
)]
#![expect(
    clippy::cast_ptr_alignment,
    reason = "the makers of views vouch that they are aligned for their elements"
)]
#![expect(
    clippy::many_single_char_names,
    reason = "operands and factors have the names that formulas give them"
)]

use millpond_model::Element;
use num_complex::Complex64;

use crate::element::{Compute, Float, Stored};
use crate::gemm;
use crate::map::is_wide;
use crate::parallel;
use crate::view::View;

/// Rows or columns of a result that one thread computes at least, for large products.
const STRIP: usize = 32;

/// From how many multiplications on threads share the work.
const LEAST: usize = 1 << 20;

/// `out = a · b` for the last two axes, for every position of the others, which the views share (expand them first).
///
/// `a` and `b` have `out`'s element type, one of `f32`, `f64`, complex or integer; 16-bit floats are converted before. The output does
/// not overlap the inputs. Integers wrap.
pub fn matmul(a: &View, b: &View, out: &View) {
    matmul_add(a, b, out, Complex64::new(1.0, 0.0), false);
}

/// `out = alpha · a · b`, or `out += alpha · a · b`. Integers have no factor: they are only multiplied.
pub fn matmul_add(a: &View, b: &View, out: &View, alpha: Complex64, accumulate: bool) {
    let rank = out.rank();
    assert!(rank >= 2 && a.rank() == rank && b.rank() == rank);
    assert!(a.element() == out.element() && b.element() == out.element());
    let batch: usize = crate::view::count(&out.dims()[..rank - 2]);
    let (rows, columns, depth) = (
        out.dims()[rank - 2],
        out.dims()[rank - 1],
        a.dims()[rank - 1],
    );
    assert_eq!(b.dims()[rank - 2], depth);
    if out.count() == 0 {
        return;
    }
    let scale = Scale { alpha, accumulate };
    let work = usize::try_from(rows * columns * depth.max(1)).unwrap_or(usize::MAX);
    let single = out.element() == Element::F32 && rows > 1 && columns > 1;
    // A few large products of a batch are computed one after the other, each on all threads.
    if batch > 1 && !(single && batch < 8 && work >= 8 * LEAST) {
        let batches = [Batch::of(a), Batch::of(b), Batch::of(out)];
        return parallel::ranges(batch, (LEAST / work.max(1)).max(1), |range| {
            for number in range {
                let [a, b, out] = &batches;
                product(
                    &a.matrix(number),
                    &b.matrix(number),
                    &out.matrix(number),
                    scale,
                );
            }
        });
    }
    if single && rank == 2 {
        return multiply(a, b, out, scale, true);
    }
    if single {
        let batches = [Batch::of(a), Batch::of(b), Batch::of(out)];
        for number in 0..batch {
            let [a, b, out] = &batches;
            multiply(
                &a.matrix(number),
                &b.matrix(number),
                &out.matrix(number),
                scale,
                true,
            );
        }
        return;
    }
    let (a, b, out) = (
        Batch::of(a).matrix(0),
        Batch::of(b).matrix(0),
        Batch::of(out).matrix(0),
    );
    if work < LEAST {
        return product(&a, &b, &out, scale);
    }
    // Strips of the longer side: no sum is cut, so the number of threads does not change it.
    let by_rows = rows >= columns;
    let length = rows.max(columns);
    let strips = usize::try_from(length).unwrap_or(0).div_ceil(STRIP);
    parallel::ranges(strips, 1, |range| {
        let start = i64::try_from(range.start * STRIP).unwrap_or(0);
        let size = i64::try_from(range.end * STRIP).unwrap_or(0).min(length) - start;
        if by_rows {
            let (a, out) = (a.narrow(0, start, size), out.narrow(0, start, size));
            product(&a, &b, &out, scale);
        } else {
            let (b, out) = (b.narrow(1, start, size), out.narrow(1, start, size));
            product(&a, &b, &out, scale);
        }
    });
}

/// What a product is multiplied by, and whether it is added to what is there.
#[derive(Debug, Clone, Copy)]
struct Scale {
    alpha: Complex64,
    accumulate: bool,
}

/// A vector times a matrix, without packing the matrix first: what a product with one row costs is reading the matrix.
#[derive(Debug, Clone, Copy)]
struct Row<T> {
    depth: usize,
    columns: usize,
    vector: *const T,
    along: isize,
    matrix: *const T,
    down: isize,
    across: isize,
    out: *mut T,
    out_step: isize,
}

/// Columns that are summed at a time.
const PANEL: usize = 512;
/// Partial sums of a dot product.
const LANES: usize = 16;

impl<T: Float> Row<T> {
    /// Whether the layout of the matrix lets the loops run along memory.
    fn fits(&self) -> bool {
        self.across == 1 || self.down == 1 && self.along == 1
    }

    /// # Safety
    ///
    /// All elements that the sizes and steps name may be read, those of `out` written.
    #[inline(always)]
    unsafe fn run(self, alpha: T, accumulate: bool) {
        let put = |column: usize, sum: T| {
            let at = self
                .out
                .wrapping_offset(self.out_step * column.cast_signed());
            let sum = sum.mul(alpha);
            let before = if accumulate {
                // SAFETY: the caller vouches for the output.
                unsafe { at.read() }
            } else {
                T::default()
            };
            // SAFETY: as above.
            unsafe { at.write(before.add(sum)) };
        };
        if self.across == 1 {
            let mut sums = [T::default(); PANEL];
            for start in (0..self.columns).step_by(PANEL) {
                let width = PANEL.min(self.columns - start);
                sums.fill(T::default());
                for depth in 0..self.depth {
                    let depth = depth.cast_signed();
                    let row = self
                        .matrix
                        .wrapping_offset(self.down * depth)
                        .wrapping_add(start);
                    let factor = self.vector.wrapping_offset(self.along * depth);
                    // SAFETY: the caller vouches for the inputs.
                    let factor = unsafe { factor.read() };
                    // SAFETY: as above; a row has its elements one behind the other.
                    let row = unsafe { std::slice::from_raw_parts(row, width) };
                    for (sum, x) in sums.iter_mut().zip(row) {
                        *sum = sum.add(factor.mul(*x));
                    }
                }
                for (column, sum) in sums[..width].iter().enumerate() {
                    put(start + column, *sum);
                }
            }
            return;
        }
        // SAFETY: the caller vouches for the inputs, and the steps along the depth are 1.
        let vector = unsafe { std::slice::from_raw_parts(self.vector, self.depth) };
        for column in 0..self.columns {
            let at = self
                .matrix
                .wrapping_offset(self.across * column.cast_signed());
            // SAFETY: as above.
            let other = unsafe { std::slice::from_raw_parts(at, self.depth) };
            let mut sums = [T::default(); LANES];
            let (left, right) = (vector.chunks_exact(LANES), other.chunks_exact(LANES));
            let rest = left.remainder().iter().zip(right.remainder());
            let mut tail = T::default();
            for (x, y) in rest {
                tail = tail.add(x.mul(*y));
            }
            for (x, y) in left.zip(right) {
                for lane in 0..LANES {
                    sums[lane] = sums[lane].add(x[lane].mul(y[lane]));
                }
            }
            put(column, sums.iter().fold(tail, |sum, lane| sum.add(*lane)));
        }
    }

    /// The same with wide vectors.
    ///
    /// # Safety
    ///
    /// As for `run`, and the machine has these instructions.
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    unsafe fn run_wide(self, alpha: T, accumulate: bool) {
        // SAFETY: the caller's promise.
        unsafe { self.run(alpha, accumulate) }
    }
}

/// A product with one row or one column; false if the layout is not one that this is good for.
fn thin<T: Float>(a: &View, b: &View, out: &View, scale: Scale) -> bool {
    if out.dims()[0] != 1 {
        return out.dims()[1] == 1
            && thin::<T>(
                &b.transpose(0, 1),
                &a.transpose(0, 1),
                &out.transpose(0, 1),
                scale,
            );
    }
    let size = |view: &View, axis: usize| usize::try_from(view.dims()[axis]).unwrap_or(0);
    let step = |view: &View, axis: usize| {
        // Where there is one element, any step leads nowhere.
        if view.dims()[axis] == 1 {
            1
        } else {
            isize::try_from(view.strides()[axis]).unwrap_or(0)
        }
    };
    let row = Row::<T> {
        depth: size(a, 1),
        columns: size(b, 1),
        vector: a.address().cast::<T>().cast_const(),
        along: step(a, 1),
        matrix: b.address().cast::<T>().cast_const(),
        down: step(b, 0),
        across: step(b, 1),
        out: out.address().cast::<T>(),
        out_step: step(out, 1),
    };
    if row.depth == 0 || !row.fits() {
        return false;
    }
    let alpha = T::of(scale.alpha.re);
    if is_wide() {
        // SAFETY: the views' makers vouched for all elements that dimensions and strides name; the instructions are there.
        unsafe { row.run_wide(alpha, scale.accumulate) };
    } else {
        // SAFETY: as above.
        unsafe { row.run(alpha, scale.accumulate) };
    }
    true
}

/// The matrices of a batch.
struct Batch {
    /// The axes that count matrices.
    lead: View,
    first: View,
}

impl Batch {
    fn of(all: &View) -> Self {
        let lead = all.rank() - 2;
        let (dims, strides) = (all.dims()[lead..].into(), all.strides()[lead..].into());
        Self {
            lead: all.axes(0..lead),
            first: all.laid_out(dims, strides),
        }
    }

    fn matrix(&self, number: usize) -> View {
        match number {
            0 => self.first.clone(),
            _ => self.first.moved(self.lead.offset_of(number)),
        }
    }
}

/// The sizes and addresses of a product of `f32`.
fn multiply(a: &View, b: &View, out: &View, scale: Scale, shared: bool) {
    let size = |view: &View, axis: usize| usize::try_from(view.dims()[axis]).unwrap_or(0);
    let step = |view: &View, axis: usize| isize::try_from(view.strides()[axis]).unwrap_or(0);
    let matrix = |view: &View| gemm::Matrix {
        at: view.address().cast::<f32>().cast_const(),
        down: step(view, 0),
        across: step(view, 1),
    };
    let sizes = gemm::Sizes {
        rows: size(out, 0),
        depth: size(a, 1),
        columns: size(out, 1),
    };
    assert!(size(a, 0) == sizes.rows && size(b, 0) == sizes.depth && size(b, 1) == sizes.columns);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounds to the type that is computed in"
    )]
    let target = gemm::Target {
        at: out.address().cast::<f32>(),
        down: step(out, 0),
        across: step(out, 1),
        alpha: scale.alpha.re as f32,
        accumulate: scale.accumulate,
    };
    // SAFETY: the sizes fit together, and the views' makers vouched for all elements that dimensions and strides name.
    unsafe { gemm::product(sizes, matrix(a), matrix(b), target, shared) };
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "factors round to the type that is computed in"
)]
fn product(a: &View, b: &View, out: &View, scale: Scale) {
    let done = match out.element() {
        Element::F32 => thin::<f32>(a, b, out, scale),
        Element::F64 => thin::<f64>(a, b, out, scale),
        _ => false,
    };
    if done {
        return;
    }
    let size = |view: &View, axis: usize| usize::try_from(view.dims()[axis]).unwrap_or(0);
    let (m, k, n) = (size(a, 0), size(a, 1), size(b, 1));
    let step = |view: &View, axis: usize| isize::try_from(view.strides()[axis]).unwrap_or(0);
    let steps = |view: &View| (step(view, 0), step(view, 1));
    let ((ar, ac), (br, bc), (or, oc)) = (steps(a), steps(b), steps(out));
    let (re, im) = (scale.alpha.re, scale.alpha.im);
    let keep = if scale.accumulate { 1.0 } else { 0.0 };
    match out.element() {
        Element::F32 => multiply(a, b, out, scale, false),
        Element::F64 => {
            let (a, b, out) = (
                a.address().cast::<f64>(),
                b.address().cast::<f64>(),
                out.address().cast::<f64>(),
            );
            // SAFETY: as above.
            unsafe { matrixmultiply::dgemm(m, k, n, re, a, ar, ac, b, br, bc, keep, out, or, oc) };
        }
        Element::C64 => {
            let plain = matrixmultiply::CGemmOption::Standard;
            let (a, b, out) = (
                a.address().cast::<[f32; 2]>(),
                b.address().cast::<[f32; 2]>(),
                out.address().cast::<[f32; 2]>(),
            );
            // SAFETY: as above; a complex number is two floats.
            unsafe {
                matrixmultiply::cgemm(
                    plain,
                    plain,
                    m,
                    k,
                    n,
                    [re as f32, im as f32],
                    a,
                    ar,
                    ac,
                    b,
                    br,
                    bc,
                    [keep as f32, 0.0],
                    out,
                    or,
                    oc,
                );
            }
        }
        Element::C128 => {
            let plain = matrixmultiply::CGemmOption::Standard;
            let (a, b, out) = (
                a.address().cast::<[f64; 2]>(),
                b.address().cast::<[f64; 2]>(),
                out.address().cast::<[f64; 2]>(),
            );
            // SAFETY: as above.
            unsafe {
                matrixmultiply::zgemm(
                    plain,
                    plain,
                    m,
                    k,
                    n,
                    [re, im],
                    a,
                    ar,
                    ac,
                    b,
                    br,
                    bc,
                    [keep, 0.0],
                    out,
                    or,
                    oc,
                );
            }
        }
        other => {
            assert!(
                !scale.accumulate && re == 1.0,
                "products of integers have no factors"
            );
            crate::integers!(other, C => whole_numbers::<C>(a, b, out));
        }
    }
}

/// Integers: row by row, so that the inner loop runs along memory.
fn whole_numbers<C: Compute + Stored>(a: &View, b: &View, out: &View) {
    let (m, k, n) = (a.dims()[0], a.dims()[1], b.dims()[1]);
    for row in 0..m {
        for column in 0..n {
            let mut sum = C::default();
            for index in 0..k {
                sum = sum.add(a.get::<C>(&[row, index]).mul(b.get::<C>(&[index, column])));
            }
            out.set(&[row, column], sum);
        }
    }
}

/// `out = alpha · a · b`, or `out += alpha · a · b`, for matrices of `f32`. All on the calling thread: for kernels that share
/// their work out themselves.
pub(crate) fn product_f32(a: &View, b: &View, out: &View, alpha: f32, accumulate: bool) {
    let all = [a, b, out];
    assert!(
        all.iter()
            .all(|view| view.rank() == 2 && view.element() == Element::F32)
    );
    if out.count() > 0 {
        let alpha = Complex64::new(alpha.into(), 0.0);
        multiply(a, b, out, Scale { alpha, accumulate }, false);
    }
}
