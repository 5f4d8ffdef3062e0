//! Steps that read and write elements by index.

use millpond_kernels::index::{self, Axes, Put, Rules, Selector};
use millpond_kernels::{Dims, Element};

use crate::plan::{Plan, Value};
use crate::promote::{Category, category};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// An axis of a tensor and the indices that select from it.
#[derive(Debug, Clone)]
pub(crate) struct Lookup {
    index: Value,
    size: i64,
    stride: i64,
}

impl Lookup {
    pub(crate) fn new(data: &Value, axis: usize, index: &Value) -> Self {
        Self {
            index: index.clone(),
            size: data.dim(axis),
            stride: data.strides()[axis],
        }
    }
}

/// Refuses indices that are not integers.
pub(crate) fn expect_integers(index: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        category(index.element()) == Category::Int,
        "'{argument}' has the type {}, but indices are integers",
        index.element().name()
    );
    Ok(())
}

impl Plan {
    /// Where the elements are that indices select, for each position of `dims`. `own` is what a position itself adds, by axis.
    pub(crate) fn offsets(
        &mut self,
        dims: &[i64],
        own: &[i64],
        lookups: Vec<Lookup>,
        rules: Rules,
    ) -> Value {
        let offsets = self.temp(Element::I64, dims);
        let (out, own) = (offsets.clone(), Dims::from(own));
        self.try_step(move |memory| {
            let selectors: Vec<Selector> = lookups
                .iter()
                .map(|lookup| Selector {
                    index: memory.view(&lookup.index),
                    size: lookup.size,
                    stride: lookup.stride,
                })
                .collect();
            index::offsets(&own, &selectors, rules, &memory.view(&out))
        });
        offsets
    }

    /// The offsets of one axis: the indices decide their shape.
    pub(crate) fn axis_offsets(
        &mut self,
        data: &Value,
        axis: usize,
        index: &Value,
        rules: Rules,
    ) -> Value {
        let own = Dims::from_elem(0, index.rank());
        self.offsets(
            index.dims(),
            &own,
            vec![Lookup::new(data, axis, index)],
            rules,
        )
    }

    /// Offsets that follow from numbers which the call gives.
    pub(crate) fn table(
        &mut self,
        length: i64,
        entry: impl Fn(i64) -> i64 + Send + Sync + 'static,
    ) -> Value {
        let table = self.temp(Element::I64, &[length]);
        let out = table.clone();
        self.step(move |memory| {
            millpond_kernels::map::generate(&memory.view(&out), |number| {
                entry(i64::try_from(number).unwrap_or(0))
            });
        });
        table
    }

    /// Reads elements at offsets into `out`, which has the type of `data` and overlaps nothing.
    pub(crate) fn gather(
        &mut self,
        data: &Value,
        batch: usize,
        row: usize,
        offsets: &Value,
        out: &Value,
    ) {
        let (data, offsets, out) = (data.clone(), offsets.clone(), out.clone());
        self.step(move |memory| {
            let axes = Axes { batch, row };
            index::gather(
                &memory.view(&data),
                axes,
                &memory.view(&offsets),
                &memory.view(&out),
            );
        });
    }

    /// Reads elements at offsets into `out`, converted to its type.
    pub(crate) fn gather_as(
        &mut self,
        data: &Value,
        batch: usize,
        row: usize,
        offsets: &Value,
        out: &Value,
    ) {
        if data.element() == out.element() {
            return self.gather(data, batch, row, offsets, out);
        }
        let found = self.temp(data.element(), out.dims());
        self.gather(data, batch, row, offsets, &found);
        self.copy(&found, out);
    }

    /// Writes elements at offsets into `into`. The source is converted to its type.
    pub(crate) fn scatter(
        &mut self,
        source: &Value,
        batch: usize,
        row: usize,
        offsets: &Value,
        into: &Value,
        put: Put,
    ) {
        let source = self.cast(source, into.element());
        let (offsets, into) = (offsets.clone(), into.clone());
        self.step(move |memory| {
            let axes = Axes { batch, row };
            index::scatter(
                &memory.view(&source),
                axes,
                &memory.view(&offsets),
                &memory.view(&into),
                put,
            );
        });
    }
}
