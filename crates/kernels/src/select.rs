//! Elements that a condition selects: how many there are is known only when they have been seen.

use crate::copy::bits;
use crate::element::{Bool8, Stored};
use crate::view::View;

fn flags(mask: &View) -> &[Bool8] {
    mask.slice::<Bool8>()
        .unwrap_or_else(|| panic!("a mask is contiguous and has the type bool: {mask:?}"))
}

/// How many elements of a contiguous mask are true.
pub fn count_true(mask: &View) -> usize {
    flags(mask).iter().filter(|flag| flag.0 != 0).count()
}

/// Where the elements of a contiguous mask are true: `out[n, axis]`, in row-major order. `out` has room for as many as there are, and the
/// type `i64`.
pub fn nonzero(mask: &View, out: &View) {
    let strides = (out.strides()[0], out.strides()[1]);
    let mut walk = mask.walk(0);
    let mut row = 0;
    for flag in flags(mask) {
        if flag.0 != 0 {
            let mut at = row * strides.0;
            for position in walk.at() {
                out.write(at, *position);
                at += strides.1;
            }
            row += 1;
        }
        walk.step();
    }
}

/// Where the elements of a contiguous mask are true, as offsets with the given strides. `out` is contiguous, has the type `i64` and room for all;
/// returns how many there are.
pub fn true_offsets(mask: &View, strides: &[i64], out: &View) -> usize {
    let mut walk = mask.laid_out(mask.dims().into(), strides.into()).walk(0);
    let mut found = 0;
    for flag in flags(mask) {
        if flag.0 != 0 {
            out.write(found, walk.offset());
            found += 1;
        }
        walk.step();
    }
    usize::try_from(found).unwrap_or(0)
}

/// The elements of `from` where the mask is true, one behind the other along the only axis of `out`. `out` has room for them and overlaps
/// neither. `from` broadcasts to the mask, which is contiguous.
pub fn pack(from: &View, mask: &View, out: &View) {
    let from = from.expand(mask.dims());
    bits!(out.element().bytes(), T, element => {
        let (from, out) = (from.reinterpret(element), out.reinterpret(element));
        let stride = out.strides().first().copied().unwrap_or(0);
        let (mut walk, mut at) = (from.walk(0), 0);
        for flag in flags(mask) {
            if flag.0 != 0 {
                out.write(at, from.read::<T>(walk.offset()));
                at += stride;
            }
            walk.step();
        }
    });
}

/// The elements of `from`, in row-major order, where the mask is true in `into`. `from` has at least as many as the mask selects.
pub fn unpack(from: &View, mask: &View, into: &View) {
    bits!(into.element().bytes(), T, element => {
        let (from, into) = (from.reinterpret(element), into.reinterpret(element));
        let (mut source, mut target) = (from.walk(0), into.walk(0));
        for flag in flags(mask) {
            if flag.0 != 0 {
                into.write(target.offset(), from.read::<T>(source.offset()));
                source.step();
            }
            target.step();
        }
    });
}

/// Keeps the elements of matrices, the last two axes, where `keep(row, column)`, and writes 0 elsewhere. `from` may be `to`.
pub fn triangle(from: &View, to: &View, keep: impl Fn(i64, i64) -> bool + Sync) {
    let rank = to.rank();
    let (rows, columns) = (to.axes(0..rank - 1), to.dims()[rank - 1]);
    let (step, stride) = (from.strides()[rank - 1], to.strides()[rank - 1]);
    let height = usize::try_from(to.dims()[rank - 2]).unwrap_or(0);
    if to.count() == 0 {
        return;
    }
    let froms = from.axes(0..rank - 1);
    bits!(to.element().bytes(), T, element => {
        let (from, to) = (from.reinterpret(element), to.reinterpret(element));
        let nothing = <T as Stored>::store(0_u8);
        let width = usize::try_from(columns).unwrap_or(1).max(1);
        crate::parallel::ranges(rows.count(), (32 * 1024 / width).max(1), |range| {
            let (mut source, mut target) = (froms.walk(range.start), rows.walk(range.start));
            for number in range {
                let row = i64::try_from(number % height).unwrap_or(0);
                for column in 0..columns {
                    let value = if keep(row, column) {
                        from.read::<T>(source.offset() + column * step)
                    } else {
                        nothing
                    };
                    to.write(target.offset() + column * stride, value);
                }
                source.step();
                target.step();
            }
        });
    });
}
