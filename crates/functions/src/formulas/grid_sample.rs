//! Reading images at places that a tensor gives, and the grids of affine maps.

use millpond_kernels::sample::{Between, Outside, Sampler};
use millpond_kernels::{Float, floats, map};

use super::convolution::{grid as sizes_of, real_type};
use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// How images of `axes` axes are read, from the numbers that the caller gives.
fn sampler(
    image: &Tensor,
    grid: &Tensor,
    axes: usize,
    (between, outside, align): (i64, i64, bool),
) -> Result<Sampler, Refusal> {
    let rank = axes + 2;
    let places = i64::try_from(axes).unwrap_or(0);
    require!(
        image.rank() == rank
            && grid.rank() == rank
            && grid.dims[rank - 1] == places
            && grid.dims[0] == image.dims[0],
        "'input' has the shape {:?} and 'grid' {:?}, but both must have {rank} dimensions, the same first one, and the last one of 'grid' must be {axes}",
        image.dims,
        grid.dims
    );
    require!(
        image.dims[2..].iter().all(|dim| *dim > 0),
        "'input' has the shape {:?}: images must have elements",
        image.dims
    );
    let between = match between {
        0 => Between::Linear,
        1 => Between::Nearest,
        2 if axes == 2 => Between::Cubic,
        other => {
            return Err(Refusal::invalid(format!(
                "'interpolationMode' is {other}, but must be 0 (linear), 1 (nearest) or, with two axes, 2 (cubic)"
            )));
        }
    };
    let outside = match outside {
        0 => Outside::Zeros,
        1 => Outside::Border,
        2 => Outside::Mirror,
        other => {
            return Err(Refusal::invalid(format!(
                "'paddingMode' is {other}, but must be 0 (zeros), 1 (border) or 2 (reflection)"
            )));
        }
    };
    Ok(Sampler {
        between,
        outside,
        align,
        axes,
        sizes: sizes_of(&image.dims, axes),
    })
}

/// The shape of what is read.
fn read_dims(image: &Tensor, grid: &Tensor) -> Vec<i64> {
    let places = &grid.dims[1..grid.rank() - 1];
    image.dims[..2].iter().chain(places).copied().collect()
}

/// A value `[batch, channels, …]` with the other axes as one.
fn planes(plan: &mut Plan, value: &Value) -> Value {
    let plane: i64 = value.dims()[2..].iter().product();
    plan.reshape(value, &[value.dim(0), value.dim(1), plane])
}

/// A grid `[batch, …, axes]` with the middle axes as one.
fn places(plan: &mut Plan, value: &Value) -> Value {
    let last = value.rank() - 1;
    let count: i64 = value.dims()[1..last].iter().product();
    plan.reshape(value, &[value.dim(0), count, value.dim(last)])
}

/// Images at the places of a grid.
pub(crate) fn sample(
    image: &Tensor,
    grid: &Tensor,
    axes: usize,
    modes: (i64, i64, bool),
    out: &Tensor,
) -> Planned {
    let sampler = sampler(image, grid, axes, modes)?;
    let element = real_type(&[image, grid, out], "sampling")?;
    expect_shape(out, &read_dims(image, grid))?;
    let mut plan = Plan::new();
    let (x, g) = (plan.input(image), plan.input(grid));
    let y = plan.output_apart(out);
    let (x, g) = (plan.contiguous(&x, element), plan.contiguous(&g, element));
    let (x, g) = (planes(&mut plan, &x), places(&mut plan, &g));
    let room = plan.dense_room(&y, element);
    let into = planes(&mut plan, &room);
    plan.step(move |m| {
        let (x, g, into) = (m.view(&x), m.view(&g), m.view(&into));
        floats!(element, T => sampler.read::<T>(&x, &g, &into));
    });
    plan.deliver(&room, &y);
    plan.done()
}

/// The gradients of [`sample`]: those that the mask asks for.
pub(crate) fn sample_backward(
    tensors: [&Tensor; 3],
    axes: usize,
    modes: (i64, i64, bool),
    mask: &[bool],
    image_out: Option<&Tensor>,
    grid_out: Option<&Tensor>,
) -> Planned {
    let [slope, image, grid] = tensors;
    let sampler = sampler(image, grid, axes, modes)?;
    let element = real_type(&tensors, "sampling")?;
    require!(
        mask.len() == 2,
        "'outputMask' has {} members, but must have 2",
        mask.len()
    );
    let read = read_dims(image, grid);
    require!(
        slope.dims[..] == read[..],
        "'gradOutput' has the shape {:?}, but what is read has {read:?}",
        slope.dims
    );
    let mut plan = Plan::new();
    let (s, x, g) = (plan.input(slope), plan.input(image), plan.input(grid));
    let mut target = |index: usize, tensor: Option<&Tensor>, like: &Tensor, name: &str| {
        if !mask[index] {
            return Ok(None);
        }
        let tensor = tensor.ok_or_else(|| Refusal::missing(name))?;
        expect_shape(tensor, &like.dims)?;
        Ok(Some(plan.output_apart(tensor)))
    };
    let image_out = target(0, image_out, image, "inputGrad")?;
    let grid_out = target(1, grid_out, grid, "gridGrad")?;
    let s = plan.contiguous(&s, element);
    let g = plan.contiguous(&g, element);
    let (s, g) = (planes(&mut plan, &s), places(&mut plan, &g));
    if let Some(out) = image_out {
        let room = plan.dense_room(&out, element);
        plan.fill(&room, 0.0);
        let into = planes(&mut plan, &room);
        let (s, g) = (s.clone(), g.clone());
        plan.step(move |m| {
            let (s, g, into) = (m.view(&s), m.view(&g), m.view(&into));
            floats!(element, T => sampler.image_gradient::<T>(&s, &g, &into));
        });
        plan.deliver(&room, &out);
    }
    if let Some(out) = grid_out {
        let x = plan.contiguous(&x, element);
        let x = planes(&mut plan, &x);
        let room = plan.dense_room(&out, element);
        let into = places(&mut plan, &room);
        plan.step(move |m| {
            let (s, x, g, into) = (m.view(&s), m.view(&x), m.view(&g), m.view(&into));
            floats!(element, T => sampler.grid_gradient::<T>(&s, &x, &g, &into));
        });
        plan.deliver(&room, &out);
    }
    plan.done()
}

/// The gradients of reading images of two axes.
pub(crate) fn sample_2d_backward(args: table::GridSampler2DBackward<'_>) -> Planned {
    sample_backward(
        [args.grad_output, args.input, args.grid],
        2,
        (
            args.interpolation_mode,
            args.padding_mode,
            args.align_corners,
        ),
        args.output_mask,
        args.input_grad,
        args.grid_grad,
    )
}

/// The gradients of reading images of three axes.
pub(crate) fn sample_3d_backward(args: table::GridSampler3DBackward<'_>) -> Planned {
    sample_backward(
        [args.grad_output, args.input, args.grid],
        3,
        (
            args.interpolation_mode,
            args.padding_mode,
            args.align_corners,
        ),
        args.output_mask,
        args.dinput,
        args.dgrid,
    )
}

/// The places of all elements of images of `size` under affine maps `[batch, axes, axes + 1]`.
#[expect(clippy::cast_precision_loss, reason = "sizes of images")]
pub(crate) fn affine_grid(theta: &Tensor, size: &[i64], align: bool, out: &Tensor) -> Planned {
    require!(
        size.len() == 4 || size.len() == 5,
        "'size' is {size:?}, but must have 4 or 5 members"
    );
    require!(
        size.iter().all(|dim| (0..1 << 31).contains(dim)),
        "'size' is {size:?}, but its members must be sizes"
    );
    let axes = size.len() - 2;
    let count = i64::try_from(axes).unwrap_or(0);
    let maps = [size[0], count, count + 1];
    require!(
        theta.dims[..] == maps,
        "'theta' has the shape {:?}, but must have {maps:?}",
        theta.dims
    );
    let mut dims = vec![size[0]];
    dims.extend(&size[2..]);
    dims.push(count);
    expect_shape(out, &dims)?;
    let element = real_type(&[theta, out], "a grid")?;
    let sizes: Vec<usize> = size[2..]
        .iter()
        .map(|dim| usize::try_from(*dim).unwrap_or(0))
        .collect();
    let mut plan = Plan::new();
    let t = plan.input(theta);
    let y = plan.output_apart(out);
    let t = plan.contiguous(&t, element);
    plan.step(move |m| {
        let (t, y) = (m.view(&t), m.view(&y));
        floats!(element, T => {
            let theta = t.slice::<T>().unwrap_or_default();
            map::generate::<T>(&y, |number| {
                let (row, mut rest) = (number % axes, number / axes);
                // Places along the axes from the last one on, as the columns of a map count them.
                let mut places = [0.0; 3];
                for (place, size) in places.iter_mut().zip(sizes.iter().rev()) {
                    let at = (rest % size) as f64;
                    let size_real = *size as f64;
                    *place = match (align, *size) {
                        (_, 1) => 0.0,
                        (true, _) => 2.0 * at / (size_real - 1.0) - 1.0,
                        (false, _) => (2.0 * at + 1.0) / size_real - 1.0,
                    };
                    rest /= size;
                }
                let map = &theta[(rest * axes + row) * (axes + 1)..][..=axes];
                let mut sum = millpond_kernels::Compute::to_f64(map[axes]);
                for (factor, place) in map.iter().zip(&places[..axes]) {
                    sum += millpond_kernels::Compute::to_f64(*factor) * place;
                }
                <T as Float>::of(sum)
            });
        });
    });
    plan.done()
}
