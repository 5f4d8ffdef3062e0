//! Weighted sums along an axis: resizing, and pooling by the mean.
//!
//! What resizes a tensor axis by axis is written down as taps: for every place of the result, which places of the input it is a sum of,
//! and with which weights. The gradient of such a sum has the same taps the other way round.

use crate::element::Float;
use crate::parallel;
use crate::view::View;

/// The places and weights that each place of a result is a sum of, along one axis.
#[derive(Debug, Clone, Default)]
pub struct Taps {
    /// How many places the input has.
    from: usize,
    /// Where the taps of each place begin in `list`; one more than there are places.
    starts: Vec<usize>,
    list: Vec<(usize, f64)>,
}

impl Taps {
    /// Taps for `to` places: `taps_of` gives those of each.
    pub fn new<I: IntoIterator<Item = (usize, f64)>>(
        from: usize,
        to: usize,
        taps_of: impl Fn(usize) -> I,
    ) -> Self {
        let mut made = Self {
            from,
            starts: vec![0],
            list: Vec::new(),
        };
        for place in 0..to {
            made.list
                .extend(taps_of(place).into_iter().filter(|(at, _)| *at < from));
            made.starts.push(made.list.len());
        }
        made
    }

    /// How many places the input has.
    pub fn from(&self) -> usize {
        self.from
    }

    /// How many places the result has.
    pub fn to(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether the result is the input.
    pub fn is_identity(&self) -> bool {
        self.from == self.to()
            && self.list.len() == self.from
            && (0..self.from).all(|place| self.of(place) == [(place, 1.0)])
    }

    fn of(&self, place: usize) -> &[(usize, f64)] {
        &self.list[self.starts[place]..self.starts[place + 1]]
    }

    /// The taps of the gradient: from the result back to the input.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut starts = vec![0; self.from + 1];
        for (at, _) in &self.list {
            starts[at + 1] += 1;
        }
        for place in 0..self.from {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut list = vec![(0, 0.0); self.list.len()];
        for place in 0..self.to() {
            for (at, weight) in self.of(place) {
                list[next[*at]] = (place, *weight);
                next[*at] += 1;
            }
        }
        Self {
            from: self.to(),
            starts,
            list,
        }
    }

    /// `out[i, p, j]` is the sum of `input[i, q, j]` over the taps of `p`. Both are contiguous and have three axes.
    pub fn apply<T: Float>(&self, input: &View, out: &View) {
        let size = |view: &View, axis: usize| usize::try_from(view.dims()[axis]).unwrap_or(0);
        let (outer, inner) = (size(out, 0), size(out, 2));
        assert!(size(input, 1) == self.from && size(out, 1) == self.to());
        let Some(values) = input.slice::<T>() else {
            panic!("the input of taps is not contiguous {:?}", T::ELEMENT)
        };
        let (block, room) = (self.from * inner, self.to() * inner);
        // Rows of the result where there are few blocks, whole blocks where the rows are short.
        let by_row = inner >= 64;
        let rows = if by_row { outer * self.to() } else { outer };
        let width = if by_row { inner } else { room };
        parallel::ranges(rows, (16 * 1024 / width.max(1)).max(1), |range| {
            for row in range {
                let Some(into) = out.row_mut::<T>(row, width) else {
                    continue;
                };
                let number = if by_row { row / self.to() } else { row };
                let block = &values[number * block..][..block];
                if by_row {
                    self.sum_rows(row % self.to(), block, inner, into);
                } else if inner == 1 {
                    for (place, sum) in into.iter_mut().enumerate() {
                        *sum = self
                            .of(place)
                            .iter()
                            .fold(T::default(), |sum, (at, weight)| {
                                sum.add(block[*at].mul(T::of(*weight)))
                            });
                    }
                } else {
                    for (place, into) in into.chunks_exact_mut(inner).enumerate() {
                        self.sum_rows(place, block, inner, into);
                    }
                }
            }
        });
    }

    fn sum_rows<T: Float>(&self, place: usize, block: &[T], inner: usize, into: &mut [T]) {
        into.fill(T::default());
        for (at, weight) in self.of(place) {
            let (row, weight) = (&block[at * inner..][..inner], T::of(*weight));
            for (sum, x) in into.iter_mut().zip(row) {
                *sum = sum.add(x.mul(weight));
            }
        }
    }
}
