//! What comes before latent attention: queries and keys from tokens, by way of small matrices, norms and turning by position.

use millpond_kernels::quantise::{row_to_i8, to_i8};
use millpond_kernels::{Element, Stored, map, rows};

use super::moe::{Staged, expect_dims, flat, size, slice, slice_mut, whole};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

fn is_real(element: Element) -> bool {
    matches!(element, Element::BF16 | Element::F16 | Element::F32)
}

fn expect_real(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        is_real(tensor.element()),
        "'{argument}' has the type {}, but bfloat16, float16 or float is expected",
        tensor.element().name()
    );
    Ok(())
}

/// Where keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cache {
    /// Pages of rows; an index says which row of all of them.
    Pages,
    /// A row for each token, in order.
    Rows,
}

/// One call, in either version.
struct Prolog<'a> {
    tokens: &'a Tensor,
    weight_dq: &'a Tensor,
    weight_uq_qr: &'a Tensor,
    weight_uk: &'a Tensor,
    weight_dkv_kr: &'a Tensor,
    gamma_cq: &'a Tensor,
    gamma_ckv: &'a Tensor,
    sin: &'a Tensor,
    cos: &'a Tensor,
    index: Option<&'a Tensor>,
    kv_cache: &'a Tensor,
    kr_cache: &'a Tensor,
    scale_x: Option<&'a Tensor>,
    scale_dq: Option<&'a Tensor>,
    scale_uq_qr: Option<&'a Tensor>,
    scale_dkv_kr: Option<&'a Tensor>,
    quant_ckv: Option<&'a Tensor>,
    quant_ckr: Option<&'a Tensor>,
    smooth: Option<&'a Tensor>,
    epsilon_cq: f64,
    epsilon_ckv: f64,
    cache: Cache,
    query_factor: f64,
    key_factor: f64,
    query: &'a Tensor,
    query_rope: &'a Tensor,
    query_scale: Option<&'a Tensor>,
    norm: Option<&'a Tensor>,
    norm_scale: Option<&'a Tensor>,
}

/// The second version: types say what is quantised.
pub(crate) fn second(call: table::MlaPrologV2WeightNz<'_>) -> Planned {
    if call.cache_mode != "PA_BSND" {
        return Err(Refusal::unsupported(format!(
            "'cacheMode' is '{}'; Millpond has PA_BSND",
            call.cache_mode
        )));
    }
    Prolog {
        tokens: call.token_x,
        weight_dq: call.weight_dq,
        weight_uq_qr: call.weight_uq_qr,
        weight_uk: call.weight_uk,
        weight_dkv_kr: call.weight_dkv_kr,
        gamma_cq: call.rmsnorm_gamma_cq,
        gamma_ckv: call.rmsnorm_gamma_ckv,
        sin: call.rope_sin,
        cos: call.rope_cos,
        index: Some(call.cache_index),
        kv_cache: call.kv_cache,
        kr_cache: call.kr_cache,
        scale_x: call.dequant_scale_x,
        scale_dq: call.dequant_scale_w_dq,
        scale_uq_qr: call.dequant_scale_w_uq_qr,
        scale_dkv_kr: call.dequant_scale_w_dkv_kr,
        quant_ckv: call.quant_scale_ckv,
        quant_ckr: call.quant_scale_ckr,
        smooth: call.smooth_scales_cq,
        epsilon_cq: call.rmsnorm_epsilon_cq,
        epsilon_ckv: call.rmsnorm_epsilon_ckv,
        cache: Cache::Pages,
        query_factor: 1.0,
        key_factor: 1.0,
        query: call.query,
        query_rope: call.query_rope,
        query_scale: call.dequant_scale_q_nope,
        norm: None,
        norm_scale: None,
    }
    .plan()
}

/// The third version: numbers say what is quantised, and they must agree with the types.
#[expect(
    clippy::large_types_passed_by_value,
    reason = "as every row passes its arguments"
)]
pub(crate) fn third(call: table::MlaPrologV3WeightNz<'_>) -> Planned {
    let cache = match call.cache_mode {
        "PA_BSND" => Cache::Pages,
        "BSND" | "TND" => Cache::Rows,
        other => {
            return Err(Refusal::unsupported(format!(
                "'cacheMode' is '{other}'; Millpond has PA_BSND, BSND and TND"
            )));
        }
    };
    if call.ckvkr_repo_mode != 0 || call.quant_scale_repo_mode != 0 {
        return Err(Refusal::unsupported(format!(
            "'ckvkrRepoMode' is {} and 'quantScaleRepoMode' {}; Millpond has 0 and 0: both caches and the scales are apart",
            call.ckvkr_repo_mode, call.quant_scale_repo_mode
        )));
    }
    if call
        .k_nope_clip_alpha
        .is_some_and(|alpha| !alpha.is_empty())
    {
        return Err(Refusal::unsupported(
            "'kNopeClipAlpha' is given; Millpond does not clip keys, pass NULL",
        ));
    }
    let int8 = |tensor: &Tensor| tensor.element() == Element::I8;
    let (tokens, up, keys) = (
        int8(call.token_x),
        int8(call.weight_uq_qr),
        int8(call.kv_cache),
    );
    // Descriptions disagree on the number for quantised keys of tokens that are not.
    let fits = match (
        call.weight_quant_mode,
        call.kv_cache_quant_mode,
        call.query_quant_mode,
    ) {
        (0, 0, 0) => !tokens && !up && !keys,
        (1, 0, 0) => !tokens && up && !keys,
        (1 | 2, 2, 0) => !tokens && up && keys,
        (2, 0, 0) => tokens && up && !keys,
        (2, 1, 1) => tokens && up && keys,
        (weights, cache, query) => {
            return Err(Refusal::unsupported(format!(
                "'weightQuantMode' is {weights}, 'kvCacheQuantMode' {cache} and 'queryQuantMode' {query}; Millpond has 0 0 0, 1 0 0, 1 2 0, 2 0 0 and 2 1 1"
            )));
        }
    };
    require!(
        fits,
        "'weightQuantMode' is {}, 'kvCacheQuantMode' {} and 'queryQuantMode' {}, which does not fit the types: 'tokenX' has {}, 'weightUqQr' {} and 'kvCache' {}",
        call.weight_quant_mode,
        call.kv_cache_quant_mode,
        call.query_quant_mode,
        call.token_x.element().name(),
        call.weight_uq_qr.element().name(),
        call.kv_cache.element().name()
    );
    Prolog {
        tokens: call.token_x,
        weight_dq: call.weight_dq,
        weight_uq_qr: call.weight_uq_qr,
        weight_uk: call.weight_uk,
        weight_dkv_kr: call.weight_dkv_kr,
        gamma_cq: call.rmsnorm_gamma_cq,
        gamma_ckv: call.rmsnorm_gamma_ckv,
        sin: call.rope_sin,
        cos: call.rope_cos,
        index: call.cache_index,
        kv_cache: call.kv_cache,
        kr_cache: call.kr_cache,
        scale_x: call.dequant_scale_x,
        scale_dq: call.dequant_scale_w_dq,
        scale_uq_qr: call.dequant_scale_w_uq_qr,
        scale_dkv_kr: call.dequant_scale_w_dkv_kr,
        quant_ckv: call.quant_scale_ckv,
        quant_ckr: call.quant_scale_ckr,
        smooth: call.smooth_scales_cq,
        epsilon_cq: call.rmsnorm_epsilon_cq,
        epsilon_ckv: call.rmsnorm_epsilon_ckv,
        cache,
        query_factor: call.qc_qr_scale,
        key_factor: call.kc_scale,
        query: call.query,
        query_rope: call.query_rope,
        query_scale: call.dequant_scale_q_nope,
        norm: call.query_norm,
        norm_scale: call.dequant_scale_q_norm,
    }
    .plan()
}

/// Scales for the rows and columns of a product.
struct Sides {
    lines: Value,
    columns: Value,
}

/// Rows in float: `x · weight`. Integers are multiplied exactly and scaled then.
fn product(
    plan: &mut Plan,
    x: &Value,
    weight: &Value,
    sides: Option<Sides>,
) -> Result<Value, Refusal> {
    let dims = [x.dim(0), weight.dim(1)];
    let Some(Sides { lines, columns }) = sides else {
        let out = plan.temp(Element::F32, &dims);
        plan.matmul_to(x, weight, &out)?;
        return Ok(out);
    };
    let sums = plan.temp(Element::F64, &dims);
    plan.matmul_to(x, weight, &sums)?;
    let out = plan.temp(Element::F32, &dims);
    let into = out.clone();
    plan.step(move |m| {
        let (lines, columns) = (m.view(&lines), m.view(&columns));
        let (lines, columns) = (slice::<f32>(&lines), slice::<f32>(&columns));
        rows::rows1::<f64, f32>(&m.view(&sums), &m.view(&into), |row, sums, to| {
            for ((to, sum), column) in to.iter_mut().zip(sums).zip(columns) {
                *to = f32::store(*sum) * lines[row] * column;
            }
        });
    });
    Ok(out)
}

/// Rows divided by the root of their mean square, times gamma and a factor.
fn normed(plan: &mut Plan, x: &Value, gamma: &Value, epsilon: f64, factor: f64) -> Value {
    let out = plan.temp(Element::F32, x.dims());
    let (x, gamma, into) = (x.clone(), gamma.clone(), out.clone());
    plan.step(move |m| {
        let gamma = m.view(&gamma);
        let gamma = slice::<f32>(&gamma);
        rows::rows1::<f32, f32>(&m.view(&x), &m.view(&into), |_, from, to| {
            let squares: f64 = from.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            let root = (squares / from.len() as f64 + epsilon).sqrt();
            for ((to, x), gamma) in to.iter_mut().zip(from).zip(gamma) {
                *to = f32::store(f64::from(*x) / root * f64::from(*gamma) * factor);
            }
        });
    });
    out
}

/// Rows turned by position: neighbours are turned together, results go into halves. `x` has several rows for each position.
fn turned(plan: &mut Plan, x: &Value, sin: &Value, cos: &Value) -> Value {
    let out = plan.temp(Element::F32, x.dims());
    let heads = size(x.dim(1)).max(1);
    let (x, sin, cos, into) = (x.clone(), sin.clone(), cos.clone(), out.clone());
    plan.step(move |m| {
        let (sin, cos) = (m.view(&sin), m.view(&cos));
        let (sin, cos) = (slice::<f32>(&sin), slice::<f32>(&cos));
        rows::rows1::<f32, f32>(&m.view(&x), &m.view(&into), |row, from, to| {
            let width = from.len();
            let at = row / heads * width;
            let (sin, cos) = (&sin[at..][..width], &cos[at..][..width]);
            let half = width / 2;
            for (i, pair) in from.chunks_exact(2).enumerate() {
                to[i] = pair[0] * cos[i] - pair[1] * sin[i];
                to[half + i] = pair[1] * cos[half + i] + pair[0] * sin[half + i];
            }
        });
    });
    out
}

/// Rows as int8, each with a scale of its own. Numbers for columns may multiply them before.
fn by_row(plan: &mut Plan, x: &Value, smooth: Option<Value>) -> (Value, Value) {
    let count = whole(x.count());
    let width = x.dims().last().copied().unwrap_or(0);
    let lines = count.checked_div(width).unwrap_or(0);
    let (out, steps) = (
        plan.temp(Element::I8, &[lines, width]),
        plan.temp(Element::F32, &[lines, 1]),
    );
    let x = plan.reshape(x, &[lines, width]);
    let (into, scales) = (out.clone(), steps.clone());
    plan.step(move |m| {
        let smooth = smooth.as_ref().map(|smooth| m.view(smooth));
        let smooth = smooth.as_ref().map(slice::<f32>);
        rows::rows1_2::<f32, i8, f32>(
            &m.view(&x),
            &m.view(&into),
            &m.view(&scales),
            |_, from, to, step| {
                let factor = |index: usize| smooth.map_or(1.0, |all| all[index % all.len().max(1)]);
                let values = from.iter().enumerate().map(|(index, x)| x * factor(index));
                step.fill(row_to_i8(values, 127.0, to));
            },
        );
    });
    (out, steps)
}

/// Rows times numbers for columns, or one number for all, as int8.
fn by_column(plan: &mut Plan, x: &Value, scales: &Value) -> Value {
    let out = plan.temp(Element::I8, x.dims());
    let (x, scales, into) = (x.clone(), scales.clone(), out.clone());
    plan.step(move |m| {
        let scales = m.view(&scales);
        let scales = slice::<f32>(&scales);
        rows::rows1::<f32, i8>(&m.view(&x), &m.view(&into), |_, from, to| {
            for (index, (to, x)) in to.iter_mut().zip(from).enumerate() {
                *to = to_i8(x * scales[index % scales.len().max(1)]);
            }
        });
    });
    out
}

impl Prolog<'_> {
    /// Numbers that have to be there, `count` of them.
    fn numbers(
        plan: &mut Plan,
        tensor: Option<&Tensor>,
        count: i64,
        argument: &str,
    ) -> Result<Value, Refusal> {
        let tensor = tensor.ok_or_else(|| Refusal::missing(argument))?;
        expect_real(tensor, argument)?;
        require!(
            whole(tensor.count()) == count,
            "'{argument}' has the shape {:?}, but {count} elements are expected",
            tensor.dims
        );
        Ok(flat(plan, tensor, Element::F32, &[count]))
    }

    /// The scale of the keys: one number, or one for each column.
    fn one_number(&self, plan: &mut Plan, width: i64) -> Result<Value, Refusal> {
        let tensor = self
            .quant_ckv
            .ok_or_else(|| Refusal::missing("quantScaleCkv"))?;
        if whole(tensor.count()) == 1 {
            return Self::numbers(plan, self.quant_ckv, 1, "quantScaleCkv");
        }
        let all = Self::numbers(plan, self.quant_ckv, width, "quantScaleCkv")?;
        let checked = all.clone();
        plan.try_step(move |m| {
            let view = m.view(&checked);
            let numbers = slice::<f32>(&view);
            if numbers.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits()) {
                return Ok(());
            }
            Err("'quantScaleCkv' has different numbers, but tokens of int8 have one scale for all keys".to_owned())
        });
        Ok(all.narrow(0, 0, 1))
    }

    fn unwanted(given: &[(Option<&Tensor>, &str)]) -> Result<(), Refusal> {
        for (tensor, argument) in given {
            require!(
                tensor.is_none_or(Tensor::is_empty),
                "'{argument}' is given, but what it scales is not quantised: pass NULL"
            );
        }
        Ok(())
    }

    /// Where rows of keys go: an in-place tensor and the number of its rows.
    fn cache_dims(
        &self,
        lead: &[i64],
        width: i64,
        tensor: &Tensor,
        argument: &str,
    ) -> Result<(), Refusal> {
        let wanted = match self.cache {
            Cache::Pages => {
                require!(
                    tensor.rank() == 4,
                    "'{argument}' has the shape {:?}, but [pages, rows of a page, 1, {width}] is expected",
                    tensor.dims
                );
                vec![tensor.dims[0], tensor.dims[1], 1, width]
            }
            Cache::Rows => {
                let mut dims = lead.to_vec();
                dims.extend([1, width]);
                dims
            }
        };
        expect_dims(tensor, &wanted, argument)
    }

    /// Adds a step that writes rows to a cache.
    fn store(plan: &mut Plan, from: &Value, index: Option<&Value>, tensor: &Tensor) {
        if tensor.is_empty() {
            return;
        }
        let target = plan.in_place(tensor);
        let Some(index) = index else {
            let from = plan.reshape(from, &tensor.dims);
            plan.copy(&from, &target);
            return;
        };
        let (from, index) = (from.clone(), index.clone());
        plan.try_step(move |m| {
            let (from, index, target) = (m.view(&from), m.view(&index), m.view(&target));
            let page = target.dims()[1];
            let room = target.dims()[0] * page;
            for (token, row) in (0_i64..).zip(slice::<i64>(&index)) {
                if !(0..room).contains(row) {
                    return Err(format!(
                        "'cacheIndex' has {row} for token {token}, but the cache has {room} rows"
                    ));
                }
                let into = target
                    .select(0, row / page)
                    .select(0, row % page)
                    .select(0, 0);
                map::copy(&from.select(0, token), &into);
            }
            Ok(())
        });
    }

    /// An output for which there may be nothing to say: zeros then.
    fn nothing(plan: &mut Plan, tensor: Option<&Tensor>) {
        if let Some(tensor) = tensor.filter(|tensor| !tensor.is_empty()) {
            let out = plan.output_apart(tensor);
            plan.fill(&out, 0.0);
        }
    }

    fn plan(&self) -> Planned {
        for (tensor, argument) in [
            (self.weight_dq, "weightDq"),
            (self.weight_uq_qr, "weightUqQr"),
            (self.weight_dkv_kr, "weightDkvKr"),
        ] {
            super::fractal::expect_format(&[tensor], argument)?;
            require!(
                tensor.rank() == 2,
                "'{argument}' has the shape {:?}, but a matrix is expected",
                tensor.dims
            );
        }
        require!(
            matches!(self.tokens.rank(), 2 | 3) && self.weight_uk.rank() == 3,
            "'tokenX' has the shape {:?} and 'weightUk' {:?}, but two or three dimensions and three are expected",
            self.tokens.dims,
            self.weight_uk.dims
        );
        let last = self.tokens.rank() - 1;
        let lead = &self.tokens.dims[..last];
        let (count, hidden) = (whole(millpond_kernels::count(lead)), self.tokens.dims[last]);
        let (heads, plain, latent) = (
            self.weight_uk.dims[0],
            self.weight_uk.dims[1],
            self.weight_uk.dims[2],
        );
        let low = self.weight_dq.dims[1];
        let rope = self.sin.dims.last().copied().unwrap_or(0);
        require!(
            rope % 2 == 0 && low > 0 && latent > 0,
            "'ropeSin' has the shape {:?}, but an even number of columns is expected",
            self.sin.dims
        );
        let with = |more: &[i64]| {
            let mut dims = lead.to_vec();
            dims.extend_from_slice(more);
            dims
        };
        expect_dims(self.weight_dq, &[hidden, low], "weightDq")?;
        expect_dims(
            self.weight_uq_qr,
            &[low, heads.saturating_mul(plain + rope)],
            "weightUqQr",
        )?;
        expect_dims(self.weight_dkv_kr, &[hidden, latent + rope], "weightDkvKr")?;
        expect_dims(self.gamma_cq, &[low], "rmsnormGammaCq")?;
        expect_dims(self.gamma_ckv, &[latent], "rmsnormGammaCkv")?;
        expect_dims(self.sin, &with(&[rope]), "ropeSin")?;
        expect_dims(self.cos, &with(&[rope]), "ropeCos")?;
        for (tensor, argument) in [
            (self.weight_uk, "weightUk"),
            (self.gamma_cq, "rmsnormGammaCq"),
            (self.gamma_ckv, "rmsnormGammaCkv"),
            (self.sin, "ropeSin"),
            (self.cos, "ropeCos"),
            (self.query_rope, "queryRope"),
        ] {
            expect_real(tensor, argument)?;
        }
        // What matrices in floats multiply is rounded to their type.
        let real = self.weight_uk.element();
        let integer = self.tokens.element() == Element::I8;
        let up_integer = self.weight_uq_qr.element() == Element::I8;
        let keys_integer = self.kv_cache.element() == Element::I8;
        for (tensor, wanted, argument) in [
            (
                self.tokens,
                if integer { Element::I8 } else { real },
                "tokenX",
            ),
            (self.weight_dq, self.tokens.element(), "weightDq"),
            (self.weight_dkv_kr, self.tokens.element(), "weightDkvKr"),
            (
                self.weight_uq_qr,
                if integer || up_integer {
                    Element::I8
                } else {
                    real
                },
                "weightUqQr",
            ),
            (
                self.kv_cache,
                if keys_integer { Element::I8 } else { real },
                "kvCache",
            ),
            (
                self.kr_cache,
                if keys_integer && !integer {
                    Element::I8
                } else {
                    real
                },
                "krCache",
            ),
        ] {
            require!(
                tensor.element() == wanted,
                "'{argument}' has the type {}, but with the other types {} is expected",
                tensor.element().name(),
                wanted.name()
            );
        }
        require!(
            !keys_integer || up_integer,
            "'kvCache' has the type int8, but 'weightUqQr' {}: keys are quantised only with it",
            real.name()
        );
        if !integer {
            Self::unwanted(&[
                (self.scale_x, "dequantScaleX"),
                (self.scale_dq, "dequantScaleWDq"),
                (self.scale_dkv_kr, "dequantScaleWDkvKr"),
            ])?;
        }
        if !up_integer {
            Self::unwanted(&[
                (self.scale_uq_qr, "dequantScaleWUqQr"),
                (self.smooth, "smoothScalesCq"),
            ])?;
        }
        if !keys_integer {
            Self::unwanted(&[(self.quant_ckv, "quantScaleCkv")])?;
        }
        if !keys_integer || integer {
            Self::unwanted(&[(self.quant_ckr, "quantScaleCkr")])?;
        }
        self.cache_dims(lead, latent, self.kv_cache, "kvCache")?;
        self.cache_dims(lead, rope, self.kr_cache, "krCache")?;
        let query_integer = integer && keys_integer;
        require!(
            if query_integer {
                self.query.element() == Element::I8
            } else {
                is_real(self.query.element())
            },
            "'query' has the type {}, but {} is expected",
            self.query.element().name(),
            if query_integer { "int8" } else { real.name() }
        );
        expect_dims(self.query, &with(&[heads, latent]), "query")?;
        expect_dims(self.query_rope, &with(&[heads, rope]), "queryRope")?;

        let mut plan = Plan::new();
        let index = match (self.cache, self.index) {
            (Cache::Pages, Some(index)) => {
                expect_integers(index, "cacheIndex")?;
                expect_dims(index, lead, "cacheIndex")?;
                Some(flat(&mut plan, index, Element::I64, &[count]))
            }
            (Cache::Pages, None) => return Err(Refusal::missing("cacheIndex")),
            (Cache::Rows, _) => None,
        };
        let x = plan.input(self.tokens);
        let x = plan.reshape(&x, &[count, hidden]);
        let gammas = [(self.gamma_cq, low), (self.gamma_ckv, latent)]
            .map(|(gamma, width)| flat(&mut plan, gamma, Element::F32, &[width]));
        let [sin, cos] = [self.sin, self.cos]
            .map(|tensor| flat(&mut plan, tensor, Element::F32, &[count, rope]));
        let weight = plan.input(self.weight_dq);
        let sides = if integer {
            Some(Sides {
                lines: Self::numbers(&mut plan, self.scale_x, count, "dequantScaleX")?,
                columns: Self::numbers(&mut plan, self.scale_dq, low, "dequantScaleWDq")?,
            })
        } else {
            None
        };
        let down = product(&mut plan, &x, &weight, sides)?;
        let low_rank = normed(
            &mut plan,
            &down,
            &gammas[0],
            self.epsilon_cq,
            self.query_factor,
        );
        let up = plan.input(self.weight_uq_qr);
        let columns = up.dim(1);
        let (rounded, low_scales, both) = if up_integer {
            let smooth = match self.smooth {
                Some(smooth) if smooth.count() == 1 => {
                    Some(Self::numbers(&mut plan, self.smooth, 1, "smoothScalesCq")?)
                }
                Some(_) => Some(Self::numbers(
                    &mut plan,
                    self.smooth,
                    low,
                    "smoothScalesCq",
                )?),
                None => None,
            };
            let (integers, steps) = by_row(&mut plan, &low_rank, smooth);
            let sides = Sides {
                lines: plan.reshape(&steps, &[count]),
                columns: Self::numbers(&mut plan, self.scale_uq_qr, columns, "dequantScaleWUqQr")?,
            };
            let both = product(&mut plan, &integers, &up, Some(sides))?;
            (integers, Some(steps), both)
        } else {
            let rounded = plan.cast(&low_rank, real);
            let both = product(&mut plan, &rounded, &up, None)?;
            (rounded, None, both)
        };
        let both = plan.reshape(&both, &[count, heads, plain + rope]);
        let part = both.narrow(2, 0, plain);
        // Matrices of the heads, which come first.
        let part = plan.contiguous(&part.transpose(0, 1), real);
        let matrices = plan.input(self.weight_uk);
        let of_heads = plan.temp(Element::F32, &[heads, count, latent]);
        plan.matmul_to(&part, &matrices, &of_heads)?;
        let query = plan.contiguous(&of_heads.transpose(0, 1), real);
        let query = plan.cast(&query, Element::F32);
        let other = plan.contiguous(&both.narrow(2, plain, rope), Element::F32);
        let query_rope = turned(&mut plan, &other, &sin, &cos);

        let weight = plan.input(self.weight_dkv_kr);
        let sides = if integer {
            Some(Sides {
                lines: Self::numbers(&mut plan, self.scale_x, count, "dequantScaleX")?,
                columns: Self::numbers(
                    &mut plan,
                    self.scale_dkv_kr,
                    latent + rope,
                    "dequantScaleWDkvKr",
                )?,
            })
        } else {
            None
        };
        let keys = product(&mut plan, &x, &weight, sides)?;
        let latent_part = plan.contiguous(&keys.narrow(1, 0, latent), Element::F32);
        let latent_keys = normed(
            &mut plan,
            &latent_part,
            &gammas[1],
            self.epsilon_ckv,
            self.key_factor,
        );
        let rope_part = plan.contiguous(&keys.narrow(1, latent, rope), Element::F32);
        let rope_part = plan.reshape(&rope_part, &[count, 1, rope]);
        let rope_keys = turned(&mut plan, &rope_part, &sin, &cos);
        let rope_keys = plan.reshape(&rope_keys, &[count, rope]);
        let ckv_scale = if !keys_integer {
            None
        } else if integer {
            Some(self.one_number(&mut plan, latent)?)
        } else {
            Some(Self::numbers(
                &mut plan,
                self.quant_ckv,
                latent,
                "quantScaleCkv",
            )?)
        };
        let latent_keys = match &ckv_scale {
            Some(scale) => by_column(&mut plan, &latent_keys, scale),
            None => latent_keys,
        };
        let rope_keys = if keys_integer && !integer {
            let scale = Self::numbers(&mut plan, self.quant_ckr, rope, "quantScaleCkr")?;
            by_column(&mut plan, &rope_keys, &scale)
        } else {
            rope_keys
        };
        Self::store(&mut plan, &latent_keys, index.as_ref(), self.kv_cache);
        Self::store(&mut plan, &rope_keys, index.as_ref(), self.kr_cache);

        if let Some(scale) = ckv_scale.filter(|_| integer) {
            let (integers, steps) = by_row(&mut plan, &query, None);
            Self::rescale(&mut plan, &query_rope, &scale, &steps, real);
            Self::deliver(&mut plan, &integers, self.query);
            let tensor = self
                .query_scale
                .ok_or_else(|| Refusal::missing("dequantScaleQNope"))?;
            expect_real(tensor, "dequantScaleQNope")?;
            expect_dims(tensor, &[count, heads, 1], "dequantScaleQNope")?;
            Self::deliver(&mut plan, &steps, tensor);
        } else {
            Self::deliver(&mut plan, &query, self.query);
            Self::nothing(&mut plan, self.query_scale);
        }
        Self::deliver(&mut plan, &query_rope, self.query_rope);
        // A tensor with one element stands for no result.
        let Some(norm) = self.norm.filter(|norm| norm.rank() == self.tokens.rank()) else {
            Self::nothing(&mut plan, self.norm);
            Self::nothing(&mut plan, self.norm_scale);
            return plan.done();
        };
        require!(
            norm.element() == rounded.element(),
            "'queryNorm' has the type {}, but {} is expected",
            norm.element().name(),
            rounded.element().name()
        );
        expect_dims(norm, &with(&[low]), "queryNorm")?;
        Self::deliver(&mut plan, &rounded, norm);
        if let Some(steps) = low_scales {
            let tensor = self
                .norm_scale
                .ok_or_else(|| Refusal::missing("dequantScaleQNorm"))?;
            expect_real(tensor, "dequantScaleQNorm")?;
            expect_dims(tensor, &[count, 1], "dequantScaleQNorm")?;
            Self::deliver(&mut plan, &steps, tensor);
        } else {
            Self::nothing(&mut plan, self.norm_scale);
        }
        plan.done()
    }

    /// The turned part of queries, in the unit of quantised queries and keys: times the scale of keys, divided by that of its head.
    fn rescale(plan: &mut Plan, rope: &Value, keys: &Value, steps: &Value, real: Element) {
        let rounded = plan.cast(rope, real);
        let (into, keys, steps) = (rope.clone(), keys.clone(), steps.clone());
        plan.step(move |m| {
            let (keys, steps, into) = (m.view(&keys), m.view(&steps), m.view(&into));
            map::copy(&m.view(&rounded), &into);
            let (keys, steps) = (slice::<f32>(&keys)[0], slice::<f32>(&steps));
            let into = slice_mut::<f32>(&into);
            let width = into.len().checked_div(steps.len()).unwrap_or(0);
            for (row, step) in into.chunks_exact_mut(width.max(1)).zip(steps) {
                for x in row {
                    *x = *x * keys / step;
                }
            }
        });
    }

    fn deliver(plan: &mut Plan, from: &Value, tensor: &Tensor) {
        let out = Staged::of(plan, tensor, from.element());
        let from = plan.reshape(from, &tensor.dims);
        plan.copy(&from, &out.work);
        out.deliver(plan);
    }
}
