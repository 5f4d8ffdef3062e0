//! A view: elements in memory, in any layout.
#![expect(
    unsafe_code,
    reason = "a view reads and writes memory at the address that its maker vouched for"
)]

use millpond_model::Element;
use smallvec::SmallVec;

use crate::dims::Dims;
use crate::element::Stored;

/// Elements in memory: where the first one is, their type, how many along each axis, and how far apart neighbours are.
///
/// Strides count elements and are not negative. A stride of 0 repeats an element along its axis.
#[derive(Debug, Clone)]
pub struct View {
    data: *mut u8,
    element: Element,
    dims: Dims,
    strides: Dims,
}

// SAFETY: a view is an address with a layout. Who makes one promises that its memory may be used until the view is gone, on
// whichever thread.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

/// A position that goes through a view in row-major order. Behind the last element it begins again.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    at: Dims,
    dims: Dims,
    strides: Dims,
    offset: i64,
}

impl Walk {
    /// Where, from the first element, the current one is.
    #[inline(always)]
    pub(crate) fn offset(&self) -> i64 {
        self.offset
    }

    /// The current position along each axis.
    pub(crate) fn at(&self) -> &[i64] {
        &self.at
    }

    /// Goes to the next element.
    #[inline]
    pub(crate) fn step(&mut self) {
        for axis in (0..self.at.len()).rev() {
            self.at[axis] += 1;
            self.offset += self.strides[axis];
            if self.at[axis] < self.dims[axis] {
                return;
            }
            self.offset -= self.at[axis] * self.strides[axis];
            self.at[axis] = 0;
        }
    }
}

/// How many elements dimensions stand for.
pub fn count(dims: &[i64]) -> usize {
    let all = dims.iter().map(|dim| usize::try_from(*dim).unwrap_or(0));
    all.product()
}

/// The strides of contiguous elements.
pub fn contiguous_strides(dims: &[i64]) -> Dims {
    let mut next = 1_i64;
    let mut strides: Dims = dims
        .iter()
        .rev()
        .map(|dim| {
            let stride = next;
            next = next.saturating_mul((*dim).max(1));
            stride
        })
        .collect();
    strides.reverse();
    strides
}

/// The dimensions that both broadcast to, or `None` if they do not fit together.
pub fn broadcast_dims(a: &[i64], b: &[i64]) -> Option<Dims> {
    let rank = a.len().max(b.len());
    let at = |dims: &[i64], axis: usize| {
        (axis + dims.len())
            .checked_sub(rank)
            .map_or(1, |axis| dims[axis])
    };
    (0..rank)
        .map(|axis| match (at(a, axis), at(b, axis)) {
            (a, b) if a == b => Some(a),
            (1, other) | (other, 1) => Some(other),
            _ => None,
        })
        .collect()
}

impl View {
    /// A view of memory.
    ///
    /// # Safety
    ///
    /// Until the view and all views made from it are gone, every element must be inside memory that may be read and, if a kernel is
    /// given the view as an output, written. `data` is aligned for the element type, and nothing else writes what a kernel reads
    /// or touches what it writes while it runs.
    pub unsafe fn new(data: *mut u8, element: Element, dims: Dims, strides: Dims) -> Self {
        debug_assert_eq!(dims.len(), strides.len());
        Self {
            data,
            element,
            dims,
            strides,
        }
    }

    /// The type of its elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Its dimensions.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The distances between neighbours along each axis, in elements.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// How many axes it has.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        count(&self.dims)
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.data
    }

    /// Whether it has these dimensions.
    #[inline]
    pub(crate) fn has_dims(&self, dims: &[i64]) -> bool {
        // Not as slices: their comparison is a call.
        self.dims.len() == dims.len() && self.dims.iter().zip(dims).all(|(own, other)| own == other)
    }

    /// Where its elements are, if they are of this type, contiguous, and as many along each axis as `dims` says.
    #[inline]
    pub(crate) fn dense<C: Stored>(&self, dims: &[i64]) -> Option<*mut C> {
        (self.element == C::ELEMENT && self.has_dims(dims) && self.is_contiguous())
            .then(|| self.data.cast::<C>())
    }

    /// Whether its elements are contiguous, in order.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        let mut next = 1_i64;
        for (dim, stride) in self.dims.iter().zip(&self.strides).rev() {
            if *dim != 1 && *stride != next {
                // Without elements there is nothing to lie anywhere.
                return self.dims.contains(&0);
            }
            // Where dimensions are 0, the others may be of any size.
            next = next.wrapping_mul(*dim);
        }
        true
    }

    /// The same memory with other dimensions and strides, `offset` elements further on.
    fn shifted(&self, offset: i64, dims: Dims, strides: Dims) -> Self {
        let bytes = offset * i64::try_from(self.element.bytes()).unwrap_or(0);
        Self {
            // Inside the memory that was vouched for: callers compute offsets of elements that the view has.
            data: self
                .data
                .wrapping_offset(isize::try_from(bytes).unwrap_or(0)),
            element: self.element,
            dims,
            strides,
        }
    }

    /// The same memory in another layout, which reaches no further.
    pub(crate) fn laid_out(&self, dims: Dims, strides: Dims) -> Self {
        self.shifted(0, dims, strides)
    }

    /// Repeated along new and one-element axes to fill `dims`. The dimensions must broadcast.
    #[must_use]
    pub fn expand(&self, dims: &[i64]) -> Self {
        let missing = dims.len() - self.rank();
        let strides = (0..dims.len())
            .map(|axis| match axis.checked_sub(missing) {
                Some(own) if self.dims[own] == dims[axis] => self.strides[own],
                Some(own) => {
                    assert_eq!(
                        self.dims[own], 1,
                        "axis {axis} of {:?} does not broadcast to {dims:?}",
                        self.dims
                    );
                    0
                }
                None => 0,
            })
            .collect();
        self.shifted(0, dims.into(), strides)
    }

    /// With its axes in another order: axis `i` of the result is axis `order[i]` of this view.
    #[must_use]
    pub fn permute(&self, order: &[usize]) -> Self {
        let dims = order.iter().map(|axis| self.dims[*axis]).collect();
        let strides = order.iter().map(|axis| self.strides[*axis]).collect();
        self.shifted(0, dims, strides)
    }

    /// With two axes swapped.
    #[must_use]
    pub fn transpose(&self, one: usize, other: usize) -> Self {
        let mut order: SmallVec<[usize; 6]> = (0..self.rank()).collect();
        order.swap(one, other);
        self.permute(&order)
    }

    /// `length` elements of an axis from `start` on.
    #[must_use]
    pub fn narrow(&self, axis: usize, start: i64, length: i64) -> Self {
        assert!(start >= 0 && length >= 0 && start + length <= self.dims[axis]);
        let mut dims = self.dims.clone();
        dims[axis] = length;
        self.shifted(start * self.strides[axis], dims, self.strides.clone())
    }

    /// Without an axis, at one of its positions.
    #[must_use]
    pub fn select(&self, axis: usize, position: i64) -> Self {
        assert!(position >= 0 && position < self.dims[axis]);
        let (mut dims, mut strides) = (self.dims.clone(), self.strides.clone());
        dims.remove(axis);
        let stride = strides.remove(axis);
        self.shifted(position * stride, dims, strides)
    }

    /// With a new axis of one element.
    #[must_use]
    pub fn unsqueeze(&self, axis: usize) -> Self {
        let (mut dims, mut strides) = (self.dims.clone(), self.strides.clone());
        dims.insert(axis, 1);
        strides.insert(axis, 0);
        self.shifted(0, dims, strides)
    }

    /// With other dimensions over the same elements in the same order. The view must be contiguous.
    #[must_use]
    pub fn reshape(&self, dims: &[i64]) -> Self {
        assert!(
            self.is_contiguous(),
            "a view with strides {:?} cannot be reshaped in place",
            self.strides
        );
        assert_eq!(count(dims), self.count());
        self.shifted(0, dims.into(), contiguous_strides(dims))
    }

    /// The same bytes taken for elements of another type of the same size.
    #[must_use]
    pub fn reinterpret(&self, element: Element) -> Self {
        assert_eq!(element.bytes(), self.element.bytes());
        Self {
            element,
            ..self.clone()
        }
    }

    /// The real or imaginary parts of complex elements.
    #[must_use]
    pub fn part(&self, imaginary: bool) -> Self {
        let element = match self.element {
            Element::C32 => Element::F16,
            Element::C64 => Element::F32,
            Element::C128 => Element::F64,
            other => panic!("{other:?} has no parts"),
        };
        let strides = self.strides.iter().map(|stride| stride * 2).collect();
        let view = Self {
            element,
            strides,
            ..self.clone()
        };
        view.shifted(
            i64::from(imaginary),
            view.dims.clone(),
            view.strides.clone(),
        )
    }

    /// Axes of one element removed and contiguous neighbours joined: fewer, longer loops.
    pub(crate) fn coalesced(&self) -> Self {
        let (mut dims, mut strides) = (Dims::new(), Dims::new());
        for (dim, stride) in self.dims.iter().zip(&self.strides) {
            if *dim == 1 {
                continue;
            }
            match (dims.last_mut(), strides.last_mut()) {
                (Some(last), Some(step)) if *step == stride * dim => {
                    *last *= dim;
                    *step = *stride;
                }
                _ => {
                    dims.push(*dim);
                    strides.push(*stride);
                }
            }
        }
        self.shifted(0, dims, strides)
    }

    /// The same layout, `offset` elements further on. Only for offsets that end inside the memory of the view that it is part of.
    pub(crate) fn moved(&self, offset: i64) -> Self {
        self.shifted(offset, self.dims.clone(), self.strides.clone())
    }

    /// Where, from the first element, the element at a multi-index is.
    fn offset(&self, index: &[i64]) -> i64 {
        debug_assert_eq!(index.len(), self.rank());
        index
            .iter()
            .zip(&self.strides)
            .zip(&self.dims)
            .map(|((at, stride), dim)| {
                assert!(
                    *at >= 0 && at < dim,
                    "index {index:?} is outside {:?}",
                    self.dims
                );
                at * stride
            })
            .sum()
    }

    /// Where, from the first element, the element with this number in row-major order is.
    pub(crate) fn offset_of(&self, number: usize) -> i64 {
        let mut rest = i64::try_from(number).unwrap_or(0);
        let mut offset = 0;
        for (dim, stride) in self.dims.iter().zip(&self.strides).rev() {
            offset += rest % dim * stride;
            rest /= dim;
        }
        assert_eq!(rest, 0, "there is no element {number} in {:?}", self.dims);
        offset
    }

    /// One element, by its multi-index, in the type that it is stored as.
    pub fn get<T: Stored>(&self, index: &[i64]) -> T {
        self.read(self.offset(index))
    }

    /// Writes one element.
    pub fn set<T: Stored>(&self, index: &[i64], value: T) {
        self.write(self.offset(index), value);
    }

    /// The element so many elements behind the first one. Callers compute offsets of elements that the view has.
    #[inline(always)]
    pub(crate) fn read<T: Stored>(&self, offset: i64) -> T {
        assert_eq!(self.element, T::ELEMENT);
        let at = self
            .data
            .cast::<T>()
            .cast_const()
            .wrapping_offset(isize::try_from(offset).unwrap_or(0));
        // SAFETY: the element type was compared, and the offset is of an element of the view, which its maker vouched for.
        unsafe { at.read() }
    }

    /// Writes the element so many elements behind the first one.
    #[inline(always)]
    pub(crate) fn write<T: Stored>(&self, offset: i64, value: T) {
        assert_eq!(self.element, T::ELEMENT);
        let at = self
            .data
            .cast::<T>()
            .wrapping_offset(isize::try_from(offset).unwrap_or(0));
        // SAFETY: as in `read`.
        unsafe { at.write(value) };
    }

    /// Where the element so many elements behind the first one is.
    #[inline(always)]
    fn at<T: Stored>(&self, offset: i64) -> *mut T {
        assert_eq!(self.element, T::ELEMENT);
        let first = self.data.cast::<T>();
        first.wrapping_offset(isize::try_from(offset).unwrap_or(0))
    }

    /// Copies `count` neighbours, which are contiguous in both views, to another view that does not share them.
    #[inline(always)]
    pub(crate) fn copy_run<T: Stored>(&self, offset: i64, to: &Self, to_offset: i64, count: usize) {
        let (from, to) = (self.at::<T>(offset).cast_const(), to.at::<T>(to_offset));
        // SAFETY: types were compared; callers compute offsets of runs that the views have.
        unsafe { std::ptr::copy_nonoverlapping(from, to, count) };
    }

    /// Reads contiguous neighbours.
    #[inline(always)]
    pub(crate) fn read_run<T: Stored>(&self, offset: i64, into: &mut [T]) {
        let from = self.at::<T>(offset).cast_const();
        // SAFETY: as in `copy_run`; the slice is memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) };
    }

    /// Writes contiguous neighbours.
    #[inline(always)]
    pub(crate) fn write_run<T: Stored>(&self, offset: i64, from: &[T]) {
        let to = self.at::<T>(offset);
        // SAFETY: as in `read_run`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
    }

    /// How far the last element is from the first one.
    pub(crate) fn reach(&self) -> i64 {
        let axes = self.dims.iter().zip(&self.strides);
        axes.map(|(dim, stride)| (dim - 1).max(0) * stride).sum()
    }

    /// The axes of a range as a view of their own, at the first position of all others.
    pub(crate) fn axes(&self, range: std::ops::Range<usize>) -> Self {
        self.shifted(
            0,
            self.dims[range.clone()].into(),
            self.strides[range].into(),
        )
    }

    /// Goes through the elements in row-major order, from number `start` on.
    pub(crate) fn walk(&self, start: usize) -> Walk {
        let mut walk = Walk {
            at: Dims::from_elem(0, self.rank()),
            dims: self.dims.clone(),
            strides: self.strides.clone(),
            offset: 0,
        };
        if self.dims.contains(&0) {
            return walk;
        }
        let mut rest = i64::try_from(start).unwrap_or(0);
        for axis in (0..self.rank()).rev() {
            walk.at[axis] = rest % self.dims[axis];
            walk.offset += walk.at[axis] * self.strides[axis];
            rest /= self.dims[axis];
        }
        walk
    }

    /// The elements as a slice, if they are contiguous and have this type.
    ///
    /// Nothing may write them while the slice lives: for inputs that no output overlaps.
    pub fn slice<T: Stored>(&self) -> Option<&[T]> {
        if self.element != T::ELEMENT || !self.is_contiguous() {
            return None;
        }
        let count = self.count();
        if count == 0 {
            return Some(&[]);
        }
        // SAFETY: type and layout were compared; the maker of the view vouched for the memory and that nothing writes what is read.
        Some(unsafe { std::slice::from_raw_parts(self.data.cast::<T>().cast_const(), count) })
    }

    /// The elements as a slice to write, if they are contiguous and have this type.
    ///
    /// For outputs that overlap no input and no other slice.
    #[expect(
        clippy::mut_from_ref,
        reason = "a view is an address: its maker vouched that this kernel alone uses the memory"
    )]
    pub fn slice_mut<T: Stored>(&self) -> Option<&mut [T]> {
        if self.element != T::ELEMENT || !self.is_contiguous() {
            return None;
        }
        let count = self.count();
        if count == 0 {
            return Some(&mut []);
        }
        // SAFETY: as in `slice`, and nothing else touches what a kernel writes.
        Some(unsafe { std::slice::from_raw_parts_mut(self.data.cast::<T>(), count) })
    }

    /// One row of `width` elements of a contiguous view, to write. `None` for a row that it does not have.
    #[expect(
        clippy::mut_from_ref,
        reason = "rows do not overlap, and each is handed to one thread"
    )]
    pub(crate) fn row_mut<T: Stored>(&self, row: usize, width: usize) -> Option<&mut [T]> {
        assert!(
            self.element == T::ELEMENT && self.is_contiguous(),
            "rows of {self:?} are not contiguous {:?}",
            T::ELEMENT
        );
        let (start, end) = (
            row.checked_mul(width)?,
            row.checked_add(1)?.checked_mul(width)?,
        );
        if end > self.count() {
            return None;
        }
        if width == 0 {
            return Some(&mut []);
        }
        let at = self.data.cast::<T>().wrapping_add(start);
        // SAFETY: the row is inside the view, and the caller uses each row once.
        Some(unsafe { std::slice::from_raw_parts_mut(at, width) })
    }
}
