//! Convolutions in one to three dimensions, their transposes and gradients.
//!
//! All of them relate a large grid and a small one through the same windows. A convolution makes the small grid from the large one; its
//! transpose, and the gradient of its input, make the large grid from the small one.

use millpond_kernels::windows::{Convolution, Windows, columns_room};
use millpond_kernels::{Element, floats, map};

use crate::plan::{Memory, Plan, Planned, Value};
use crate::promote::{is_float, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// Values for each of `rank` axes, from a list that has one for all or one for each, as three axes with `fill` in front.
pub(crate) fn per_axis(
    values: &[i64],
    rank: usize,
    fill: i64,
    least: i64,
    name: &str,
) -> Result<[usize; 3], Refusal> {
    require!(
        values.len() == 1 || values.len() == rank,
        "'{name}' is {values:?}, but must have 1 or {rank} members"
    );
    let mut all = [usize::try_from(fill).unwrap_or(0); 3];
    for axis in 0..rank {
        let value = values[if values.len() == 1 { 0 } else { axis }];
        require!(
            value >= least && value < 1 << 31,
            "'{name}' is {values:?}, but its members must be at least {least} and less than 2^31"
        );
        all[3 - rank + axis] = usize::try_from(value).unwrap_or(0);
    }
    Ok(all)
}

/// The last `rank` dimensions, as three axes with ones in front.
pub(crate) fn grid(dims: &[i64], rank: usize) -> [usize; 3] {
    let mut sizes = [1; 3];
    for axis in 0..rank {
        let dim = dims[dims.len() - rank + axis];
        sizes[3 - rank + axis] = usize::try_from(dim).unwrap_or(0);
    }
    sizes
}

/// The type that real numbers are computed in: `double` if one of these is, else `float`.
pub(crate) fn real_type(tensors: &[&Tensor], what: &str) -> Result<Element, Refusal> {
    let mut element = Element::F16;
    for tensor in tensors {
        require!(
            is_float(tensor.element()),
            "{what} of {} elements: they must be real numbers (float16, bfloat16, float32 or float64)",
            tensor.element().name()
        );
        element = promote(element, tensor.element());
    }
    Ok(if element == Element::F64 {
        Element::F64
    } else {
        Element::F32
    })
}

/// Numbers of a convolution: what the caller gives besides tensors.
struct Settings<'a> {
    stride: &'a [i64],
    padding: &'a [i64],
    dilation: &'a [i64],
    output_padding: &'a [i64],
    transposed: bool,
    groups: i64,
}

/// Which shapes belong together.
struct Shapes {
    windows: Windows,
    groups: i64,
    rank: usize,
    /// The dimensions of the result, with the batch.
    output: Vec<i64>,
}

impl Settings<'_> {
    /// What follows from the dimensions of input (with a batch) and weight.
    fn shapes(&self, input: &[i64], weight: &[i64]) -> Result<Shapes, Refusal> {
        require!(
            (3..=5).contains(&weight.len()),
            "'weight' has the shape {weight:?}, but must have 3 to 5 dimensions"
        );
        let rank = weight.len() - 2;
        require!(
            input.len() == rank + 2,
            "'input' has the shape {input:?}, which does not fit weights of {weight:?}"
        );
        let stride = per_axis(self.stride, rank, 1, 1, "stride")?;
        let padding = per_axis(self.padding, rank, 0, 0, "padding")?;
        let dilation = per_axis(self.dilation, rank, 1, 1, "dilation")?;
        let more = if self.transposed && !self.output_padding.is_empty() {
            per_axis(self.output_padding, rank, 0, 0, "outputPadding")?
        } else {
            [0; 3]
        };
        let groups = self.groups;
        require!(groups >= 1, "'groups' is {groups}, but must be at least 1");
        let kernel = grid(weight, rank);
        require!(
            kernel.iter().all(|size| *size > 0),
            "'weight' has the shape {weight:?}: a window must have elements"
        );
        let channels = if self.transposed {
            weight[0]
        } else {
            weight[1].saturating_mul(groups)
        };
        require!(
            input[1] == channels && weight[0] % groups == 0,
            "'input' has {} channels, which do not fit weights of {weight:?} in {groups} groups",
            input[1]
        );
        let given = grid(input, rank);
        let mut other = [1; 3];
        for axis in 3 - rank..3 {
            let reach = dilation[axis] * (kernel[axis] - 1) + 1;
            let size = if self.transposed {
                let first = given[axis].checked_sub(1).map(|last| last * stride[axis]);
                first.and_then(|first| (first + reach + more[axis]).checked_sub(2 * padding[axis]))
            } else {
                (given[axis] + 2 * padding[axis])
                    .checked_sub(reach)
                    .map(|rest| rest / stride[axis] + 1)
            };
            let Some(size) = size.filter(|size| *size > 0 || self.transposed) else {
                return Err(Refusal::invalid(format!(
                    "an input of {input:?} is too small for windows of {reach} along axis {}",
                    axis + rank - 1
                )));
            };
            other[axis] = size;
        }
        let (large, small) = if self.transposed {
            (other, given)
        } else {
            (given, other)
        };
        let channels = if self.transposed {
            weight[1].saturating_mul(groups)
        } else {
            weight[0]
        };
        let mut output = vec![input[0], channels];
        output.extend(
            other[3 - rank..]
                .iter()
                .map(|size| i64::try_from(*size).unwrap_or(i64::MAX)),
        );
        Ok(Shapes {
            windows: Windows {
                large,
                small,
                kernel,
                stride,
                padding,
                dilation,
            },
            groups,
            rank,
            output,
        })
    }
}

/// The three operands of a convolution in the form that kernels take, and room for columns.
struct Operands {
    windows: Windows,
    groups: usize,
    large: Value,
    small: Value,
    weight: Value,
    room: Value,
}

impl Operands {
    /// The values are contiguous and have a batch.
    fn new(plan: &mut Plan, shapes: &Shapes, large: &Value, small: &Value, weight: &Value) -> Self {
        let flat = |plan: &mut Plan, value: &Value| {
            let plane: i64 = value.dims()[2..].iter().product();
            plan.reshape(value, &[value.dim(0), value.dim(1), plane])
        };
        let channels = usize::try_from(large.dim(1)).unwrap_or(0);
        let room = columns_room(&shapes.windows, channels);
        Self {
            windows: shapes.windows,
            groups: usize::try_from(shapes.groups).unwrap_or(1),
            large: flat(plan, large),
            small: flat(plan, small),
            weight: flat(plan, weight),
            room: plan.temp(weight.element(), &[i64::try_from(room).unwrap_or(i64::MAX)]),
        }
    }

    /// Runs one of the three products.
    fn run(self, plan: &mut Plan, product: Product) {
        if product == Product::Spread && !self.windows.is_identity() {
            plan.fill(&self.large, 0.0);
        }
        if product == Product::Correlate {
            plan.fill(&self.weight, 0.0);
        }
        let element = self.weight.element();
        plan.step(move |m: &Memory<'_>| {
            let (large, small) = (m.view(&self.large), m.view(&self.small));
            let (weight, room) = (m.view(&self.weight), m.view(&self.room));
            let convolution = Convolution {
                windows: &self.windows,
                groups: self.groups,
                large: &large,
                small: &small,
                weight: &weight,
                room: &room,
            };
            floats!(element, T => match product {
                Product::Gather => convolution.gather::<T>(),
                Product::Spread => convolution.spread::<T>(),
                Product::Correlate => convolution.correlate::<T>(),
            });
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Product {
    Gather,
    Spread,
    Correlate,
}

/// Plans a convolution of values; `out` has the shape that follows.
fn convolve(
    plan: &mut Plan,
    settings: &Settings<'_>,
    (input, weight, bias): (&Value, &Value, Option<&Value>),
    out: &Value,
    element: Element,
) -> Result<(), Refusal> {
    let shapes = settings.shapes(input.dims(), weight.dims())?;
    require!(
        *out.dims() == shapes.output[..],
        "the result has the shape {:?}, but 'output' has {:?}",
        shapes.output,
        out.dims()
    );
    if let Some(bias) = bias {
        require!(
            *bias.dims() == [out.dim(1)],
            "'bias' has the shape {:?}, but must have {} elements",
            bias.dims(),
            out.dim(1)
        );
    }
    let x = plan.contiguous(input, element);
    let w = plan.contiguous(weight, element);
    let y = plan.dense_room(out, element);
    if settings.transposed {
        Operands::new(plan, &shapes, &y, &x, &w).run(plan, Product::Spread);
    } else {
        Operands::new(plan, &shapes, &x, &y, &w).run(plan, Product::Gather);
    }
    let Some(bias) = bias else {
        plan.deliver(&y, out);
        return Ok(());
    };
    let mut bias = bias.clone();
    for _ in 0..shapes.rank {
        bias = bias.unsqueeze(bias.rank());
    }
    let (bias, out) = (bias.expand(y.dims()), out.clone());
    plan.step(move |m| {
        let (y, bias, out) = (m.view(&y), m.view(&bias), m.view(&out));
        floats!(element, T => map::map2::<T, T, T>(&y, &bias, &out, |x, y| x + y));
    });
    Ok(())
}

/// A convolution, or its transpose.
pub(crate) fn convolution(args: table::Convolution<'_>) -> Planned {
    let element = real_type(&[args.input, args.weight], "a convolution")?;
    let mut plan = Plan::new();
    let (input, weight) = (plan.input(args.input), plan.input(args.weight));
    let bias = args.bias.map(|bias| plan.input(bias));
    let out = plan.output_apart(args.output);
    let settings = Settings {
        stride: args.stride,
        padding: args.padding,
        dilation: args.dilation,
        output_padding: args.output_padding,
        transposed: args.transposed,
        groups: args.groups,
    };
    // Without a batch there is one image.
    let alone = args.input.rank() + 1 == args.weight.rank();
    let batched = |value: Value| if alone { value.unsqueeze(0) } else { value };
    let operands = (&batched(input), &weight, bias.as_ref());
    convolve(&mut plan, &settings, operands, &batched(out), element)?;
    plan.done()
}

/// A convolution of every channel with weights of its own.
pub(crate) fn depthwise(args: table::ConvDepthwise2d<'_>) -> Planned {
    let (input, weight) = (args.self_, args.weight);
    require!(
        weight.rank() == 4 && weight.dims[1] == 1 && weight.dims[2..] == *args.kernel_size,
        "'weight' has the shape {:?}, but must be [channels, 1, {:?}]",
        weight.dims,
        args.kernel_size
    );
    require!(
        input.rank() == 3 || input.rank() == 4,
        "'self' has the shape {:?}, but must have 3 or 4 dimensions",
        input.dims
    );
    convolution(table::Convolution {
        input,
        weight,
        bias: args.bias,
        stride: args.stride,
        padding: args.padding,
        dilation: args.dilation,
        transposed: false,
        output_padding: &[0],
        groups: input.dims[input.rank() - 3],
        output: args.out,
        cube_math_type: 0,
    })
}

/// A convolution over time: `[time, batch, channels]` with weights `[window, channels, channels of the result]`.
pub(crate) fn time_batch_channel(
    input: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    pad: i64,
    out: &Tensor,
) -> Planned {
    let element = real_type(&[input, weight], "a convolution")?;
    for (name, tensor) in [("self", input), ("weight", weight), ("out", out)] {
        require!(
            tensor.rank() == 3,
            "'{name}' has the shape {:?}, but must have 3 dimensions",
            tensor.dims
        );
    }
    let mut plan = Plan::new();
    let (x, w) = (plan.input(input), plan.input(weight));
    let bias = plan.input(bias);
    let y = plan.output_apart(out);
    let settings = Settings {
        stride: &[1],
        padding: &[pad],
        dilation: &[1],
        output_padding: &[],
        transposed: false,
        groups: 1,
    };
    let operands = (&x.permute(&[1, 2, 0]), &w.permute(&[2, 1, 0]), Some(&bias));
    convolve(
        &mut plan,
        &settings,
        operands,
        &y.permute(&[1, 2, 0]),
        element,
    )?;
    plan.done()
}

/// The gradients of a convolution.
pub(crate) fn convolution_backward(args: table::ConvolutionBackward<'_>) -> Planned {
    let element = real_type(
        &[args.grad_output, args.input, args.weight],
        "the gradient of a convolution",
    )?;
    require!(
        args.output_mask.len() == 3,
        "'outputMask' has {} members, but must have 3",
        args.output_mask.len()
    );
    let settings = Settings {
        stride: args.stride,
        padding: args.padding,
        dilation: args.dilation,
        output_padding: args.output_padding,
        transposed: args.transposed,
        groups: i64::from(args.groups),
    };
    let alone = args.input.rank() + 1 == args.weight.rank();
    let batched = |value: Value| if alone { value.unsqueeze(0) } else { value };
    let mut plan = Plan::new();
    let slope = batched(plan.input(args.grad_output));
    let input = batched(plan.input(args.input));
    let weight = plan.input(args.weight);
    let shapes = settings.shapes(input.dims(), weight.dims())?;
    require!(
        *slope.dims() == shapes.output[..],
        "'gradOutput' has the shape {:?}, but the result of the convolution has {:?}",
        slope.dims(),
        shapes.output
    );
    let wanted = |index: usize, tensor: Option<&'_ Tensor>, name: &str| {
        if args.output_mask[index] && tensor.is_none() {
            return Err(Refusal::missing(name));
        }
        Ok(args.output_mask[index])
    };
    let mut targets = [None, None, None];
    let asked = [
        (args.grad_input, "gradInput", args.input.dims.to_vec()),
        (args.grad_weight, "gradWeight", args.weight.dims.to_vec()),
        (args.grad_bias, "gradBias", vec![shapes.output[1]]),
    ];
    for (index, (tensor, name, dims)) in asked.into_iter().enumerate() {
        let Some(tensor) = tensor.filter(|_| args.output_mask[index]) else {
            wanted(index, tensor, name)?;
            continue;
        };
        require!(
            tensor.dims[..] == dims[..],
            "'{name}' has the shape {:?}, but must have {dims:?}",
            tensor.dims
        );
        targets[index] = Some(plan.output_apart(tensor));
    }
    let [grad_input, grad_weight, grad_bias] = targets;
    if let Some(target) = grad_bias {
        let axes: Vec<usize> = (0..slope.rank()).filter(|axis| *axis != 1).collect();
        plan.sum_to(&slope, &axes, &target);
    }
    let slope = plan.contiguous(&slope, element);
    if let Some(target) = grad_input {
        let target = batched(target);
        let w = plan.contiguous(&weight, element);
        let room = plan.dense_room(&target, element);
        if args.transposed {
            Operands::new(&mut plan, &shapes, &slope, &room, &w).run(&mut plan, Product::Gather);
        } else {
            Operands::new(&mut plan, &shapes, &room, &slope, &w).run(&mut plan, Product::Spread);
        }
        plan.deliver(&room, &target);
    }
    if let Some(target) = grad_weight {
        let x = plan.contiguous(&input, element);
        let room = plan.dense_room(&target, element);
        let (large, small) = if args.transposed {
            (&slope, &x)
        } else {
            (&x, &slope)
        };
        Operands::new(&mut plan, &shapes, large, small, &room).run(&mut plan, Product::Correlate);
        plan.deliver(&room, &target);
    }
    plan.done()
}

/// The windows of `unfold` and `fold` over an image of these dimensions.
fn sliding(
    image: &[i64],
    kernel: &[i64],
    dilation: &[i64],
    padding: &[i64],
    stride: &[i64],
) -> Result<Windows, Refusal> {
    let kernel = per_axis(kernel, 2, 1, 1, "kernelSize")?;
    let dilation = per_axis(dilation, 2, 1, 1, "dilation")?;
    let padding = per_axis(padding, 2, 0, 0, "padding")?;
    let stride = per_axis(stride, 2, 1, 1, "stride")?;
    let large = grid(image, 2);
    let mut small = [1; 3];
    for axis in 1..3 {
        let reach = dilation[axis] * (kernel[axis] - 1) + 1;
        let Some(rest) = (large[axis] + 2 * padding[axis]).checked_sub(reach) else {
            return Err(Refusal::invalid(format!(
                "an image of {image:?} is too small for windows of {reach} along its axis {}",
                axis - 1
            )));
        };
        small[axis] = rest / stride[axis] + 1;
    }
    Ok(Windows {
        large,
        small,
        kernel,
        stride,
        padding,
        dilation,
    })
}

fn int(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// The elements under every window, as columns.
pub(crate) fn unfold(
    input: &Tensor,
    kernel: &[i64],
    dilation: &[i64],
    padding: &[i64],
    stride: &[i64],
    out: &Tensor,
) -> Planned {
    require!(
        input.rank() == 3 || input.rank() == 4,
        "'self' has the shape {:?}, but must have 3 or 4 dimensions",
        input.dims
    );
    let element = real_type(&[input, out], "the windows")?;
    let windows = sliding(&input.dims, kernel, dilation, padding, stride)?;
    let channels = input.dims[input.rank() - 3];
    let rows = channels.saturating_mul(int(windows.kernel_count()));
    let mut dims: Vec<i64> = input.dims[..input.rank() - 3].to_vec();
    dims.extend([rows, int(windows.small_count())]);
    super::expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let x = plan.input(input);
    let y = plan.output_apart(out);
    let x = plan.contiguous(&x, element);
    let room = plan.dense_room(&y, element);
    let batch = if input.rank() == 4 { input.dims[0] } else { 1 };
    let (image, plane) = (int(windows.large_count()), int(windows.small_count()));
    let x = plan.reshape(&x, &[batch, channels.saturating_mul(image)]);
    let columns = plan.reshape(&room, &[batch, rows, plane]);
    plan.step(move |m| {
        let (x, columns) = (m.view(&x), m.view(&columns));
        for number in 0..batch {
            let (x, columns) = (x.select(0, number), columns.select(0, number));
            floats!(element, T => {
                let image = x.slice::<T>().unwrap_or_default();
                windows.unfold(image, 0, windows.small_count(), &columns);
            });
        }
    });
    plan.deliver(&room, &y);
    plan.done()
}

/// Columns back to images, where windows overlap as sums.
pub(crate) fn fold(
    columns: &Tensor,
    size: &[i64],
    kernel: &[i64],
    dilation: &[i64],
    padding: &[i64],
    stride: &[i64],
    out: &Tensor,
) -> Planned {
    require!(
        columns.rank() == 2 || columns.rank() == 3,
        "'self' has the shape {:?}, but must have 2 or 3 dimensions",
        columns.dims
    );
    require!(
        size.len() == 2 && size.iter().all(|dim| *dim > 0),
        "'outputSize' is {size:?}, but must be two positive numbers"
    );
    let element = real_type(&[columns, out], "the windows")?;
    let windows = sliding(size, kernel, dilation, padding, stride)?;
    let (rows, plane) = (
        columns.dims[columns.rank() - 2],
        columns.dims[columns.rank() - 1],
    );
    let places = int(windows.kernel_count());
    require!(
        rows % places == 0 && plane == int(windows.small_count()),
        "'self' has the shape {:?}, but must have a multiple of {places} rows and {} columns",
        columns.dims,
        windows.small_count()
    );
    let channels = rows / places;
    let mut dims: Vec<i64> = columns.dims[..columns.rank() - 2].to_vec();
    dims.extend([channels, size[0], size[1]]);
    super::expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let x = plan.input(columns);
    let y = plan.output_apart(out);
    let x = plan.contiguous(&x, element);
    let room = plan.dense_room(&y, element);
    plan.fill(&room, 0.0);
    let batch = if columns.rank() == 3 {
        columns.dims[0]
    } else {
        1
    };
    let x = plan.reshape(&x, &[batch, rows, plane]);
    let images = plan.reshape(&room, &[batch, channels, int(windows.large_count())]);
    plan.step(move |m| {
        let (x, images) = (m.view(&x), m.view(&images));
        for number in 0..batch {
            let (x, image) = (x.select(0, number), images.select(0, number));
            floats!(element, T => {
                let columns = x.slice::<T>().unwrap_or_default();
                windows.fold(columns, 0, windows.small_count(), &image);
            });
        }
    });
    plan.deliver(&room, &y);
    plan.done()
}
