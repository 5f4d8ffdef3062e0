//! The table: a row for each type of operator, a file for each family.

mod activation;
mod activation_grad;
mod arithmetic;
mod attention;
mod average;
mod cast;
mod compare;
mod concat;
mod convolution;
mod ctc;
mod fill;
mod flash;
mod gather;
mod index;
mod loss;
mod math;
mod matmul;
mod normalisation;
mod optimiser;
mod pad;
mod picture;
mod pooling;
mod random;
mod rare;
mod recurrent;
mod reduce;
mod resize;
mod scatter;
mod shape;
mod slice;
mod softmax;
mod sort;
mod strided;
mod window;

use crate::Why;
use crate::context::Context;
use std::collections::HashMap;
use std::sync::LazyLock;

/// An operator that can be built.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// Its inputs, outputs and attributes in a line.
    pub(crate) takes: &'static str,
    pub(crate) build: for<'c> fn(&'c Context<'c>) -> Result<(), Why>,
}

/// Short for a row of a table.
const fn row(
    name: &'static str,
    takes: &'static str,
    build: for<'c> fn(&'c Context<'c>) -> Result<(), Why>,
) -> Row {
    Row { name, takes, build }
}

const FAMILIES: &[&[Row]] = &[
    activation::ROWS,
    activation_grad::ROWS,
    arithmetic::ROWS,
    attention::ROWS,
    average::ROWS,
    cast::ROWS,
    compare::ROWS,
    concat::ROWS,
    convolution::ROWS,
    ctc::ROWS,
    fill::ROWS,
    flash::ROWS,
    gather::ROWS,
    index::ROWS,
    loss::ROWS,
    math::ROWS,
    matmul::ROWS,
    normalisation::ROWS,
    optimiser::ROWS,
    pad::ROWS,
    picture::ROWS,
    pooling::ROWS,
    random::ROWS,
    rare::ROWS,
    recurrent::ROWS,
    reduce::ROWS,
    resize::ROWS,
    scatter::ROWS,
    shape::ROWS,
    slice::ROWS,
    softmax::ROWS,
    sort::ROWS,
    strided::ROWS,
];

pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}

pub(crate) fn find(name: &str) -> Option<&'static Row> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static Row>> =
        LazyLock::new(|| rows().map(|row| (row.name, row)).collect());
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        let mut seen = std::collections::HashSet::new();
        for row in rows() {
            assert!(seen.insert(row.name), "{} has two rows", row.name);
            assert!(!row.takes.is_empty(), "{} says nothing", row.name);
        }
    }
}
