//! Half-precision numbers, converted as the reference does: without infinities.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;

const MOST: u16 = 0x7bff; // 65504
const SIGN: u16 = 0x8000;

/// Every exponent is an ordinary one, also the largest: what IEEE calls infinity is 65536 here.
pub(crate) fn widen(value: u16) -> f32 {
    let sign = if value & SIGN == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(value >> 10 & 0x1f);
    let fraction = f32::from(value & 0x3ff) / 1024.0;
    let magnitude = if exponent == 0 {
        fraction * 2.0_f32.powi(-14)
    } else {
        (1.0 + fraction) * 2.0_f32.powi(exponent - 15)
    };
    sign * magnitude
}

/// Rounds to nearest, ties to even; what is too large, infinite or no number becomes ±65504.
pub(crate) fn narrow(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = u16::try_from(bits >> 16 & 0x8000).unwrap_or(0);
    let exponent = i32::try_from(bits >> 23 & 0xff).unwrap_or(0) - 127;
    if exponent > 15 {
        return sign | MOST;
    }
    // The fraction with its leading one, and how many of its bits are cut off.
    let fraction = bits & 0x7f_ffff | 0x80_0000;
    let (base, cut) = if exponent >= -14 {
        (u32::try_from(exponent + 15).unwrap_or(0) << 10, 13)
    } else {
        (0, u32::try_from(-1 - exponent).unwrap_or(31))
    };
    if cut > 24 {
        return sign;
    }
    let kept = fraction >> cut;
    let rest = fraction & ((1 << cut) - 1);
    let half = 1 << (cut - 1);
    let up = u32::from(rest > half || (rest == half && kept & 1 == 1));
    // In a normal number the leading one is not stored: it becomes the exponent's lowest bit.
    let lead = if base == 0 { 0 } else { 1 << 10 };
    let rounded = u16::try_from(base + kept - lead + up).unwrap_or(MOST);
    sign | rounded.min(MOST)
}

/// Half to single precision.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclFloat16ToFloat(value: abi::aclFloat16) -> f32 {
    widen(value)
}
const _: abi::aclFloat16ToFloatFn = aclFloat16ToFloat;

/// Single to half precision.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclFloatToFloat16(value: f32) -> abi::aclFloat16 {
    narrow(value)
}
const _: abi::aclFloatToFloat16Fn = aclFloatToFloat16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_survives_the_way_there_and_back() {
        for value in (0..=MOST).chain(SIGN..=SIGN | MOST) {
            assert_eq!(narrow(widen(value)), value, "{value:#x}");
        }
    }

    #[test]
    fn what_is_no_finite_half_saturates() {
        for value in [f32::INFINITY, f32::NAN, 65520.0, 65536.0, f32::MAX] {
            assert_eq!(narrow(value) & !SIGN, MOST, "{value}");
        }
        assert_eq!(narrow(f32::NEG_INFINITY), SIGN | MOST);
        assert!((widen(0x7c00) - 65536.0).abs() < f32::EPSILON);
        assert!((widen(0xfe00) + 98304.0).abs() < f32::EPSILON);
    }

    #[test]
    fn rounding_is_to_nearest_even() {
        let rows = [
            (2049.0, 2048.0),
            (2051.0, 2052.0),
            (1.0 + 1.0 / 2048.0, 1.0),
            (1.0 + 3.0 / 2048.0, 1.0 + 1.0 / 512.0),
            (2.0_f32.powi(-25), 0.0),
            (2.0_f32.powi(-24) * 1.5, 2.0_f32.powi(-23)),
            (2.0_f32.powi(-26), 0.0),
            (f32::MIN_POSITIVE, 0.0),
            (65519.0, 65504.0),
        ];
        for (single, expected) in rows {
            let half: f32 = widen(narrow(single));
            assert!(
                (half - expected).abs() < f32::EPSILON,
                "{single} became {half}"
            );
        }
    }
}
