//! Dimensions and strides: short lists of numbers that every operator copies many times.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// So many numbers need no memory of their own. Few tensors have more axes.
const FEW: usize = 6;

/// Dimensions or strides. A copy of a short list is a copy of its bytes, without a loop and without a call.
#[derive(Default)]
pub struct Dims {
    few: [i64; FEW],
    /// How many of `few` there are.
    count: usize,
    /// All of them, if they are more than `few` has room for.
    #[expect(
        clippy::box_collection,
        reason = "one word instead of three in every copy"
    )]
    many: Option<Box<Vec<i64>>>,
}

impl Dims {
    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        Self {
            few: [0; FEW],
            count: 0,
            many: None,
        }
    }

    /// A copy of a slice.
    #[inline]
    pub fn from_slice(numbers: &[i64]) -> Self {
        let mut dims = Self::new();
        if numbers.len() > FEW {
            dims.many = Some(Box::new(numbers.to_vec()));
            return dims;
        }
        dims.count = numbers.len();
        for (place, number) in dims.few.iter_mut().zip(numbers) {
            *place = *number;
        }
        dims
    }

    /// The same number several times.
    #[inline]
    pub fn from_elem(number: i64, count: usize) -> Self {
        std::iter::repeat_n(number, count).collect()
    }

    /// Becomes a list of `count` numbers, in place: a short list that is made and then moved is copied before its numbers have
    /// reached memory, which takes longer than the copy.
    #[inline(always)]
    pub fn assign(&mut self, count: usize, number: impl Fn(usize) -> i64) {
        if count > FEW {
            *self = (0..count).map(number).collect();
            return;
        }
        self.many = None;
        self.count = count;
        // One by one: a loop up to `count` would be compiled into a call.
        for (index, place) in self.few.iter_mut().enumerate() {
            if index >= count {
                break;
            }
            *place = number(index);
        }
    }

    /// Adds a number at the end.
    #[inline]
    pub fn push(&mut self, number: i64) {
        match &mut self.many {
            None if self.count < FEW => {
                self.few[self.count] = number;
                self.count += 1;
            }
            _ => self.grown().push(number),
        }
    }

    /// Removes the last number.
    pub fn pop(&mut self) -> Option<i64> {
        let last = self.len().checked_sub(1)?;
        Some(self.remove(last))
    }

    /// Puts a number before the one at `index`.
    pub fn insert(&mut self, index: usize, number: i64) {
        assert!(index <= self.len());
        self.push(number);
        self[index..].rotate_right(1);
    }

    /// Removes the number at `index`.
    pub fn remove(&mut self, index: usize) -> i64 {
        let number = self[index];
        self[index..].rotate_left(1);
        match &mut self.many {
            Some(many) => many.truncate(many.len() - 1),
            None => self.count -= 1,
        }
        number
    }

    /// Keeps the first `count` numbers.
    pub fn truncate(&mut self, count: usize) {
        match &mut self.many {
            Some(many) => many.truncate(count),
            None => self.count = self.count.min(count),
        }
    }

    /// Adds all numbers of a slice.
    pub fn extend_from_slice(&mut self, numbers: &[i64]) {
        self.extend(numbers.iter().copied());
    }

    #[cold]
    fn grown(&mut self) -> &mut Vec<i64> {
        let count = self.count;
        let few = &self.few;
        self.many
            .get_or_insert_with(|| Box::new(few[..count].to_vec()))
    }
}

impl Clone for Dims {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self {
            few: self.few,
            count: self.count,
            many: self.many.clone(),
        }
    }
}

impl Deref for Dims {
    type Target = [i64];

    #[inline(always)]
    fn deref(&self) -> &[i64] {
        match &self.many {
            None => &self.few[..self.count],
            Some(many) => many,
        }
    }
}

impl DerefMut for Dims {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [i64] {
        match &mut self.many {
            None => &mut self.few[..self.count],
            Some(many) => many,
        }
    }
}

impl PartialEq for Dims {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // What is not used of `few` is not always 0.
        self.len() == other.len() && self.iter().zip(&**other).all(|(a, b)| a == b)
    }
}

impl Eq for Dims {}

impl std::hash::Hash for Dims {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl PartialEq<[i64]> for Dims {
    fn eq(&self, other: &[i64]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[i64; N]> for Dims {
    fn eq(&self, other: &[i64; N]) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl FromIterator<i64> for Dims {
    #[inline]
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Self {
        let mut dims = Self::new();
        dims.extend(numbers);
        dims
    }
}

impl Extend<i64> for Dims {
    #[inline]
    fn extend<I: IntoIterator<Item = i64>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|number| self.push(number));
    }
}

impl From<&[i64]> for Dims {
    #[inline]
    fn from(numbers: &[i64]) -> Self {
        Self::from_slice(numbers)
    }
}

impl<const N: usize> From<&[i64; N]> for Dims {
    fn from(numbers: &[i64; N]) -> Self {
        Self::from_slice(numbers)
    }
}

impl<const N: usize> From<[i64; N]> for Dims {
    fn from(numbers: [i64; N]) -> Self {
        Self::from_slice(&numbers)
    }
}

impl From<Vec<i64>> for Dims {
    fn from(numbers: Vec<i64>) -> Self {
        Self::from_slice(&numbers)
    }
}

impl<'a> IntoIterator for &'a Dims {
    type Item = &'a i64;
    type IntoIter = std::slice::Iter<'a, i64>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Dims {
    type Item = &'a mut i64;
    type IntoIter = std::slice::IterMut<'a, i64>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same operations on a vector.
    #[test]
    fn short_and_long_lists_behave_as_vectors_do() {
        let (mut dims, mut vector) = (Dims::new(), Vec::new());
        let mut state = 7_u64;
        for step in 0..10_000_i64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let choice = (state >> 33) as usize;
            match choice % 7 {
                0 | 1 => {
                    dims.push(step);
                    vector.push(step);
                }
                2 => {
                    let at = choice / 7 % (vector.len() + 1);
                    dims.insert(at, step);
                    vector.insert(at, step);
                }
                3 if !vector.is_empty() => {
                    let at = choice / 7 % vector.len();
                    assert_eq!(dims.remove(at), vector.remove(at));
                }
                4 if vector.len() > 10 => {
                    dims.truncate(2);
                    vector.truncate(2);
                }
                5 => assert_eq!(dims.pop(), vector.pop()),
                _ => dims = dims.clone(),
            }
            assert_eq!(*dims, *vector);
            assert_eq!(dims, Dims::from_slice(&vector));
            assert_eq!(dims, vector.iter().copied().collect::<Dims>());
            let mut assigned = Dims::from_elem(1, choice % 9);
            assigned.assign(vector.len(), |index| vector[index]);
            assert_eq!(assigned, dims);
        }
        assert_eq!(Dims::from_elem(3, 8), [3; 8]);
        assert_eq!(Dims::from([1, 2]), [1, 2]);
    }
}
