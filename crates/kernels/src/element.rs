//! Element types: how each is stored, and which type a kernel computes in.

use half::{bf16, f16};
use millpond_model::Element;
use num_complex::{Complex, Complex32, Complex64};

/// A type that elements are stored as.
pub trait Stored: Copy + Send + Sync + 'static {
    /// Its name among element types.
    const ELEMENT: Element;
    /// Converts to the type that is computed in.
    fn load<C: Compute>(self) -> C;
    /// Converts from it: floats round to the nearest, integers take the integer part and wrap.
    fn store<C: Compute>(value: C) -> Self;
}

/// A boolean as memory has it: any byte, true unless it is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct Bool8(pub u8);

const fn is_float(element: Element) -> bool {
    matches!(
        element,
        Element::F32 | Element::F64 | Element::C64 | Element::C128
    )
}

/// A type that kernels compute in. 16-bit floats are computed in `f32`, booleans in `u8`.
pub trait Compute: Copy + Send + Sync + Default + PartialEq + Stored {
    /// Converts from any number.
    fn from_f64(value: f64) -> Self;
    /// Converts from an integer, wrapping.
    fn from_i64(value: i64) -> Self;
    /// The nearest `f64`; the real part of a complex number.
    fn to_f64(self) -> f64;
    /// The integer part, as C's conversion on a machine that does not trap.
    fn to_i64(self) -> i64;
    /// Whether it is something else than zero. NaN is.
    fn to_bool(self) -> bool {
        self != Self::default()
    }
    /// As a complex number.
    fn to_complex(self) -> Complex64 {
        Complex64::new(self.to_f64(), 0.0)
    }
    /// From a complex number; other types take the real part.
    fn from_complex(value: Complex64) -> Self {
        Self::from_f64(value.re)
    }
    /// The sum. Integers wrap.
    fn add(self, other: Self) -> Self;
    /// The difference. Integers wrap.
    fn sub(self, other: Self) -> Self;
    /// The product. Integers wrap.
    fn mul(self, other: Self) -> Self;
    /// The quotient; integers divide towards zero, x / 0 is 0, and the least integer by −1 is itself.
    fn div(self, other: Self) -> Self;
}

/// `f32` and `f64`: what functions of real numbers compute in.
pub trait Float: Compute + PartialOrd {
    /// From `f64`.
    fn of(value: f64) -> Self;
    /// Applies a function that exists for both types.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// ln(1 + x), exact near 0.
    fn ln_1p(self) -> Self;
    /// exp(x) − 1, exact near 0.
    fn exp_m1(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Power.
    fn powf(self, exponent: Self) -> Self;
    /// Towards −∞.
    fn floor(self) -> Self;
    /// The larger one; NaN if either is.
    fn max_nan(self, other: Self) -> Self;
    /// The smaller one; NaN if either is.
    fn min_nan(self, other: Self) -> Self;
    /// Whether it is not a number.
    fn is_nan(self) -> bool;
}

macro_rules! stored_integers {
    ($($type:ty => $element:ident),* $(,)?) => {$(
        impl Stored for $type {
            const ELEMENT: Element = Element::$element;
            #[inline(always)]
            #[allow(clippy::cast_possible_wrap, clippy::cast_lossless, clippy::cast_precision_loss, reason = "as stated at the trait")]
            fn load<C: Compute>(self) -> C {
                // Half of the unsigned numbers have no signed twin.
                if matches!(Self::ELEMENT, Element::U64) && is_float(C::ELEMENT) {
                    C::from_f64(self as f64)
                } else {
                    C::from_i64(self as i64)
                }
            }
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_lossless, reason = "wraps, as stated")]
            fn store<C: Compute>(value: C) -> Self {
                if is_float(C::ELEMENT) { Self::from_f64(value.to_f64()) } else { value.to_i64() as $type }
            }
        }
    )*};
}
stored_integers! {
    u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, u64 => U64, i64 => I64,
}

impl Stored for Bool8 {
    const ELEMENT: Element = Element::Bool;
    #[inline(always)]
    fn load<C: Compute>(self) -> C {
        C::from_i64(i64::from(self.0 != 0))
    }
    #[inline(always)]
    fn store<C: Compute>(value: C) -> Self {
        Self(u8::from(value.to_bool()))
    }
}

macro_rules! stored_floats {
    ($($type:ty => $element:ident, $load:expr, $single:expr, $store:expr, $whole:expr;)*) => {$(
        impl Stored for $type {
            const ELEMENT: Element = Element::$element;
            #[inline(always)]
            fn load<C: Compute>(self) -> C {
                let load: fn(Self) -> f64 = $load;
                C::from_f64(load(self))
            }
            #[inline(always)]
            fn store<C: Compute>(value: C) -> Self {
                let (store, whole): (fn(f64) -> Self, fn(i64) -> Self) = ($store, $whole);
                let single: fn(f32) -> Self = $single;
                if matches!(C::ELEMENT, Element::F32) {
                    // Nothing is lost, and the compiler sees that nothing is converted.
                    return single(value.to_f64() as f32);
                }
                // By way of f64 a large integer would be rounded twice.
                if is_float(C::ELEMENT) || matches!(C::ELEMENT, Element::U64) {
                    store(value.to_f64())
                } else {
                    whole(value.to_i64())
                }
            }
        }
    )*};
}
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "rounds to the nearest"
)]
const _: () = {
    stored_floats! {
        f32 => F32, f64::from, |x| x, |x| x as f32, |i| i as f32;
        f64 => F64, |x| x, f64::from, |x| x, |i| i as f64;
        f16 => F16, |x| f64::from(from_half(x)), to_half, f16::from_f64, |i| f16::from_f64(i as f64);
        bf16 => BF16, |x| f64::from(f32::from_bits(u32::from(x.to_bits()) << 16)), to_brain, bf16::from_f64, |i| bf16::from_f64(i as f64);
    }
};

/// The same number with 32 bits. Without branches, so that loops over it use vector instructions.
#[inline(always)]
fn from_half(value: f16) -> f32 {
    let bits = u32::from(value.to_bits());
    let (sign, rest) = ((bits & 0x8000) << 16, (bits & 0x7fff) << 13);
    // The exponent counts from another origin. A product moves it, also for numbers without a leading 1.
    let moved = (f32::from_bits(rest) * f32::from_bits((127 + 127 - 15) << 23)).to_bits();
    // The largest exponent stands for infinities and NaN in both.
    let beyond = rest | 0x7f80_0000;
    f32::from_bits(sign | if rest >= 0x7c00 << 13 { beyond } else { moved })
}

/// The nearest number with 16 bits; of two as near the even one. Without branches too.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the upper bits are zero")]
fn to_half(value: f32) -> f16 {
    const HALF: f32 = 0.5;
    let bits = value.to_bits();
    let (sign, size) = ((bits >> 16) & 0x8000, bits & 0x7fff_ffff);
    // A sum with 0.5 leaves multiples of 2⁻²⁴ in the low bits: numbers without a leading 1.
    let small = (f32::from_bits(size) + HALF)
        .to_bits()
        .wrapping_sub(HALF.to_bits());
    let odd = (size >> 13) & 1;
    let normal = size
        .wrapping_add(0xfff + odd)
        .wrapping_sub((127 - 15) << 23)
        >> 13;
    let special = if size > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let finite = if size < (127 - 14) << 23 {
        small
    } else {
        normal
    };
    let result = if size >= (127 + 16) << 23 {
        special
    } else {
        finite
    };
    f16::from_bits((sign | result) as u16)
}

/// The nearest number with the upper 16 bits of an `f32`; of two as near the even one.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the upper bits are zero")]
fn to_brain(value: f32) -> bf16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let quiet = (bits >> 16) | 0x40;
    let nan = bits & 0x7fff_ffff > 0x7f80_0000;
    bf16::from_bits(if nan { quiet } else { rounded } as u16)
}

/// A number with 4 bits of exponent and 3 of fraction, from 2⁻⁹ to 448. It has NaN, and no infinity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct F8E4M3(pub u8);

/// A number with 5 bits of exponent and 2 of fraction, from 2⁻¹⁶ to 57344, as the upper half of an `f16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct F8E5M2(pub u8);

/// A power of two from 2⁻¹²⁷ to 2¹²⁷, or NaN: the scale of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct F8E8M0(pub u8);

/// How bits mean a number: a sign, an exponent, a fraction.
#[derive(Debug, Clone, Copy)]
struct Minifloat {
    fraction: i32,
    bias: i32,
    largest: f64,
    /// The bits of the largest number without its sign.
    last: u8,
    nan: u8,
}

const E4M3: Minifloat = Minifloat {
    fraction: 3,
    bias: 7,
    largest: 448.0,
    last: 0x7e,
    nan: 0x7f,
};
const E5M2: Minifloat = Minifloat {
    fraction: 2,
    bias: 15,
    largest: 57344.0,
    last: 0x7b,
    nan: 0x7e,
};

/// 2 to the power of a whole number, for numbers that an `f64` has without losing digits.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::try_from(exponent + 1023).unwrap_or(0) << 52)
}

/// The exponent of the leading 1 of a positive number that an `f32` could hold.
pub(crate) fn exponent_of(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

impl Minifloat {
    /// The nearest number; of two as near the even one. What is beyond the largest number becomes the largest, also an infinity. NaN
    /// stays NaN.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small whole numbers"
    )]
    fn store(self, value: f64) -> u8 {
        let sign = u8::from(value.is_sign_negative()) << 7;
        let size = value.abs();
        if size.is_nan() {
            return sign | self.nan;
        }
        let least = 1 - self.bias;
        let exponent = exponent_of(size).max(least);
        // Neighbours lie this far apart; all products with it are exact.
        let step = power_of_two(exponent - self.fraction);
        let rounded = (size / step).round_ties_even() * step;
        if rounded >= self.largest {
            return sign | self.last;
        }
        let exponent = exponent_of(rounded);
        if exponent < least {
            // Without a leading 1.
            return sign | (rounded / power_of_two(least - self.fraction)) as u8;
        }
        let fraction = rounded / power_of_two(exponent) - 1.0;
        let fraction = (fraction * power_of_two(self.fraction)) as u8;
        sign | ((exponent + self.bias) as u8) << self.fraction | fraction
    }

    fn load(self, bits: u8) -> f64 {
        let size = i32::from(bits & 0x7f);
        let (exponent, fraction) = (size >> self.fraction, size & ((1 << self.fraction) - 1));
        let value = if bits & 0x7f > self.last {
            // Behind the largest number: infinity if the type has it, else NaN.
            if fraction == 0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        } else if exponent == 0 {
            f64::from(fraction) * power_of_two(1 - self.bias - self.fraction)
        } else {
            let whole = f64::from(fraction + (1 << self.fraction));
            whole * power_of_two(exponent - self.bias - self.fraction)
        };
        if bits & 0x80 == 0 { value } else { -value }
    }
}

macro_rules! stored_narrow {
    ($($type:ident => $element:ident, $load:expr, $store:expr;)*) => {$(
        impl Stored for $type {
            const ELEMENT: Element = Element::$element;
            #[inline(always)]
            fn load<C: Compute>(self) -> C {
                let load: fn(u8) -> f64 = $load;
                C::from_f64(load(self.0))
            }
            #[inline(always)]
            fn store<C: Compute>(value: C) -> Self {
                let store: fn(f64) -> u8 = $store;
                Self(store(value.to_f64()))
            }
        }
    )*};
}
stored_narrow! {
    F8E4M3 => F8E4M3, |bits| E4M3.load(bits), |x| E4M3.store(x);
    F8E5M2 => F8E5M2, |bits| E5M2.load(bits), |x| E5M2.store(x);
    F8E8M0 => F8E8M0, load_scale, store_scale;
}

fn load_scale(bits: u8) -> f64 {
    if bits == 0xff {
        f64::NAN
    } else {
        power_of_two(i32::from(bits) - 127)
    }
}

/// The nearest power of two; of two as near the larger one. What is not positive, or beyond the largest, is NaN.
fn store_scale(value: f64) -> u8 {
    if !(value > 0.0) {
        return 0xff;
    }
    let exponent = exponent_of(value);
    let up = i32::from(value >= 1.5 * power_of_two(exponent.clamp(-1022, 1023)));
    u8::try_from((exponent + up + 127).clamp(0, 255)).unwrap_or(0xff)
}

macro_rules! stored_complex {
    ($($type:ty => $element:ident),*) => {$(
        impl Stored for $type {
            const ELEMENT: Element = Element::$element;
            #[inline(always)]
            fn load<C: Compute>(self) -> C {
                C::from_complex(self.to_complex())
            }
            #[inline(always)]
            fn store<C: Compute>(value: C) -> Self {
                Self::from_complex(value.to_complex())
            }
        }
    )*};
}
stored_complex!(Complex32 => C64, Complex64 => C128);

/// A complex number of two 16-bit floats, as memory has it. It is computed as one of two `f32`.
pub(crate) type ComplexHalf = Complex<f16>;

impl Stored for ComplexHalf {
    const ELEMENT: Element = Element::C32;
    #[inline(always)]
    fn load<C: Compute>(self) -> C {
        C::from_complex(Complex64::new(self.re.to_f64(), self.im.to_f64()))
    }
    #[inline(always)]
    fn store<C: Compute>(value: C) -> Self {
        let value = value.to_complex();
        Self::new(f16::store(value.re), f16::store(value.im))
    }
}

/// 2 to the power of 63: the first number behind the largest `i64`.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Compute for $type {
            #[inline(always)]
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::allow_attributes,
                reason = "the conversion that C makes: through the widest integer, which saturates only where C leaves it open")]
            #[allow(clippy::cast_lossless, clippy::cast_possible_wrap, reason = "one text for all integers")]
            fn from_f64(value: f64) -> Self {
                match Self::ELEMENT {
                    // What has no place in the type is the least number, as conversions of the processor give it.
                    Element::I64 if !(-TWO_63..TWO_63).contains(&value) => i64::MIN as $type,
                    Element::U64 if value >= TWO_63 => value as u64 as $type,
                    Element::I64 | Element::U64 | Element::U32 => value as i64 as $type,
                    _ if !(value > -2_147_483_649.0 && value < 2_147_483_648.0) => i32::MIN as $type,
                    _ => value as i32 as $type,
                }
            }
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_lossless, reason = "wraps, as stated")]
            fn from_i64(value: i64) -> Self {
                value as $type
            }
            #[inline(always)]
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "the nearest one")]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            #[allow(clippy::cast_possible_wrap, clippy::cast_lossless, reason = "wraps, as stated")]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
        }
    )*};
}
integers!(u8, i8, u16, i16, u32, i32, u64, i64);

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Compute for $type {
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "rounds to the nearest")]
            fn from_f64(value: f64) -> Self { value as $type }
            #[inline(always)]
            #[allow(clippy::cast_precision_loss, reason = "rounds to the nearest")]
            fn from_i64(value: i64) -> Self { value as $type }
            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "one text for both")]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "the integer part")]
            fn to_i64(self) -> i64 { self as i64 }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
        }
        impl Float for $type {
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "rounds to the nearest")]
            fn of(value: f64) -> Self { value as $type }
            #[inline(always)]
            fn exp(self) -> Self { <$type>::exp(self) }
            #[inline(always)]
            fn ln(self) -> Self { <$type>::ln(self) }
            #[inline(always)]
            fn ln_1p(self) -> Self { <$type>::ln_1p(self) }
            #[inline(always)]
            fn exp_m1(self) -> Self { <$type>::exp_m1(self) }
            #[inline(always)]
            fn sqrt(self) -> Self { <$type>::sqrt(self) }
            #[inline(always)]
            fn tanh(self) -> Self { <$type>::tanh(self) }
            #[inline(always)]
            fn abs(self) -> Self { <$type>::abs(self) }
            #[inline(always)]
            fn powf(self, exponent: Self) -> Self { <$type>::powf(self, exponent) }
            #[inline(always)]
            fn floor(self) -> Self { <$type>::floor(self) }
            #[inline(always)]
            fn max_nan(self, other: Self) -> Self {
                if self >= other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn min_nan(self, other: Self) -> Self {
                if self <= other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn is_nan(self) -> bool { <$type>::is_nan(self) }
        }
    )*};
}
floats!(f32, f64);

macro_rules! complex {
    ($($type:ident, $part:ty);*) => {$(
        impl Compute for $type {
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "rounds to the nearest")]
            fn from_f64(value: f64) -> Self { Self::new(value as $part, 0.0) }
            #[inline(always)]
            #[allow(clippy::cast_precision_loss, reason = "rounds to the nearest")]
            fn from_i64(value: i64) -> Self { Self::new(value as $part, 0.0) }
            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "one text for both")]
            fn to_f64(self) -> f64 { self.re as f64 }
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "the integer part")]
            fn to_i64(self) -> i64 { self.re as i64 }
            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "one text for both")]
            fn to_complex(self) -> Complex64 { Complex64::new(self.re as f64, self.im as f64) }
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "rounds to the nearest")]
            fn from_complex(value: Complex64) -> Self { Self::new(value.re as $part, value.im as $part) }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
        }
    )*};
}
complex!(Complex32, f32; Complex64, f64);

/// The type that a kernel computes in for elements of this type.
pub fn compute_type(element: Element) -> Element {
    match element {
        Element::F16 | Element::BF16 | Element::F8E4M3 | Element::F8E5M2 | Element::F8E8M0 => {
            Element::F32
        }
        Element::Bool => Element::U8,
        Element::C32 => Element::C64,
        other => other,
    }
}

/// Runs an expression with a type standing for the one that elements are computed in: any number.
///
/// ```ignore
/// numbers!(element, C => map2::<C>(&a, &b, &out, |x, y| x.add(y)))
/// ```
#[macro_export]
macro_rules! numbers {
    ($element:expr, $type:ident => $body:expr) => {
        match $crate::compute_type($element) {
            $crate::Element::C64 => { type $type = $crate::Complex32; $body }
            $crate::Element::C128 => { type $type = $crate::Complex64; $body }
            other => $crate::reals!(other, $type => $body),
        }
    };
}

/// The same for real numbers and integers.
#[macro_export]
macro_rules! reals {
    ($element:expr, $type:ident => $body:expr) => {
        match $crate::compute_type($element) {
            $crate::Element::F32 => { type $type = f32; $body }
            $crate::Element::F64 => { type $type = f64; $body }
            other => $crate::integers!(other, $type => $body),
        }
    };
}

/// The same for integers; booleans are computed in `u8`.
#[macro_export]
macro_rules! integers {
    ($element:expr, $type:ident => $body:expr) => {
        match $crate::compute_type($element) {
            $crate::Element::U8 | $crate::Element::Bool => {
                type $type = u8;
                $body
            }
            $crate::Element::I8 => {
                type $type = i8;
                $body
            }
            $crate::Element::U16 => {
                type $type = u16;
                $body
            }
            $crate::Element::I16 => {
                type $type = i16;
                $body
            }
            $crate::Element::U32 => {
                type $type = u32;
                $body
            }
            $crate::Element::I32 => {
                type $type = i32;
                $body
            }
            $crate::Element::U64 => {
                type $type = u64;
                $body
            }
            $crate::Element::I64 => {
                type $type = i64;
                $body
            }
            other => panic!("{other:?} is not an integer type"),
        }
    };
}

/// The same for `f32` and `f64`; every type but `f64` is computed in `f32`.
#[macro_export]
macro_rules! floats {
    ($element:expr, $type:ident => $body:expr) => {
        if $element == $crate::Element::F64 {
            type $type = f64;
            $body
        } else {
            type $type = f32;
            $body
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number of 8 bits stays itself, and numbers between two neighbours go to the nearer one, of two as near to the even one.
    #[test]
    fn numbers_of_8_bits() {
        fn check(format: Minifloat, numbers: u8) {
            for bits in 0..numbers {
                let (low, high) = (format.load(bits), format.load(bits + 1));
                assert_eq!(format.store(low), bits);
                assert_eq!(format.store(-low), bits | 0x80);
                let middle = f64::midpoint(low, high);
                let even = bits + (bits & 1);
                for (value, expected) in [
                    (middle, even),
                    (middle.next_down(), bits),
                    (middle.next_up(), bits + 1),
                ] {
                    assert_eq!(format.store(value), expected, "{value} beside {bits:#x}");
                }
            }
            for beyond in [format.largest * 1.5, f64::from(f32::MAX), f64::INFINITY] {
                assert_eq!(format.store(beyond), format.last);
                assert_eq!(format.store(-beyond), format.last | 0x80);
            }
            assert!(format.load(format.store(f64::NAN)).is_nan());
            assert_eq!(format.load(format.last), format.largest);
        }
        check(E4M3, 0x7e);
        check(E5M2, 0x7b);
        assert_eq!(E5M2.load(0x7c), f64::INFINITY);
        assert!(E5M2.load(0x7d).is_nan() && E4M3.load(0x7f).is_nan());
        for bits in 0..=254 {
            assert_eq!(store_scale(load_scale(bits)), bits);
        }
        let nearest = [1.4, 1.5, 2.9, 3.0, 0.0, -1.0].map(store_scale);
        assert_eq!(nearest, [127, 128, 128, 129, 255, 255]);
    }

    #[test]
    fn halves_convert_as_the_library_does() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            let (wide, expected) = (from_half(half), half.to_f32());
            assert!(
                wide.to_bits() == expected.to_bits() || wide.is_nan() && expected.is_nan(),
                "{bits:#06x} is {wide}, expected {expected}"
            );
            // The number, and those halfway to its neighbours with the ones next to them.
            let neighbour = f16::from_bits(bits.wrapping_add(1)).to_f32();
            let middle = f32::midpoint(expected, neighbour);
            for value in [expected, middle, middle.next_up(), middle.next_down()] {
                let (got, want) = (to_half(value), f16::from_f32(value));
                assert!(
                    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                    "{value} is {got}, expected {want}"
                );
                let (got, want) = (to_brain(value), bf16::from_f32(value));
                assert!(
                    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                    "{value} is {got}, expected {want}"
                );
            }
        }
        assert_eq!(to_half(f32::MAX), f16::INFINITY);
        assert_eq!(to_half(65519.0), f16::MAX);
        assert_eq!(to_half(-65520.0), f16::NEG_INFINITY);
        assert_eq!(to_brain(f32::MAX), bf16::INFINITY);
    }
}
