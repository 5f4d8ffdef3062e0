//! Elements that go to places which indices name, joined with what is there.

use millpond_kernels::{BLOCK, Compute, Element, Float, View, contiguous_strides, read_block};

use super::{axis_of, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category, check_result, is_complex};
use crate::refusal::Refusal;
use crate::require;
use crate::row_ops::with_axis;
use crate::tensor::Tensor;

/// How elements are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    Last,
    Sum,
    Product,
    Largest,
    Smallest,
    Mean,
}

impl Join {
    fn of(code: i64) -> Result<Self, Refusal> {
        Ok(match code {
            0 => Self::Last,
            1 => Self::Sum,
            2 => Self::Product,
            3 => Self::Largest,
            4 => Self::Smallest,
            5 => Self::Mean,
            _ => {
                return Err(Refusal::invalid(format!(
                    "'reduction' is {code}, but 0 (none), 1 (sum), 2 (product), 3 (largest), 4 (smallest) or 5 (mean) is expected"
                )));
            }
        })
    }
}

/// Types that are joined in.
trait Joined: Compute {
    const LEAST: Self;
    const MOST: Self;
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
    fn over(self, count: i64) -> Self;
}

macro_rules! real {
    ($($type:ty),*) => {$(
        impl Joined for $type {
            const LEAST: Self = <$type>::NEG_INFINITY;
            const MOST: Self = <$type>::INFINITY;
            fn larger(self, other: Self) -> Self { self.max_nan(other) }
            fn smaller(self, other: Self) -> Self { self.min_nan(other) }
            fn over(self, count: i64) -> Self { self / <$type as Compute>::from_i64(count) }
        }
    )*};
}
real!(f32, f64);

impl Joined for i64 {
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
    fn larger(self, other: Self) -> Self {
        self.max(other)
    }
    fn smaller(self, other: Self) -> Self {
        self.min(other)
    }
    /// Towards −∞.
    fn over(self, count: i64) -> Self {
        self.div_euclid(count)
    }
}

/// Calls `each` with the place in `work` that each index names, and the number of the element of `source` that belongs to it.
fn for_places(
    index: &View,
    axis: usize,
    work: &[i64],
    mut each: impl FnMut(usize, usize),
) -> Result<(), String> {
    let strides = contiguous_strides(work);
    let dims = index.dims().to_vec();
    let mut places = [0_i64; BLOCK];
    let all = index.count();
    let mut start = 0;
    while start < all {
        let some = BLOCK.min(all - start);
        read_block(index, start, &mut places[..some]);
        for (offset, place) in places[..some].iter().enumerate() {
            if !(0..work[axis]).contains(place) {
                return Err(format!(
                    "index {place} is outside dimension {axis}, which has {} elements",
                    work[axis]
                ));
            }
            let mut rest = i64::try_from(start + offset).unwrap_or(0);
            let mut target = 0;
            for (own, dim) in dims.iter().enumerate().rev() {
                let at = if own == axis { *place } else { rest % dim };
                rest /= dim;
                target += at * strides[own];
            }
            each(usize::try_from(target).unwrap_or(0), start + offset);
        }
        start += some;
    }
    Ok(())
}

fn join<T: Joined>(
    how: Join,
    with_self: bool,
    axis: usize,
    work: &View,
    counts: Option<&View>,
    index: &View,
    source: &View,
) -> Result<(), String> {
    let dims = work.dims().to_vec();
    let (Some(results), counts) = (
        work.slice_mut::<T>(),
        counts.and_then(|counts| counts.slice_mut::<i64>()),
    ) else {
        return Err("results are not contiguous".to_owned());
    };
    if !with_self && how != Join::Last {
        let identity = match how {
            Join::Product => T::from_i64(1),
            Join::Largest => T::LEAST,
            Join::Smallest => T::MOST,
            _ => T::default(),
        };
        for_places(index, axis, &dims, |target, _| results[target] = identity)?;
    }
    let mut block = [T::default(); BLOCK];
    let mut loaded = usize::MAX;
    let mut counts = counts;
    let all = source.count();
    for_places(index, axis, &dims, |target, number| {
        if loaded != number / BLOCK {
            loaded = number / BLOCK;
            let start = loaded * BLOCK;
            let some = BLOCK.min(all - start);
            read_block(source, start, &mut block[..some]);
        }
        let (new, old) = (block[number % BLOCK], results[target]);
        results[target] = match how {
            Join::Last => new,
            Join::Sum | Join::Mean => old.add(new),
            Join::Product => old.mul(new),
            Join::Largest => old.larger(new),
            Join::Smallest => old.smaller(new),
        };
        if let Some(counts) = &mut counts {
            counts[target] += 1;
        }
    })?;
    if let Some(counts) = counts {
        for (result, count) in results.iter_mut().zip(counts) {
            let count = *count + i64::from(with_self);
            if count > 1 {
                *result = result.over(count);
            }
        }
    }
    Ok(())
}

/// `source` joined into places of `x` along an axis.
pub(crate) fn scatter_reduce(
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    source: &Tensor,
    reduction: i64,
    with_self: bool,
    out: &Tensor,
) -> Planned {
    expect_shape(out, &x.dims)?;
    check_result(x.element(), out)?;
    let how = Join::of(reduction)?;
    let axis = axis_of(x, dim, "dim")?;
    if is_complex(x.element()) {
        return Err(Refusal::unsupported(
            "Millpond does not reduce complex numbers",
        ));
    }
    require!(
        source.element() == x.element(),
        "'src' has the type {}, but 'self' has {}",
        source.element().name(),
        x.element().name()
    );
    require!(
        category(index.element()) == Category::Int,
        "'index' has the type {}, but integers are expected",
        index.element().name()
    );
    let (own, places, from) = (x.rank().max(1), index.rank().max(1), source.rank().max(1));
    require!(
        index.is_empty() || own == places && own == from,
        "'self' has {} dimensions, 'index' {} and 'src' {}, but they must have the same number",
        x.rank(),
        index.rank(),
        source.rank()
    );
    let mut plan = Plan::new();
    let value = with_axis(&plan.input(x));
    let index_value = with_axis(&plan.input(index));
    let source_value = with_axis(&plan.input(source));
    let result = with_axis(&plan.output_apart(out));
    if index.is_empty() {
        plan.copy(&value, &result);
        return plan.done();
    }
    for other in 0..own {
        let (place, given, room) = (
            index_value.dim(other),
            source_value.dim(other),
            value.dim(other),
        );
        require!(
            place <= given && (other == axis || place <= room),
            "'index' has the shape {:?}, which is larger than 'src' with {:?} or 'self' with {:?}",
            index.dims,
            source.dims,
            x.dims
        );
    }
    let through = match category(x.element()) {
        Category::Float if x.element() == Element::F64 => Element::F64,
        Category::Float => Element::F32,
        _ => Element::I64,
    };
    let work = plan.temp(through, value.dims());
    plan.copy(&value, &work);
    let counts: Option<Value> = (how == Join::Mean).then(|| plan.temp(Element::I64, value.dims()));
    if let Some(counts) = &counts {
        plan.fill(counts, 0.0);
    }
    let source_value = (0..own).fold(source_value, |value, other| {
        value.narrow(other, 0, index_value.dim(other))
    });
    let into = work.clone();
    plan.try_step(move |m| {
        let counts = counts.as_ref().map(|counts| m.view(counts));
        let (work, index, source) = (m.view(&into), m.view(&index_value), m.view(&source_value));
        match through {
            Element::F64 => join::<f64>(
                how,
                with_self,
                axis,
                &work,
                counts.as_ref(),
                &index,
                &source,
            ),
            Element::F32 => join::<f32>(
                how,
                with_self,
                axis,
                &work,
                counts.as_ref(),
                &index,
                &source,
            ),
            _ => join::<i64>(
                how,
                with_self,
                axis,
                &work,
                counts.as_ref(),
                &index,
                &source,
            ),
        }
    });
    plan.copy(&work, &result);
    plan.done()
}

/// Elements of planes put where a pooling found them; all else is 0.
pub(crate) fn max_unpool2d(x: &Tensor, indices: &Tensor, size: &[i64], out: &Tensor) -> Planned {
    require!(
        matches!(x.rank(), 3 | 4),
        "'self' has the shape {:?}, but three or four dimensions are expected",
        x.dims
    );
    require!(
        indices.dims == x.dims,
        "'indices' have the shape {:?}, but 'self' has {:?}",
        indices.dims,
        x.dims
    );
    require!(
        size.len() == 2,
        "'outputSize' has {} elements, but 2 are expected",
        size.len()
    );
    require!(
        category(indices.element()) == Category::Int,
        "'indices' have the type {}, but integers are expected",
        indices.element().name()
    );
    let lead = x.rank() - 2;
    let mut dims = x.dims.clone();
    dims[lead] = size[0];
    dims[lead + 1] = size[1];
    expect_shape(out, &dims)?;
    require!(
        out.element() == x.element(),
        "'out' has the type {}, but 'self' has {}",
        out.element().name(),
        x.element().name()
    );
    if is_complex(x.element()) {
        return Err(Refusal::unsupported(
            "Millpond does not unpool complex numbers",
        ));
    }
    let plane = size[0].saturating_mul(size[1]);
    let planes: i64 = x.dims[..lead].iter().product();
    let width: i64 = x.dims[lead..].iter().product();
    let through = match category(x.element()) {
        Category::Float if x.element() == Element::F64 => Element::F64,
        Category::Float => Element::F32,
        _ => Element::I64,
    };
    let mut plan = Plan::new();
    let value = plan.input(x);
    let places = plan.input(indices);
    let result = plan.output_apart(out);
    let flat = [planes, width];
    let value = plan.contiguous(&value, through);
    let value = plan.reshape(&value, &flat);
    let places = plan.contiguous(&places, Element::I64);
    let places = plan.reshape(&places, &flat);
    let results = plan.packed_into(&result, through);
    plan.fill(&results.rows, 0.0);
    let into = results
        .rows
        .reshaped(&[planes, plane])
        .unwrap_or_else(|| results.rows.clone());
    plan.try_step(move |m| {
        let (value, places, into) = (m.view(&value), m.view(&places), m.view(&into));
        match through {
            Element::F64 => join::<f64>(Join::Last, true, 1, &into, None, &places, &value),
            Element::F32 => join::<f32>(Join::Last, true, 1, &into, None, &places, &value),
            _ => join::<i64>(Join::Last, true, 1, &into, None, &places, &value),
        }
    });
    plan.rows_done(&results);
    plan.done()
}
