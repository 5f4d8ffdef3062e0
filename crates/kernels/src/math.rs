//! Functions that loops over rows need, written so that the compiler can use vector instructions.

use crate::element::Float;

/// `f32` and `f64` with operators: what row kernels compute in.
pub trait Real:
    Float
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::AddAssign
    + std::ops::Neg<Output = Self>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Below every number.
    const LEAST: Self;
    /// e^x. In `f32` it is at most 2 units in the last place off, and loops over it become vector instructions.
    #[must_use]
    fn quick_exp(self) -> Self;
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const LEAST: Self = Self::NEG_INFINITY;
    #[inline(always)]
    fn quick_exp(self) -> Self {
        crate::special::exp32(self)
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const LEAST: Self = Self::NEG_INFINITY;
    #[inline(always)]
    fn quick_exp(self) -> Self {
        self.exp()
    }
}

/// Defines a function twice: for every machine, and for machines with wide vectors.
macro_rules! wide {
    ($(#[$doc:meta])* fn $name:ident<$t:ident: $bound:ident>($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "rows of several tensors")]
        fn $name<$t: $bound>($($arg: $type),*) $(-> $result)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments, reason = "rows of several tensors")]
            fn plain<$t: $bound>($($arg: $type),*) $(-> $result)? $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments, reason = "rows of several tensors")]
            fn wide<$t: $bound>($($arg: $type),*) $(-> $result)? {
                plain::<$t>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            if $crate::map::is_wide() {
                // SAFETY: the machine has these instructions.
                return unsafe { wide::<$t>($($arg),*) };
            }
            plain::<$t>($($arg),*)
        }
    };
}
pub(crate) use wide;

/// Partial sums side by side. Their number is part of the result, so it is the same on every machine.
const LANES: usize = 16;
/// So many elements are summed in their own type before the sum goes on in `f64`.
const PART: usize = 1024;

/// The sum of `f` over a row.
#[inline(always)]
pub(crate) fn sum1<T: Real>(x: &[T], f: impl Fn(T) -> T) -> f64 {
    let mut total = 0.0;
    for part in x.chunks(PART) {
        let mut lanes = [T::ZERO; LANES];
        let (chunks, rest) = part.as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, x) in lanes.iter_mut().zip(chunk) {
                *lane += f(*x);
            }
        }
        let whole: f64 = lanes.iter().map(|lane| lane.to_f64()).sum();
        let rest: f64 = rest.iter().map(|x| f(*x).to_f64()).sum();
        total += whole + rest;
    }
    total
}

/// The sum of `f` over two rows of the same length.
#[inline(always)]
pub(crate) fn sum2<T: Real>(x: &[T], y: &[T], f: impl Fn(T, T) -> T) -> f64 {
    let mut total = 0.0;
    for (x, y) in x.chunks(PART).zip(y.chunks(PART)) {
        let mut lanes = [T::ZERO; LANES];
        let (x, x_rest) = x.as_chunks::<LANES>();
        let (y, y_rest) = y.as_chunks::<LANES>();
        for (x, y) in x.iter().zip(y) {
            for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
                *lane += f(*x, *y);
            }
        }
        let whole: f64 = lanes.iter().map(|lane| lane.to_f64()).sum();
        let rest: f64 = x_rest
            .iter()
            .zip(y_rest)
            .map(|(x, y)| f(*x, *y).to_f64())
            .sum();
        total += whole + rest;
    }
    total
}

/// The largest number of a row; NaN does not count.
#[inline(always)]
pub(crate) fn largest<T: Real>(x: &[T]) -> T {
    let larger = |a: T, b: T| if b > a { b } else { a };
    let mut lanes = [T::LEAST; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, *x);
        }
    }
    lanes.iter().chain(rest).copied().fold(T::LEAST, larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "to the nearest f32")]
    fn exp_is_close_everywhere() {
        let mut worst = 0_i64;
        let mut x = -103.9_f32;
        while x < 88.7 {
            let (got, want) = (x.quick_exp(), f64::from(x).exp() as f32);
            let apart = (i64::from(got.to_bits()) - i64::from(want.to_bits())).abs();
            worst = worst.max(apart);
            x += 0.000_917;
        }
        assert!(worst <= 2, "{worst} units in the last place");
    }

    #[test]
    fn exp_at_the_edges() {
        assert_eq!(0.0_f32.quick_exp().to_bits(), 1.0_f32.to_bits());
        assert_eq!(f32::NEG_INFINITY.quick_exp().to_bits(), 0);
        assert_eq!((-1000.0_f32).quick_exp().to_bits(), 0);
        assert!(89.0_f32.quick_exp().is_infinite() && f32::INFINITY.quick_exp().is_infinite());
        assert!(88.7_f32.quick_exp().is_finite());
        assert!(f32::NAN.quick_exp().is_nan());
    }

    #[test]
    fn sums_of_many_do_not_drift() {
        let ones = vec![0.1_f32; 1 << 20];
        let sum = sum1(&ones, |x| x);
        assert!(
            (sum - f64::from(0.1_f32) * f64::from(1 << 20)).abs() < 0.1,
            "{sum}"
        );
    }
}
